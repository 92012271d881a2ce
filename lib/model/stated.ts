/*
 * Values of callers whom no compiler saw: without these checks a property that was forgotten ends as a TypeError of
 * some line within, and a text in the place of a list is taken for the list of its characters.
 */

import { fail } from "../errors";
import { isRecord } from "./record";

/** Returns the object; throws `fleet-value-invalid` for what is none. The value itself is never shown. */
export function statedRecord<T>(what: string, value: T): T {
  return isRecord(value) ? value : fail("fleet-value-invalid", what, kindOf(value), "an object");
}

/** Returns the list; throws `fleet-value-invalid` for what is none. */
export function statedList<T>(what: string, value: readonly T[]): readonly T[] {
  return Array.isArray(value) ? value : fail("fleet-value-invalid", what, kindOf(value), "a list");
}

/** Returns the list of objects; throws `fleet-value-invalid` for what is none. */
export function statedRecords<T>(what: string, value: readonly T[]): readonly T[] {
  return statedList(what, value).map((each, index) => statedRecord(`${what}[${index}]`, each));
}

/** Returns the text; throws `fleet-value-invalid` for what is none. */
export function statedText(what: string, value: string): string {
  return typeof value === "string" ? value : fail("fleet-value-invalid", what, kindOf(value), "a text");
}

/** Returns the list of texts; throws `fleet-value-invalid` for what is none. */
export function statedTexts(what: string, value: readonly string[]): readonly string[] {
  return statedList(what, value).map((each, index) => statedText(`${what}[${index}]`, each));
}

function kindOf(value: unknown): string {
  if (value === undefined) return "missing";
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
