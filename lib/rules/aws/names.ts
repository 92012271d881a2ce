/*
 * Names, paths and descriptions of IAM roles, tags, and the `--name` that `ccoctl aws` was given. Sources: CreateRole in
 * the IAM API reference, the IAM quotas, "Tagging rules and quotas" of the Tag Editor user guide (50 per resource, `aws:`
 * reserved), "Object tagging" of the S3 user guide (10 per object).
 */

import { fail, type Problem } from "../../errors";
import { literal, isLate } from "../../model/late";
import { type NameRules, derivedName, stableHash, checkedText } from "../names";
import { terraformText } from "../terraform-text";

const NAME_MAX = 64;
const DESCRIPTION_MAX = 1000;
const NAME = /^[\w+=,.@-]+$/;
const PATH = /^\/(?:[\x21-\x7e]{1,510}\/)?$/;
const DESCRIPTION = /^[\t\n\r\x20-\x7e\xa1-\xff]+$/;

/** The separator `_` occurs in no cluster, namespace or service account name, so the usual name needs no hash. */
const RULES: NameRules = { max: NAME_MAX, allowed: /[\w+=,.@-]/, separator: "_" };

/** Returns a role name as IAM accepts it; over 64 characters it is cut and ends with a hash of the whole name. */
export function roleName(name: string): string {
  literal(name, "name of the IAM role");
  if (typeof name !== "string" || !NAME.test(name)) return fail("aws-invalid", noRoleName(name));
  if (name.length <= NAME_MAX) return name;
  const suffix = `_${stableHash([name])}`;
  return name.slice(0, NAME_MAX - suffix.length) + suffix;
}

/** `<prefix><part>_<part>_…` within 64 characters; different parts never yield the same name. */
export function derivedRoleName(parts: readonly string[], prefix = ""): string {
  literal(prefix, "prefix of IAM role names");
  const tooLong = prefix.length > NAME_MAX / 2;
  if (prefix !== "" && (tooLong || !NAME.test(prefix))) return fail("aws-invalid", noRoleName(prefix));
  return prefix + derivedName(parts, { ...RULES, max: NAME_MAX - prefix.length });
}

/** Returns a path that begins and ends with a slash, at most 512 characters. */
export function rolePath(path: string): string {
  return checkedText("aws-invalid", path, {
    what: "path of the IAM role",
    problem: "the path of the IAM role is not a valid path",
    pattern: PATH,
    allowed: "/ or /…/ with visible ASCII characters, at most 512",
    remedy: "begin and end it with a slash",
  });
}

export function roleDescription(description: string, what: string): string {
  literal(description, what);
  const usable =
    typeof description === "string" &&
    description.trim() !== "" &&
    description.length <= DESCRIPTION_MAX &&
    DESCRIPTION.test(description);
  return usable
    ? description
    : fail("aws-invalid", {
        problem: `${what} cannot be part of the description of an IAM role`,
        value: description,
        allowed: "at least one character of printable Latin-1; the whole description at most 1000 characters",
        remedy: "write one short sentence",
      });
}

/** Tags of one object. */
export type Tags = Readonly<Record<string, string>>;

const TAGS_MAX = 50;

export const OBJECT_TAGS_MAX = 10;

const KEY_MAX = 128;
const VALUE_MAX = 256;
const RESERVED = /^aws:/i;

/** Tags as Terraform arguments with template markers escaped; values may be late. `undefined` if there are none. */
export function tagArguments(
  tags: Tags | undefined,
  max: number = TAGS_MAX,
): Record<string, string> | undefined {
  if (tags === undefined) return undefined;
  const entries = Object.entries(tags);
  if (entries.length > max) return fail("aws-invalid", invalidTags("are too many", entries.length, max));
  const odd = entries.find(([key, value]) => !isKey(key) || !isValue(value));
  if (odd)
    return fail("aws-invalid", invalidTags("have a key or a value that AWS refuses", odd.join(" = "), max));
  return Object.fromEntries(entries.map(([key, value]) => [terraformText(key), terraformText(value)]));
}

function isKey(key: string): boolean {
  return key !== "" && key.length <= KEY_MAX && !RESERVED.test(key) && !isLate(key);
}

function isValue(value: unknown): boolean {
  return typeof value === "string" && (isLate(value) || value.length <= VALUE_MAX);
}

const TAG_PREFIX = "openshift.io/cloud-credential-operator/";

/** With the prefix before it within the 128 characters of a tag's key and of a comment of CloudFront. */
const CCOCTL_NAME = /^[A-Za-z0-9._-]{1,89}$/;

export function ccoctlNameOf(name: string): string {
  return checkedText("aws-invalid", name, {
    what: "ccoctlName",
    problem: "the name that was passed to ccoctl is not valid",
    pattern: CCOCTL_NAME,
    allowed: "1 to 89 letters, digits, `.`, `_` and `-`",
    remedy: "use the value of --name: the bucket's name without `-oidc`",
  });
}

/** The tags with which ccoctl marks all resources of a cluster, and by which it finds them again. */
export function ccoctlTags(clusterName: string): Readonly<Record<string, string>> {
  return { [`${TAG_PREFIX}${clusterName}`]: "owned", Name: clusterName };
}

/** How ccoctl names the cluster in CloudFront comments. */
export function ccoctlComment(clusterName: string): string {
  return `${TAG_PREFIX}${clusterName}`;
}

export function listOf(values: string | readonly string[] | undefined): readonly string[] {
  if (values === undefined) return [];
  return typeof values === "string" ? [values] : values;
}

function noRoleName(value: unknown): Problem {
  return {
    problem: "the IAM role name has characters that IAM refuses",
    value,
    allowed: "letters, digits and _+=,.@-, at least one; over 64 characters it is shortened with a hash",
    remedy: "use another name, or omit it to use a derived one",
  };
}

function invalidTags(reason: string, value: unknown, max: number): Problem {
  return {
    problem: `tags ${reason}`,
    value,
    allowed: `at most ${max} tags; keys of 1 to 128 characters that do not begin with aws:, values of at most 256`,
    remedy: "correct the tags",
  };
}
