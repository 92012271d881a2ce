/*
 * Reads parsed documents from elsewhere: what has another form than expected reads as absent.
 */

import { isRecord } from "./record";

/** A parsed object. */
export type Json = Readonly<Record<string, unknown>>;

/** The object, or an empty one. */
export function record(value: unknown): Json {
  return isRecord(value) ? value : {};
}

/** The list, or an empty one. */
export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The text, or an empty one. */
export function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** The texts of a list. */
export function texts(value: unknown): readonly string[] {
  return list(value).filter((item) => typeof item === "string");
}

/** The own property at the end of a path; prototypes hold no facts. */
export function at(value: unknown, ...keys: readonly string[]): unknown {
  return keys.reduce<unknown>(
    (outer, key) => (isRecord(outer) && Object.hasOwn(outer, key) ? outer[key] : undefined),
    value,
  );
}
