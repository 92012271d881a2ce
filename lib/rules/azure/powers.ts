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

/**
 * Source: learn.microsoft.com, "Microsoft Entra built-in roles" and "Microsoft Graph permissions reference". Assignments
 * name them by id, or by an expression with the name.
 */
const DIRECTORY: readonly PowerRow[] = [
  [
    "admin",
    /Global Administrator|62e90394-69f5-4237-9190-012177145e10/i,
    "it may do everything in the tenant",
  ],
  [
    "admin",
    /Privileged Role Administrator|e8611ab8-c189-46e8-94e1-60213ab1f814|Privileged Authentication Administrator|7be44c8a-adaf-4e2a-84d6-ab2649e08a13|RoleManagement\.ReadWrite\.Directory|9e3f62cf-ca93-4989-b6ce-bf83c28f9fe8|AppRoleAssignment\.ReadWrite\.All|06b708a9-e830-4db3-a914-8e69da51d44f/i,
    "it may give itself any right in the tenant",
  ],
  [
    "issuer",
    /Application Administrator|9b895d92-2cd3-44c7-9d02-a6ac2d5ea5c3|158c047a-c907-4556-b7ef-446551a6b5f7|Hybrid Identity Administrator|8ac3fc64-6eca-42ea-9e69-59f4c7b60eb2|Application\.ReadWrite\.All|1bfefb4e-e0b5-418b-a88f-73c46d2cc8e9/i,
    "it may have applications trust other issuers, and act as them",
  ],
  [
    "others",
    /User Administrator|fe930be7-5e62-47db-91af-98c3a49a38b1|Directory\.ReadWrite\.All|19dbc75e-c2e2-444c-a770-ec69d8559fc7/i,
    "it may change users and groups, and with these what they may do",
  ],
];

/** What a role of Entra or a permission of Microsoft Graph amounts to. */
export function powerOfDirectoryRole(text: string): Power | undefined {
  return powerIn(DIRECTORY, text);
}

/** What a role amounts to, by its permissions where these are known, or by its name. */
export function powerOfRole(name: string, permissions: readonly RolePermissions[] = []): Power | undefined {
  const [danger, , says] =
    OPERATIONS.find(([, operation]) => permits(permissions, operation, "actions") === "yes") ?? [];
  return danger && says !== undefined ? { danger, says } : powerIn(ROLES, name);
}
