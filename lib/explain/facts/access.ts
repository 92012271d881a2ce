/*
 * Reads parsed documents that somebody else wrote: what has another form than expected reads as absent.
 */

/** A parsed object. */
export type Json = Readonly<Record<string, unknown>>;

/** The object, or an empty one. */
export function record(value: unknown): Json {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : {};
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
