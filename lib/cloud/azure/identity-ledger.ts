import type { FederatedIdentityCredential } from "@cdktf/provider-azurerm/lib/federated-identity-credential/index.js";
import type { RoleAssignment } from "@cdktf/provider-azurerm/lib/role-assignment/index.js";
import type { Construct } from "constructs";
import { isLate } from "../../model/late";
import type { FederatedCredential } from "../../rules/azure/trust";
import type { RegistryPull } from "../../rules/azure/permission";
import { PerStack } from "../shared/per-stack";

/** The federated identity credentials that one stack has declared on one identity. */
export interface CredentialLedger {
  /** Credentials in the order in which they are written. */
  readonly credentials: FederatedCredential[];
  /** Their resources, in the same order. */
  readonly resources: FederatedIdentityCredential[];
}

/**
 * What one stack has declared on one identity that pulls.
 *
 * Azure counts and serialises per identity, not per construct, so constructs that adopt the same identity share
 * one ledger: one chain of credentials, one role assignment per registry.
 */
export interface IdentityLedger extends CredentialLedger {
  /** Everything that was granted. */
  readonly pulls: RegistryPull[];
  /** The role assignments by the registry's own host. */
  readonly assignments: Map<string, RoleAssignment>;
}

const ledgers = new PerStack<IdentityLedger>();

/** A ledger of its own, for an identity that nobody else can name. */
export function newLedger(): IdentityLedger {
  return { credentials: [], resources: [], pulls: [], assignments: new Map() };
}

/** The stack's ledger for a resource id; late ids cannot be compared and get a ledger each. */
export function ledgerOf(scope: Construct, resourceId: string): IdentityLedger {
  if (isLate(resourceId)) return newLedger();
  const key = resourceId.toLowerCase();
  return ledgers.get(scope, key) ?? ledgers.set(scope, key, newLedger());
}
