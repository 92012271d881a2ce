/*
 * Values that are one reference, and texts of which letter case does not count.
 */

import { type Known, type Reference, match, partsOf, referenceOf, textOf } from "../../model/known";
import { Resource } from "../read/block";

/** A literal in small letters, or the one reference that a value is; `undefined` for anything else. */
export function keyOf(value: Known<string | undefined>): string | Reference | undefined {
  return match(
    value,
    (text): string | Reference | undefined => text?.toLowerCase(),
    () => referenceOf(value),
  );
}

/** True where an attribute of a resource of a type is part of a text. */
export function mentionsType(text: Known<string>, type: string): boolean {
  const parts = partsOf(text) ?? [];
  return parts.some(
    (part) => typeof part !== "string" && part.target instanceof Resource && part.target.type === type,
  );
}

/** Small letters wherever letters are known. */
export function lowered<T extends string | undefined>(text: Known<T>): Known<T> {
  const parts = match(
    text,
    (value) => (value === undefined ? undefined : [value]),
    (why) => (why.kind === "apply" ? why.parts : undefined),
  );
  if (parts === undefined) return text;
  return textOf(parts.map((part) => (typeof part === "string" ? part.toLowerCase() : part))) as Known<T>;
}
