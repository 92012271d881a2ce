/*
 * Names of cloud objects, derived from the names of a cluster, a namespace and a service account.
 *
 * Two different inputs must never silently yield the same name. The parts are joined with a separator; whenever that
 * loses information (a character was replaced, the name was cut) a hash of the exact parts is appended.
 */

import { createHash } from "node:crypto";
import { type ErrorCode, fail } from "../errors";
import { literal } from "../model/late";

/** A cloud's rules for one kind of name. */
export interface NameRules {
  readonly max: number;
  readonly allowed: RegExp;
  /** Joins the parts; if it occurs in a part, the name gets a hash. */
  readonly separator: string;
}

const HASH_CHARACTERS = 8;

/** First eight hexadecimal digits of the SHA-256 over the parts with their lengths, so that joining cannot collide. */
export function stableHash(parts: readonly string[]): string {
  const text = parts.map((part) => `${part.length}:${part}`).join("");
  return createHash("sha256").update(text).digest("hex").slice(0, HASH_CHARACTERS);
}

/** Joins the parts; appends `<separator><hash>` if the plain name would be ambiguous, invalid or too long. */
export function derivedName(parts: readonly string[], rules: NameRules): string {
  const { max, allowed, separator } = rules;
  const plain = parts.join(separator);
  const legal = [...plain].map((character) => (allowed.test(character) ? character : "-")).join("");
  const ambiguous = parts.some((part) => part.includes(separator));
  if (legal === plain && !ambiguous && plain.length <= max) return plain;
  const suffix = `${separator}${stableHash(parts)}`;
  return legal.slice(0, max - suffix.length) + suffix;
}

/** What a text must be, and what to say of one that is not. */
export interface TextForm {
  readonly problem: string;
  readonly pattern: RegExp;
  readonly allowed: string;
  readonly remedy: string;
  /** What the value is, where it is refused for being late; the default is the beginning of the problem. */
  readonly what?: string;
}

/** Returns a literal text of a form. */
export function checkedText(code: ErrorCode, value: unknown, form: TextForm): string {
  const { problem, pattern, allowed, remedy, what } = form;
  const text = literal(value, what ?? problem.replace(/^not an? | is [^]*$/g, ""));
  return typeof text === "string" && pattern.test(text)
    ? text
    : fail(code, { problem, value: text, allowed, remedy });
}
