/*
 * Names of declared identities across an app. Azure has one identity of a name in a resource group, and compares both
 * without regard to letter case; a second declaration fails only while applying, or takes the first one over.
 */

import type { AzurermProvider } from "@cdktf/provider-azurerm/lib/provider/index.js";
import { TerraformStack } from "cdktf";
import type { IConstruct } from "constructs";
import { fail } from "../../errors";
import { isLate } from "../../model/late";
import { defaultProvider } from "./provider-place";

/** Where an identity will be, and under which name. */
export interface IdentityPlace {
  /** Name of the identity; may be late. */
  readonly identityName: string;
  /** Its resource group; may be late. */
  readonly resourceGroupName: string;
  /**
   * The Terraform provider of the subscription.
   *
   * @defaultValue - the stack's default azurerm provider
   */
  readonly provider?: AzurermProvider;
}

interface Claim {
  readonly construct: IConstruct;
  readonly provider: AzurermProvider | undefined;
}

const apps = new WeakMap<IConstruct, Map<string, Claim[]>>();

/** Remembers the name of a declared identity. */
export function claimName(construct: IConstruct, place: IdentityPlace): void {
  claimsOf(construct, place).push({ construct, provider: place.provider });
}

/**
 * Refuses the name of an identity that another construct of the app declares in the same resource group of the same
 * subscription; throws `azure-identity-name-taken`.
 *
 * Two stacks are of one subscription when their azurerm providers state the same one; a provider that is added to its
 * stack later than the identities is not seen.
 */
export function refuseTakenName(construct: IConstruct, place: IdentityPlace): void {
  const own = { construct, provider: place.provider };
  const holder = claimsOf(construct, place).find((other) => sameSubscription(own, other));
  if (holder)
    fail("azure-conflict", {
      problem: `${holder.construct.node.path} already declares a user-assigned identity of this name in resource group ${place.resourceGroupName}`,
      value: place.identityName,
      allowed: "one identity per name and resource group, letter case aside",
      remedy:
        "give one of the two another identityName (with pullIdentities another namePrefix or resourceGroupName), or adopt the identity with PullIdentity.fromResourceId",
    });
}

function claimsOf(construct: IConstruct, { identityName, resourceGroupName }: IdentityPlace): Claim[] {
  const { root } = construct.node;
  const claims = apps.get(root) ?? new Map<string, Claim[]>();
  apps.set(root, claims);
  const key = `${comparable(resourceGroupName)} ${comparable(identityName)}`;
  const known = claims.get(key) ?? [];
  claims.set(key, known);
  return known;
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
  // What neither states may come from environments that differ, as for staging and production.
  if (provider.subscriptionIdInput === undefined) return false;
  return SETTINGS.every((setting) => provider[setting] === otherProvider[setting]);
}

/** What decides which subscription, tenant and cloud a provider speaks to; what else is not stated comes from one environment. */
const SETTINGS = ["subscriptionIdInput", "tenantIdInput", "environmentInput", "clientIdInput"] as const;
