/*
 * Names of identities and custom roles across an app. In Azure names of identities are unique in a resource group and
 * names of custom roles in a tenant, ignoring case. A second declaration would fail during apply, or overwrite the
 * first.
 */

import type { AzurermProvider } from "@cdktf/provider-azurerm/lib/provider/index.js";
import { TerraformStack } from "cdktf";
import type { Construct } from "constructs";
import { fail } from "../../errors";
import { isLate } from "../../model/late";
import { PerApp } from "../shared/per-scope";
import { defaultProvider } from "./place";

export interface IdentityPlace {
  /** May be late. */
  readonly identityName: string;
  /** May be late. */
  readonly resourceGroupName: string;
  readonly provider?: AzurermProvider;
}

export interface RoleName {
  /** May be late. */
  readonly name: string;
  /** A GUID; by default that of the provider, where it states one. */
  readonly tenantId?: string | undefined;
  readonly provider?: AzurermProvider | undefined;
}

interface Claim {
  readonly construct: Construct;
  readonly provider?: AzurermProvider | undefined;
  readonly tenantId?: string | undefined;
}

const identities = new PerApp<Claim[]>();
const roles = new PerApp<Claim[]>();

export function claimName(construct: Construct, place: IdentityPlace): void {
  identitiesNamed(construct, place).push({ construct, provider: place.provider });
}

/**
 * Refuses the name of an identity that another construct of the app declares in the same resource group of the same
 * subscription.
 *
 * Two stacks are in one subscription if their azurerm providers state the same one; a provider that is added to its
 * stack after the identities is not considered.
 */
export function refuseTakenName(construct: Construct, place: IdentityPlace): void {
  const claimant = { construct, provider: place.provider };
  const holder = identitiesNamed(construct, place).find((other) => sameSubscription(claimant, other));
  if (holder)
    fail("azure-conflict", {
      problem: `${holder.construct.node.path} already declares a user-assigned identity of this name in resource group ${place.resourceGroupName}`,
      value: place.identityName,
      allowed: "one identity per name and resource group, ignoring case",
      remedy:
        "give one of the two another identityName (with pullIdentities another namePrefix or resourceGroupName), or adopt the identity with PullIdentity.fromResourceId",
    });
}

export function claimRoleName(construct: Construct, role: RoleName): void {
  rolesNamed(construct, role).push({ construct, tenantId: tenantOf(construct, role) });
}

/** Refuses the name of a role that the app declares already, unless the two are known to be in two tenants. */
export function refuseTakenRoleName(construct: Construct, role: RoleName): void {
  const tenant = tenantOf(construct, role);
  const holder = rolesNamed(construct, role).find(
    ({ tenantId }) => tenantId === undefined || tenant === undefined || tenantId === tenant,
  );
  if (holder)
    fail("azure-conflict", {
      problem: `${holder.construct.node.path} already declares a custom role of this name, and names of custom roles are unique in a tenant over all its subscriptions`,
      value: role.name,
      allowed: "one custom role per name and tenant, ignoring case",
      remedy:
        "give the clusters different names, or with ComponentIdentity another roleName; for two tenants state tenantId on both",
    });
}

function identitiesNamed(construct: Construct, { identityName, resourceGroupName }: IdentityPlace): Claim[] {
  const key = `${comparable(resourceGroupName)} ${comparable(identityName)}`;
  return identities.ensure(construct, key, () => []);
}

function rolesNamed(construct: Construct, { name }: RoleName): Claim[] {
  return roles.ensure(construct, comparable(name), () => []);
}

/** A late value is equal only to itself. */
function comparable(name: string): string {
  return isLate(name) ? name : name.toLowerCase();
}

function sameSubscription(one: Claim, other: Claim): boolean {
  const [stack, otherStack] = [TerraformStack.of(one.construct), TerraformStack.of(other.construct)];
  if (stack === otherStack && one.provider === other.provider) return true;
  const provider = one.provider ?? defaultProvider(stack);
  const otherProvider = other.provider ?? defaultProvider(otherStack);
  if (provider === undefined || otherProvider === undefined) return false;
  // A subscription that neither states may come from different environments, such as staging and production.
  if (provider.subscriptionIdInput === undefined) return false;
  return SETTINGS.every((setting) => provider[setting] === otherProvider[setting]);
}

/** Settings that decide which subscription, tenant and cloud a provider uses; others come from the same environment. */
const SETTINGS = ["subscriptionIdInput", "tenantIdInput", "environmentInput", "clientIdInput"] as const;

function tenantOf(construct: Construct, { tenantId, provider }: RoleName): string | undefined {
  const stated = tenantId ?? (provider ?? defaultProvider(construct))?.tenantIdInput;
  return stated === undefined || isLate(stated) ? undefined : stated.toLowerCase();
}
