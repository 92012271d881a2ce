/*
 * Roles that workloads are given. Source of names and GUIDs: learn.microsoft.com, "Azure built-in roles".
 */

/*
 * What built-in roles of Azure allow in registries and in AKS clusters. A role that is not here may be a custom one.
 *
 * Source: learn.microsoft.com, "Azure built-in roles", and "Azure Container Registry permissions and role assignments
 * overview".
 */

/*
 * What the permissions of a role allow. Source: learn.microsoft.com, "Understand Azure role definitions".
 */

import { fail } from "../../errors";
import { type Known, type Ternary, and, match, not, or } from "../../model/known";
import { isLate } from "../../model/late";
import { type ObjectKind, object, optional, text } from "../../model/shape";
import { matchesPattern, patternOf } from "../wildcard";
import { isBroadScope, shownScope, statedScope } from "./ids";
import type { RoleAssignmentMode } from "./permission";

/** Greatest length of the name of a custom role: learn.microsoft.com, "Azure custom roles". */
const ROLE_NAME_MAX = 512;

/** Terraform would read these as the beginning of a template; no role of Azure has them in its name. */
const TEMPLATE = /[$%]\{/;

/** True for what can be the name of a built-in or custom role. */
export function isRoleName(value: unknown): value is string {
  return (
    typeof value === "string" &&
    value !== "" &&
    value.length <= ROLE_NAME_MAX &&
    value.trim() === value &&
    !value.startsWith("/") &&
    !TEMPLATE.test(value)
  );
}

/** A role at a scope. */
export interface AccessRole {
  /**
   * Name of a built-in or custom role (`Storage Blob Data Reader`), or resource id of a role definition; a late value
   * is taken for an id.
   */
  readonly role: string;
  /** Resource id of what it counts for: a resource, a resource group, a subscription, a management group; may be late. */
  readonly scope: string;
  /**
   * Why one of the roles that reach everything is needed at a subscription or a management group: `Owner`,
   * `Contributor`, `User Access Administrator`, `Role Based Access Control Administrator`, or a late one, which may be
   * one of them. Becomes the description of the assignment.
   *
   * @defaultValue - none; such an assignment is refused
   */
  readonly reason?: string;
}

/** The kind of {@link AccessRole}. */
export const ACCESS_ROLE: ObjectKind<AccessRole> = object({
  role: text,
  scope: text,
  reason: optional(text),
});

/** Roles that reach everything at their scope, by the last part of their definitions' ids. */
const BROAD: Readonly<Record<string, string>> = {
  "8e3af657-a8ff-443c-a75c-2fe8c4bcb635": "owner",
  "b24988ac-6180-42a0-ab88-20f7382dd24c": "contributor",
  "18d7d88d-d35e-4fb5-a5c3-7773c20a72d9": "user access administrator",
  "f58310d9-a9f6-439a-9e8d-f62e7b41a168": "role based access control administrator",
};
const BROAD_NAMES: readonly string[] = Object.values(BROAD);
const DEFINITION = /^(?:\/[^\s{]+)?\/providers\/Microsoft\.Authorization\/roleDefinitions\/([0-9a-f-]{36})$/i;
const REASON_MAX = 1024;

/** Checks roles: what stands twice is taken once. A late scope counts as a broad one, since it may be. */
export function accessRoles(roles: readonly AccessRole[]): readonly AccessRole[] {
  const known = new Map<string, AccessRole>();
  for (const { role, scope, reason } of roles) {
    checkRole(role);
    const place = isLate(scope) ? scope : statedScope(scope);
    if (reason !== undefined) checkReason(reason);
    else if (isBroad(role) && isBroadScope(place))
      fail("azure-unsafe", {
        problem: `role ${shownRole(role)} would reach everything in ${shownScope(place)}, and no reason is stated`,
        value: shownRole(role),
        allowed:
          "a role of the service that is used, this role at a resource group or below, or a written `reason`",
        remedy:
          "name a narrower role or scope; otherwise state the reason, which is written beside the assignment",
      });
    known.set(roleKey(role, place), { role, scope: place, ...(reason !== undefined && { reason }) });
  }
  return [...known.values()];
}

/** Refuses a reason that says nothing. */
export function checkReason(reason: string): void {
  const valid = typeof reason === "string" && !isLate(reason) && reason.trim() !== "";
  if (!valid || reason.length > REASON_MAX)
    fail("azure-invalid", {
      problem: "reason says nothing, or is too long",
      value: reason,
      allowed: `1 to ${REASON_MAX} characters, known at synth`,
      remedy: "write in a sentence why the role is needed there",
    });
}

/** A text that is equal exactly for one role at one scope, as far as can be seen at synth. */
export function roleKey(role: string, scope: string): string {
  return [role, scope].map((part) => (isLate(part) ? part : part.toLowerCase())).join(" at ");
}

/** True where a role is given as the id of its definition. */
export function isRoleDefinitionId(role: string): boolean {
  return isLate(role) || role.startsWith("/");
}

function checkRole(role: string): void {
  if (isLate(role)) return;
  if (!isRoleName(role) && !(typeof role === "string" && DEFINITION.test(role))) invalidRole(role);
}

/** Refuses what is no role. */
export function invalidRole(value: unknown): never {
  return fail("azure-invalid", {
    problem: "role is neither a name nor the id of a role definition",
    value,
    allowed:
      "a name such as Storage Blob Data Reader, or an id that ends with /providers/Microsoft.Authorization/roleDefinitions/<GUID>",
    remedy: "copy it from `az role definition list --query [].roleName`",
  });
}

function isBroad(role: string): boolean {
  if (isLate(role)) return true;
  const name = BROAD[DEFINITION.exec(role)?.[1]?.toLowerCase() ?? ""] ?? role.toLowerCase();
  return BROAD_NAMES.includes(name);
}

function shownRole(role: string): string {
  return isLate(role) ? "that is known only after apply" : role;
}

/** A built-in role. */
export interface BuiltInRole {
  /** Its name. */
  readonly name: string;
  /** The last part of its id; empty where it is not known here. */
  readonly id: string;
  /** The mode of the registries where it lets pull; `undefined` where it does in none, "unknown" where that is not documented. */
  readonly pulls: RoleAssignmentMode | "unknown" | undefined;
  /** True where it allows anything at the Kubernetes API of an AKS cluster. */
  readonly kubernetes: boolean;
}

const LEGACY = "LegacyRegistryPermissions";
const ABAC = "AbacRepositoryPermissions";

type Row = readonly [pulls: BuiltInRole["pulls"], kubernetes: boolean, name: string, id?: string];

const ROWS: readonly Row[] = [
  [LEGACY, false, "AcrPull", "7f951dda-4ed3-4680-a7ca-43fe172d538d"],
  [LEGACY, false, "AcrPush", "8311e382-0749-4cb8-b61a-304f252e45ec"],
  [LEGACY, false, "Reader", "acdd72a7-3385-48ef-bd42-f606fba81ae7"],
  [LEGACY, false, "Contributor", "b24988ac-6180-42a0-ab88-20f7382dd24c"],
  [LEGACY, false, "Owner", "8e3af657-a8ff-443c-a75c-2fe8c4bcb635"],
  [ABAC, false, "Container Registry Repository Reader", "b93aa761-3e63-49ed-ac28-beffa264f7ac"],
  [ABAC, false, "Container Registry Repository Writer"],
  [ABAC, false, "Container Registry Repository Contributor"],
  [undefined, false, "Container Registry Repository Catalog Lister"],
  [undefined, false, "AcrDelete"],
  [undefined, false, "AcrImageSigner"],
  [undefined, true, "Azure Kubernetes Service RBAC Cluster Admin", "b1ff04bb-8a4e-4dc4-8eb5-8693973ce19b"],
  [undefined, true, "Azure Kubernetes Service RBAC Admin", "3498e952-d568-435e-9b2c-8d77e338d7f7"],
  [undefined, true, "Azure Kubernetes Service RBAC Reader", "7f6c6a51-bcf8-42ba-9220-52d62157d7db"],
  [undefined, true, "Azure Kubernetes Service RBAC Writer", "a7ffa36f-339b-4b5c-8bdf-e2c188b2c0eb"],
  [undefined, false, "Azure Kubernetes Service Cluster Admin Role"],
  [undefined, false, "Azure Kubernetes Service Cluster User Role"],
  [undefined, false, "Azure Kubernetes Service Cluster Monitoring User"],
  ["unknown", false, "Azure Kubernetes Service Contributor Role"],
  // They read everything, and nothing says whether that holds for images.
  ["unknown", false, "User Access Administrator", "18d7d88d-d35e-4fb5-a5c3-7773c20a72d9"],
  ["unknown", false, "Role Based Access Control Administrator", "f58310d9-a9f6-439a-9e8d-f62e7b41a168"],
  ["unknown", false, "Monitoring Contributor"],
  ["unknown", false, "Monitoring Reader"],
  [undefined, false, "DNS Zone Contributor"],
  [undefined, false, "Key Vault Administrator"],
  [undefined, false, "Key Vault Certificate User"],
  [undefined, false, "Key Vault Crypto User"],
  [undefined, false, "Key Vault Reader"],
  [undefined, false, "Key Vault Secrets Officer"],
  [undefined, false, "Key Vault Secrets User"],
  [undefined, false, "Managed Identity Contributor"],
  [undefined, false, "Managed Identity Operator"],
  [undefined, false, "Network Contributor"],
  [undefined, false, "Private DNS Zone Contributor"],
  [undefined, false, "Storage Account Contributor"],
  [undefined, false, "Storage Blob Data Contributor"],
  [undefined, false, "Storage Blob Data Owner"],
  [undefined, false, "Storage Blob Data Reader"],
  [undefined, false, "Virtual Machine Contributor"],
];

const byName = new Map<string, BuiltInRole>();
const byId = new Map<string, BuiltInRole>();
for (const [pulls, kubernetes, name, id = ""] of ROWS) {
  const role = { name, id, pulls, kubernetes };
  byName.set(name.toLowerCase(), role);
  if (id !== "") byId.set(id, role);
}

const GUID_LENGTH = 36;

/** The built-in role of a name, in any letter case; `undefined` for any other. */
export function builtInRole(name: string): BuiltInRole | undefined {
  return byName.get(name.toLowerCase());
}

/** The built-in role of a definition's id, whatever stands before its last part; `undefined` for any other. */
export function builtInRoleOfId(id: string): BuiltInRole | undefined {
  return byId.get(id.slice(-GUID_LENGTH).toLowerCase());
}

/** A list of operations, of which one or all may not be known. */
export type Operations = Known<readonly Known<string>[]>;

/** One block of permissions: the lists, less those of `not`. */
export interface RolePermissions {
  /** Actions, `*` for any text. */
  readonly actions: Operations;
  /** Actions taken away again. */
  readonly notActions: Operations;
  /** Data actions. */
  readonly dataActions: Operations;
  /** Data actions taken away again. */
  readonly notDataActions: Operations;
}

/** The lists that allow. */
export type OperationList = "actions" | "dataActions";

const WITHOUT = { actions: "notActions", dataActions: "notDataActions" } as const;

/** Whether permissions hold an operation; letter case does not count. */
export function permits(
  permissions: readonly RolePermissions[],
  operation: string,
  list: OperationList,
): Ternary {
  return or(
    ...permissions.map((each) =>
      and(lists(each[list], operation), not(lists(each[WITHOUT[list]], operation))),
    ),
  );
}

/** Whether a list holds an operation. */
export function lists(operations: Operations, operation: string): Ternary {
  return match(
    operations,
    (patterns) => or(...patterns.map((pattern) => matchesOperation(pattern, operation))),
    () => "unknown",
  );
}

function matchesOperation(pattern: Known<string>, operation: string): Ternary {
  return match(
    pattern,
    (text) => (matchesPattern(patternOf(text.toLowerCase()), operation.toLowerCase()) ? "yes" : "no"),
    () => "unknown",
  );
}
