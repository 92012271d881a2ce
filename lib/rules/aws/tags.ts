/*
 * Tags as AWS takes them. Sources: "Tagging rules and quotas" of the Tag Editor user guide (50 per resource, 128
 * characters of key, 256 of value, `aws:` reserved), "Object tagging" of the S3 user guide (10 per object).
 */

import { fail } from "../../errors";
import { isLate } from "../../model/late";
import { terraformText } from "../terraform-text";

/** Tags of one object. */
export type Tags = Readonly<Record<string, string>>;

/** How many tags most resources can have. */
export const TAGS_MAX = 50;

/** How many tags an object of S3 can have. */
export const OBJECT_TAGS_MAX = 10;

const KEY_MAX = 128;
const VALUE_MAX = 256;
const RESERVED = /^aws:/i;

/**
 * Tags as arguments of Terraform, template markers escaped; values may be late. `undefined` where there are none.
 *
 * Throws `aws-tags-invalid`, or `late-value` for a key.
 */
export function tagArguments(
  tags: Tags | undefined,
  max: number = TAGS_MAX,
): Record<string, string> | undefined {
  if (tags === undefined) return undefined;
  const entries = Object.entries(tags);
  if (entries.length > max) return fail("aws-tags-invalid", "are too many", entries.length, max);
  const odd = entries.find(([key, value]) => !isKey(key) || !isValue(value));
  if (odd) return fail("aws-tags-invalid", "have a key or a value that AWS refuses", odd.join(" = "), max);
  return Object.fromEntries(entries.map(([key, value]) => [terraformText(key), terraformText(value)]));
}

function isKey(key: string): boolean {
  return key !== "" && key.length <= KEY_MAX && !RESERVED.test(key) && !isLate(key);
}

function isValue(value: unknown): boolean {
  return typeof value === "string" && (isLate(value) || value.length <= VALUE_MAX);
}
