/*
 * Roles that workloads are given. Source of names and GUIDs: learn.microsoft.com, "Azure built-in roles".
 */

import { fail } from "../../errors";
import { isLate } from "../../model/late";
import { isRoleName } from "./role-name";
import { isBroadScope, shownScope, statedScope } from "./role-scope";
import { type ObjectKind, object, optional, text } from "../../model/shape";

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

/**
 * Checks roles: what stands twice is taken once.
 *
 * A late scope counts as a broad one, since it may be. Throws `azure-role-invalid`, `azure-scope-invalid`,
 * `azure-role-broad` or `azure-reason-invalid`.
 */
export function accessRoles(roles: readonly AccessRole[]): readonly AccessRole[] {
  const known = new Map<string, AccessRole>();
  for (const { role, scope, reason } of roles) {
    checkRole(role);
    const place = isLate(scope) ? scope : statedScope(scope);
    if (reason !== undefined) checkReason(reason);
    else if (isBroad(role) && isBroadScope(place))
      fail("azure-role-broad", shownRole(role), shownScope(place));
    known.set(roleKey(role, place), { role, scope: place, ...(reason !== undefined && { reason }) });
  }
  return [...known.values()];
}

/** Refuses a reason that says nothing; throws `azure-reason-invalid`. */
export function checkReason(reason: string): void {
  const valid = typeof reason === "string" && !isLate(reason) && reason.trim() !== "";
  if (!valid || reason.length > REASON_MAX) fail("azure-reason-invalid", reason, REASON_MAX);
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
  if (!isRoleName(role) && !(typeof role === "string" && DEFINITION.test(role)))
    fail("azure-role-invalid", role);
}

function isBroad(role: string): boolean {
  if (isLate(role)) return true;
  const name = BROAD[DEFINITION.exec(role)?.[1]?.toLowerCase() ?? ""] ?? role.toLowerCase();
  return BROAD_NAMES.includes(name);
}

function shownRole(role: string): string {
  return isLate(role) ? "that is known only after apply" : role;
}
