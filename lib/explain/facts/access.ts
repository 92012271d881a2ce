/*
 * Properties and blocks of parsed documents that somebody else wrote.
 */

import { type Json, list, record, text, texts } from "../../model/parsed";

export { type Json, list, record, text, texts };

/** An own property; prototypes hold no facts. */
export function own(object: unknown, key: string): unknown {
  const json = record(object);
  return Object.hasOwn(json, key) ? json[key] : undefined;
}

/** The own property at the end of a path. */
export function at(object: unknown, ...keys: readonly string[]): unknown {
  return keys.reduce<unknown>(own, object);
}

/** A block of Terraform JSON, which may stand alone or as a list of one. */
export function blocks(value: unknown): readonly Json[] {
  if (Array.isArray(value)) return value.map(record);
  return value === undefined || value === null ? [] : [record(value)];
}
