/*
 * Custom roles of a project, and the names of roles that can be granted.
 * Source: REST reference of projects.roles (`roleId`, `title`, `includedPermissions`) and
 * https://cloud.google.com/iam/docs/creating-custom-roles.
 */

import { fail } from "../../errors";
import { literal } from "../../model/late";
import { stableHash } from "../names";
import { writtenReason } from "./reason";

const ROLE_ID = /^[a-zA-Z0-9_.]{3,64}$/;
const ROLE_ID_MAX = 64;
const PERMISSION = /^[a-z][a-zA-Z0-9-]*(?:\.[a-zA-Z0-9_-]+){2,}$/;
const ROLE = /^(?:roles|projects\/[^/\s]+\/roles|organizations\/[0-9]+\/roles)\/[a-zA-Z0-9_.]+$/;

/** https://cloud.google.com/iam/docs/roles-overview, "Basic roles", the older and the newer ones. */
const BASIC: readonly string[] = [
  "roles/owner",
  "roles/editor",
  "roles/viewer",
  "roles/admin",
  "roles/writer",
  "roles/reader",
];

/** What the title of a custom role may have, in characters. */
export const ROLE_TITLE_MAX = 100;

/** Returns the id of a custom role; throws `google-role-id-invalid` or `late-value`. */
export function customRoleId(value: string): string {
  const given = literal(value, "id of a custom role");
  return typeof given === "string" && ROLE_ID.test(given) ? given : fail("google-role-id-invalid", given);
}

/** A custom role id for one cluster: the parts with `_` for what an id cannot hold, and a hash that tells two apart. */
export function derivedRoleId(parts: readonly string[]): string {
  const suffix = `_${stableHash(parts)}`;
  const plain = parts.join("_").replace(/[^a-zA-Z0-9_.]/g, "_");
  return plain.slice(0, ROLE_ID_MAX - suffix.length) + suffix;
}

/** Full name of a project's custom role: `projects/<project>/roles/<id>`. */
export function customRoleName(project: string, roleId: string): string {
  return `projects/${project}/roles/${roleId}`;
}

/** Returns permissions sorted, each once; throws `google-permission-invalid`, or `late-value`. */
export function permissionNames(values: readonly string[]): readonly string[] {
  for (const value of literal(values, "permissions of a custom role"))
    if (typeof value !== "string" || !PERMISSION.test(value)) fail("google-permission-invalid", value);
  return [...new Set(values)].sort();
}

/**
 * Returns the full name of a role: `roles/<name>`, or a custom role of a project or organization.
 *
 * A basic role reaches nearly all of a project, and needs a written reason. Throws `google-role-invalid`,
 * `google-role-basic`, `name-too-long` or `late-value`.
 */
export function grantableRole(value: string, reason?: string): string {
  const given = literal(value, "role");
  if (typeof given !== "string" || !ROLE.test(given)) return fail("google-role-invalid", given);
  const unreasoned = writtenReason(reason) === undefined;
  return unreasoned && BASIC.includes(given) ? fail("google-role-basic", given) : given;
}
