import { fail } from "../../errors";
import { isLate } from "../../model/late";
import { type ObjectKind, object, optional, text } from "../../model/shape";
import { builtInRoleOfId } from "./roles";
import { isBroadScope, shownScope, statedScope } from "./scope";

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
  /**
   * What limits the role, in Azure's language of conditions, version 2.0; `explain` does not judge what it says.
   *
   * @defaultValue - the role counts without condition
   */
  readonly condition?: string;
}

export const ACCESS_ROLE: ObjectKind<AccessRole> = object({
  role: text,
  scope: text,
  reason: optional(text),
  condition: optional(text),
});

/** Roles that reach everything at their scope. */
const BROAD: readonly string[] = [
  "owner",
  "contributor",
  "user access administrator",
  "role based access control administrator",
];

const DEFINITION = /^(?:\/[^\s{]+)?\/providers\/Microsoft\.Authorization\/roleDefinitions\/([0-9a-f-]{36})$/i;
const REASON_MAX = 1024;

/** Checks roles: what appears twice is taken once. A late scope counts as a broad one, since it may be. */
export function accessRoles(roles: readonly AccessRole[]): readonly AccessRole[] {
  const known = new Map<string, AccessRole>();
  for (const { role, scope, reason, condition } of roles) {
    checkRole(role);
    if (condition?.trim() === "")
      fail("azure-invalid", {
        problem: "condition of a role is empty, and would limit nothing",
        remedy: "state an expression, or leave `condition` out where the role shall always count",
      });
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
    const key = roleKey(role, place);
    if (known.has(key) && known.get(key)?.condition !== condition) contradiction(role, place);
    known.set(key, {
      role,
      scope: place,
      ...(reason !== undefined && { reason }),
      ...(condition !== undefined && { condition }),
    });
  }
  return [...known.values()];
}

/** Azure has one assignment for each principal, role and scope (hashicorp/terraform-provider-azurerm issue 24045). */
function contradiction(role: string, scope: string): never {
  return fail("azure-mismatch", {
    problem: `role ${shownRole(role)} is stated twice at ${shownScope(scope)}, with different conditions or once without; Azure takes one assignment of a role at a scope`,
    value: role,
    allowed: "one condition for a role at a scope of one service account",
    remedy: "state the role once; for pulls name all repositories of a registry in one line of the workloads",
  });
}

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
  const { name = role } = builtInRoleOfId(DEFINITION.exec(role)?.[1] ?? "") ?? {};
  return BROAD.includes(name.toLowerCase());
}

function shownRole(role: string): string {
  return isLate(role) ? "that is known only after apply" : role;
}
