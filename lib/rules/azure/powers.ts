/*
 * Roles of Azure with which their holder gets other rights. Source: learn.microsoft.com, "Azure built-in roles" and "Azure
 * permissions for Management and governance".
 */

import { powerIn, type Power, type PowerRow } from "../powers";
import { permits, type RolePermissions } from "./roles";

const ROLES: readonly PowerRow[] = [
  ["admin", /^Owner$/i, "it may do everything, and give anyone any role"],
  ["admin", /^Contributor$/i, "it may change everything but who has access"],
  [
    "admin",
    /^(?:User Access Administrator|Role Based Access Control Administrator)$/i,
    "it may give anyone any role",
  ],
  [
    "admin",
    /^Azure Kubernetes Service (?:RBAC Cluster Admin|Cluster Admin Role)$/i,
    "it may do everything in the cluster",
  ],
  ["others", /^Managed Identity (?:Contributor|Operator)$/i, "it may have others act as managed identities"],
];

const OPERATIONS: readonly (readonly [Power["danger"], operation: string, says: string])[] = [
  ["admin", "Microsoft.Authorization/roleAssignments/write", "it may give anyone any role"],
  ["admin", "Microsoft.Authorization/roleDefinitions/write", "it may change what roles allow"],
  [
    "issuer",
    "Microsoft.ManagedIdentity/userAssignedIdentities/federatedIdentityCredentials/write",
    "it may have managed identities trust other issuers",
  ],
  [
    "others",
    "Microsoft.ManagedIdentity/userAssignedIdentities/assign/action",
    "it may have others act as managed identities",
  ],
];

/** What a role amounts to, by its permissions where these are known, or by its name. */
export function powerOfRole(name: string, permissions: readonly RolePermissions[] = []): Power | undefined {
  const [danger, , says] =
    OPERATIONS.find(([, operation]) => permits(permissions, operation, "actions") === "yes") ?? [];
  return danger && says !== undefined ? { danger, says } : powerIn(ROLES, name);
}
