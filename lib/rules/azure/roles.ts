/*
 * What roles allow: built-in ones in registries and in AKS clusters (a role not listed may be custom), and others by
 * their permissions. Source: learn.microsoft.com, "Azure built-in roles" and "Understand Azure role definitions".
 */

import { type Known, type Ternary, and, anyOf, not, whether } from "../../model/known";
import { isLate } from "../../model/late";
import { nearMiss } from "../../model/nearest-name";
import { matchesPattern, patternOf } from "../wildcard";
import type { RoleAssignmentMode } from "./permission";

export interface BuiltInRole {
  readonly name: string;
  /** The last part of its id; empty if it is not listed here. */
  readonly id: string;
  /** The mode of the registries from which it may pull; `undefined` for none, "unknown" if not documented. */
  readonly pulls: RoleAssignmentMode | "unknown" | undefined;
  /** True if it allows anything at the Kubernetes API of an AKS cluster. */
  readonly kubernetes: boolean;
}

const LEGACY = "LegacyRegistryPermissions";

const ABAC = "AbacRepositoryPermissions";

type Row = readonly [pulls: BuiltInRole["pulls"], name: string, id?: string];

const ROWS: readonly Row[] = [
  [LEGACY, "AcrPull", "7f951dda-4ed3-4680-a7ca-43fe172d538d"],
  [LEGACY, "AcrPush", "8311e382-0749-4cb8-b61a-304f252e45ec"],
  [LEGACY, "Reader", "acdd72a7-3385-48ef-bd42-f606fba81ae7"],
  [LEGACY, "Contributor", "b24988ac-6180-42a0-ab88-20f7382dd24c"],
  [LEGACY, "Owner", "8e3af657-a8ff-443c-a75c-2fe8c4bcb635"],
  [ABAC, "Container Registry Repository Reader", "b93aa761-3e63-49ed-ac28-beffa264f7ac"],
  [ABAC, "Container Registry Repository Writer"],
  [ABAC, "Container Registry Repository Contributor"],
  [undefined, "Container Registry Repository Catalog Lister"],
  [undefined, "AcrDelete"],
  [undefined, "AcrImageSigner"],
  [undefined, "Azure Kubernetes Service RBAC Cluster Admin", "b1ff04bb-8a4e-4dc4-8eb5-8693973ce19b"],
  [undefined, "Azure Kubernetes Service RBAC Admin", "3498e952-d568-435e-9b2c-8d77e338d7f7"],
  [undefined, "Azure Kubernetes Service RBAC Reader", "7f6c6a51-bcf8-42ba-9220-52d62157d7db"],
  [undefined, "Azure Kubernetes Service RBAC Writer", "a7ffa36f-339b-4b5c-8bdf-e2c188b2c0eb"],
  [undefined, "Azure Kubernetes Service Cluster Admin Role"],
  [undefined, "Azure Kubernetes Service Cluster User Role"],
  [undefined, "Azure Kubernetes Service Cluster Monitoring User"],
  ["unknown", "Azure Kubernetes Service Contributor Role"],
  // They read everything; no document says whether that includes images.
  ["unknown", "User Access Administrator", "18d7d88d-d35e-4fb5-a5c3-7773c20a72d9"],
  ["unknown", "Role Based Access Control Administrator", "f58310d9-a9f6-439a-9e8d-f62e7b41a168"],
  ["unknown", "Monitoring Contributor"],
  ["unknown", "Monitoring Reader"],
  [undefined, "DNS Zone Contributor"],
  [undefined, "Key Vault Administrator"],
  [undefined, "Key Vault Certificate User"],
  [undefined, "Key Vault Crypto User"],
  [undefined, "Key Vault Reader"],
  [undefined, "Key Vault Secrets Officer"],
  [undefined, "Key Vault Secrets User"],
  [undefined, "Managed Identity Contributor"],
  [undefined, "Managed Identity Operator"],
  [undefined, "Network Contributor"],
  [undefined, "Private DNS Zone Contributor"],
  [undefined, "Storage Account Contributor"],
  [undefined, "Storage Blob Data Contributor"],
  [undefined, "Storage Blob Data Owner"],
  [undefined, "Storage Blob Data Reader"],
  [undefined, "Virtual Machine Contributor"],
];

/** How the names of those begin that allow something at the Kubernetes API of an AKS cluster. */
const KUBERNETES = "Azure Kubernetes Service RBAC ";

const byName = new Map<string, BuiltInRole>();

const byId = new Map<string, BuiltInRole>();

for (const [pulls, name, id = ""] of ROWS) {
  const role = { name, id, pulls, kubernetes: name.startsWith(KUBERNETES) };
  byName.set(name.toLowerCase(), role);
  if (id !== "") byId.set(id, role);
}

const GUID_LENGTH = 36;

/** The built-in role with a name, in any letter case; `undefined` for any other. */
export function builtInRole(name: string): BuiltInRole | undefined {
  return byName.get(name.toLowerCase());
}

/** Built-in roles, each of which allows all that those before it allow. Source: learn.microsoft.com, "Azure built-in roles". */
const GROWING: readonly (readonly string[])[] = [
  ["Reader", "Contributor", "Owner"],
  ["AcrPull", "AcrPush"],
  ["Key Vault Secrets User", "Key Vault Secrets Officer"],
  ["Storage Blob Data Reader", "Storage Blob Data Contributor", "Storage Blob Data Owner"],
].map((names) => names.map((name) => name.toLowerCase()));

/** Whether a built-in role allows all that another does, and more. */
export function isLargerRole(role: string, than: string): boolean {
  const [own, other] = [role.toLowerCase(), than.toLowerCase()];
  return GROWING.some((names) => names.includes(other) && names.indexOf(own) > names.indexOf(other));
}

/** A warning about roles that are not built-in, but whose names nearly are; a custom role may be meant. */
export function roleWarnings(roles: readonly string[]): readonly string[] {
  const known = ROWS.map(([, name]) => name);
  return [...new Set(roles)].flatMap((role) => {
    const nearest = isLate(role) || role.startsWith("/") ? undefined : nearMiss(role, known, "ignored");
    return nearest === undefined
      ? []
      : [
          `role ${role} is not a built-in role that this library knows, but ${nearest} is; apply fails unless it is a custom role: correct it if ${nearest} is meant`,
        ];
  });
}

/** The built-in role with a definition's id, whatever precedes the last part; `undefined` for any other. */
export function builtInRoleOfId(id: string): BuiltInRole | undefined {
  return byId.get(id.slice(-GUID_LENGTH).toLowerCase());
}

/** A list of operations, of which some or all may be unknown. */
export type Operations = Known<readonly Known<string>[]>;

/** One block of permissions: the lists, minus the corresponding `not` lists. */
export interface RolePermissions {
  /** Actions, `*` for any text. */
  readonly actions: Operations;
  readonly notActions: Operations;
  readonly dataActions: Operations;
  readonly notDataActions: Operations;
}

export type OperationList = "actions" | "dataActions";

const WITHOUT = { actions: "notActions", dataActions: "notDataActions" } as const;

/** Whether permissions include an operation; ignores letter case. */
export function permits(
  permissions: readonly RolePermissions[],
  operation: string,
  list: OperationList,
): Ternary {
  return anyOf(
    permissions.map((each) => and(lists(each[list], operation), not(lists(each[WITHOUT[list]], operation)))),
  );
}

export function lists(operations: Operations, operation: string): Ternary {
  const wanted = operation.toLowerCase();
  const covers = (pattern: string): boolean =>
    matchesPattern(patternOf(pattern.toLowerCase()), wanted) === true;
  return whether(operations, (patterns) => anyOf(patterns.map((pattern) => whether(pattern, covers))));
}
