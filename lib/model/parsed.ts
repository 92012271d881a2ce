/*
 * Reads parsed documents of others: values of an unexpected type are treated as absent.
 */

import { isRecord } from "./record";

export type Json = Readonly<Record<string, unknown>>;

/** Returns the object, or an empty one. */
export function record(value: unknown): Json {
  return isRecord(value) ? value : {};
}

/** Returns the list, or an empty one. */
export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Returns the text, or an empty one. */
export function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Returns the texts in a list. */
export function texts(value: unknown): readonly string[] {
  return list(value).filter((item) => typeof item === "string");
}

/** Returns the own property at the end of a path, ignoring prototypes. */
export function at(value: unknown, ...keys: readonly string[]): unknown {
  return keys.reduce<unknown>(
    (outer, key) => (isRecord(outer) && Object.hasOwn(outer, key) ? outer[key] : undefined),
    value,
  );
}

/** A text as JSON; `undefined` if it is none. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
