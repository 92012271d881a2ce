/** A parsed JSON or YAML object. */
export type Json = Readonly<Record<string, unknown>>;

/** The object, or an empty one for anything else. */
export function record(value: unknown): Json {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

/** The list, or an empty one for anything else. */
export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as readonly unknown[]) : [];
}

/** The text, or an empty one for anything else. */
export function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** What stands at a path of keys. */
export function inside(value: unknown, ...keys: readonly string[]): unknown {
  return keys.reduce<unknown>((inner, key) => record(inner)[key], value);
}

/** A copy in which every text was mapped. */
export function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((entry) => mapTexts(entry, change));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, mapTexts(entry, change)]));
}

/** Every text in a document, with the path that leads to it; keys count as texts too. */
export function texts(value: unknown, path: string = ""): readonly (readonly [path: string, text: string])[] {
  if (typeof value === "string") return [[path, value]];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, entry]) => [
    ...(Array.isArray(value) ? [] : [[`${path}.${key} (key)`, key] as const]),
    ...texts(entry, `${path}.${key}`),
  ]);
}
