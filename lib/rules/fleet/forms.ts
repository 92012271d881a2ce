/*
 * The forms that the compiler checks for TypeScript callers alone. Refusals name the property and never show the value.
 */

import { fail } from "../../errors";
import { isRecord } from "../../model/record";

/** Returns an object; throws `fleet-property-invalid`. */
export function objectOf<T>(what: string, value: T): T {
  return isRecord(value) ? value : fail("fleet-property-invalid", what, "an object", value);
}

/** Returns a list; throws `fleet-property-invalid`. */
export function listOf<T>(what: string, value: readonly T[]): readonly T[] {
  return Array.isArray(value) ? value : fail("fleet-property-invalid", what, "a list", value);
}

/** Returns a list of objects; throws `fleet-property-invalid`. */
export function objectsOf<T>(what: string, value: readonly T[]): readonly T[] {
  return listOf(what, value).map((each, index) => objectOf(`${what}[${index}]`, each));
}

/** Returns a text; throws `fleet-property-invalid`. */
export function textOf(what: string, value: string): string {
  return typeof value === "string" ? value : fail("fleet-property-invalid", what, "a text", value);
}
