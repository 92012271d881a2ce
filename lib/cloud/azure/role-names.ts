/*
 * Names of custom roles across an app. A tenant has one custom role of a name over all its subscriptions
 * (learn.microsoft.com, "Azure custom roles"); a second one fails only while applying.
 */

import type { AzurermProvider } from "@cdktf/provider-azurerm/lib/provider/index.js";
import type { Construct } from "constructs";
import { fail } from "../../errors";
import { isLate } from "../../model/late";
import { PerApp } from "../shared/per-app";
import { defaultProvider } from "./provider-place";

/** A custom role, and what is known of its tenant. */
export interface RoleName {
  /** Name of the role; may be late. */
  readonly name: string;
  /**
   * Tenant, a GUID.
   *
   * @defaultValue - that of the provider, where it states one
   */
  readonly tenantId?: string | undefined;
  /**
   * The Terraform provider.
   *
   * @defaultValue - the stack's default azurerm provider
   */
  readonly provider?: AzurermProvider | undefined;
}

interface Claim {
  readonly construct: Construct;
  readonly tenantId: string | undefined;
}

const claims = new PerApp<Claim[]>();

/** Remembers the name of a declared role. */
export function claimRoleName(construct: Construct, role: RoleName): void {
  const key = comparable(role.name);
  const tenantId = tenantOf(construct, role);
  claims.set(construct, key, [...(claims.get(construct, key) ?? []), { construct, tenantId }]);
}

/**
 * Refuses the name of a role that the app declares already, unless the two are known to be in two tenants; throws
 * `azure-role-name-taken`.
 */
export function refuseTakenRoleName(construct: Construct, role: RoleName): void {
  const own = tenantOf(construct, role);
  const holder = claims
    .get(construct, comparable(role.name))
    ?.find(({ tenantId }) => tenantId === undefined || own === undefined || tenantId === own);
  if (holder)
    fail("azure-conflict", {
      problem: `${holder.construct.node.path} already declares a custom role of this name, and a tenant has one of a name over all its subscriptions`,
      value: role.name,
      allowed: "one custom role per name and tenant, letter case aside",
      remedy:
        "give the clusters different names, or with ComponentIdentity another roleName; for two tenants state tenantId on both",
    });
}

/** A late name is equal only to itself. */
function comparable(name: string): string {
  return isLate(name) ? name : name.toLowerCase();
}

function tenantOf(construct: Construct, { tenantId, provider }: RoleName): string | undefined {
  const stated = tenantId ?? (provider ?? defaultProvider(construct))?.tenantIdInput;
  return stated === undefined || isLate(stated) ? undefined : stated.toLowerCase();
}
