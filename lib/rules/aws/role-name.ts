/*
 * Names, paths and descriptions of IAM roles. Source: CreateRole in the IAM API reference and the IAM quotas.
 */

import { fail } from "../../errors";
import { literal } from "../../model/late";
import { type NameRules, derivedName, stableHash } from "../names";

const NAME_MAX = 64;
const PATH_MAX = 512;
const DESCRIPTION_MAX = 1000;
const NAME = /^[\w+=,.@-]+$/;
const PATH = /^\/(?:[\x21-\x7e]+\/)?$/;
const DESCRIPTION = /^[\t\n\r\x20-\x7e\xa1-\xff]+$/;

/** `_` joins: it occurs in no cluster, namespace or service account name, so that the usual name needs no hash. */
const RULES: NameRules = { max: NAME_MAX, allowed: /[\w+=,.@-]/, separator: "_" };

/**
 * Returns a role name as IAM accepts it; over 64 characters it is cut and ends with a hash of the whole name.
 *
 * Throws `aws-role-name-invalid` or `late-value`.
 */
export function roleName(name: string): string {
  literal(name, "name of the IAM role");
  if (typeof name !== "string" || !NAME.test(name)) return fail("aws-role-name-invalid", name);
  if (name.length <= NAME_MAX) return name;
  const suffix = `_${stableHash([name])}`;
  return name.slice(0, NAME_MAX - suffix.length) + suffix;
}

/**
 * `<prefix><part>_<part>_…` within 64 characters; different parts never give one name.
 *
 * Throws `aws-role-name-invalid` for a prefix that leaves no room or has characters that IAM refuses.
 */
export function derivedRoleName(parts: readonly string[], prefix = ""): string {
  literal(prefix, "prefix of IAM role names");
  const tooLong = prefix.length > NAME_MAX / 2;
  if (prefix !== "" && (tooLong || !NAME.test(prefix))) return fail("aws-role-name-invalid", prefix);
  return prefix + derivedName(parts, { ...RULES, max: NAME_MAX - prefix.length });
}

/** Returns a path that begins and ends with a slash, at most 512 characters; throws `aws-path-invalid` or `late-value`. */
export function rolePath(path: string): string {
  literal(path, "path of the IAM role");
  return typeof path === "string" && path.length <= PATH_MAX && PATH.test(path)
    ? path
    : fail("aws-path-invalid", path);
}

/** Returns a description of 1 to 1000 Latin-1 characters; throws `aws-description-invalid` or `late-value`. */
export function roleDescription(description: string, what: string): string {
  literal(description, what);
  const usable =
    typeof description === "string" &&
    description.trim() !== "" &&
    description.length <= DESCRIPTION_MAX &&
    DESCRIPTION.test(description);
  return usable ? description : fail("aws-description-invalid", what, description);
}
