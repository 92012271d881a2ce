import { fail } from "../../errors";
import { isLate } from "../../model/late";
import { type ObjectKind, example, object, optional, text } from "../../model/shape";
import { guid } from "./names";
import { builtInRoleOfId } from "./roles";
import { isBroadScope, shownScope, statedScope } from "./scope";

/** Maximum length of a custom role's name: learn.microsoft.com, "Azure custom roles". */
const ROLE_NAME_MAX = 512;

/** Terraform would read these as the start of a template; no role of Azure has them in its name. */
const TEMPLATE = /[$%]\{/;

/** True for a text that can be the name of a built-in or custom role. */
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
   * is treated as an id.
   */
  readonly role: string;
  /** Resource id of its scope: a resource, a resource group, a subscription or a management group; may be late. */
  readonly scope: string;
  /**
   * Why a role with access to everything is needed at a subscription or a management group. Applies to `Owner`,
   * `Contributor`, `User Access Administrator`, `Role Based Access Control Administrator`, and to a late role, which
   * may be one of them. Becomes the description of the assignment.
   *
   * @defaultValue - none; such an assignment is refused
   */
  readonly reason?: string;
  /**
   * Condition that limits the role, in Azure's condition language, version 2.0; `explain` does not evaluate it.
   *
   * @defaultValue - the role applies without a condition
   */
  readonly condition?: string;
  /**
   * GUID of the role assignment if it exists; it is then imported.
   *
   * @defaultValue - the role assignment is created
   */
  readonly assignment?: string;
}

export const ACCESS_ROLE: ObjectKind<AccessRole> = object({
  role: example(text, '"Storage Blob Data Reader"'),
  scope: text,
  reason: optional(text),
  condition: optional(text),
  assignment: optional(text),
});

/** Roles with access to everything at their scope. */
const BROAD: readonly string[] = [
  "owner",
  "contributor",
  "user access administrator",
  "role based access control administrator",
];

const DEFINITION = /^(?:\/[^\s{]+)?\/providers\/Microsoft\.Authorization\/roleDefinitions\/([0-9a-f-]{36})$/i;
const REASON_MAX = 1024;

/** Checks roles and drops duplicates. A late scope counts as broad, since it may be. */
export function accessRoles(roles: readonly AccessRole[]): readonly AccessRole[] {
  const known = new Map<string, AccessRole>();
  for (const { role, scope, reason, condition, assignment } of roles) {
    checkRole(role);
    if (assignment !== undefined) guid("role assignment", assignment);
    if (condition?.trim() === "")
      fail("azure-invalid", {
        problem: "the condition of a role is empty, so it would not limit anything",
        remedy: "state an expression, or remove `condition` if the role should always apply",
      });
    const place = isLate(scope) ? scope : statedScope(scope);
    if (reason !== undefined) checkReason(reason);
    else if (isBroad(role) && isBroadScope(place))
      fail("azure-unsafe", {
        problem: `the role ${shownRole(role)} would give access to everything in ${shownScope(place)}, but no reason is stated`,
        value: shownRole(role),
        allowed: "a role for the service in question, this role at a resource group or below, or a `reason`",
        remedy:
          "use a narrower role or scope, or state a `reason`, which becomes the description of the assignment",
      });
    const key = roleKey(role, place);
    if (known.has(key) && known.get(key)?.condition !== condition) contradiction(role, place);
    known.set(key, {
      role,
      scope: place,
      ...(reason !== undefined && { reason }),
      ...(condition !== undefined && { condition }),
      ...(assignment !== undefined && { assignment }),
    });
  }
  return [...known.values()];
}

/** Azure allows one assignment per principal, role and scope (hashicorp/terraform-provider-azurerm issue 24045). */
function contradiction(role: string, scope: string): never {
  return fail("azure-mismatch", {
    problem: `the role ${shownRole(role)} is stated twice at ${shownScope(scope)}, with different conditions or once without; Azure allows one assignment of a role at a scope`,
    value: role,
    allowed: "for each service account, one condition per role and scope",
    remedy:
      "state the role once; for pulls, name all repositories of a registry in one entry of the workloads",
  });
}

export function checkReason(reason: string): void {
  const valid = typeof reason === "string" && !isLate(reason) && reason.trim() !== "";
  if (!valid || reason.length > REASON_MAX)
    fail("azure-invalid", {
      problem: "`reason` is empty or too long",
      value: reason,
      allowed: `1 to ${REASON_MAX} characters, known at synth`,
      remedy: "explain in one sentence why the role is needed there",
    });
}

/** A text that is equal exactly for the same role at the same scope, as far as is known at synth. */
export function roleKey(role: string, scope: string): string {
  return [role, scope].map((part) => (isLate(part) ? part : part.toLowerCase())).join(" at ");
}

/** True for a role that is stated by the id of its definition. */
export function isRoleDefinitionId(role: string): boolean {
  return isLate(role) || role.startsWith("/");
}

function checkRole(role: string): void {
  if (isLate(role)) return;
  if (!isRoleName(role) && !(typeof role === "string" && DEFINITION.test(role))) invalidRole(role);
}

export function invalidRole(value: unknown): never {
  return fail("azure-invalid", {
    problem: "the role is neither a name nor the id of a role definition",
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
