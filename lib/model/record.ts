/** True for an object that is not an array. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** True for an object that is neither an instance of a class nor a list. */
export function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || (!Array.isArray(value) && Object.getPrototypeOf(prototype) === null);
}

/** A list or a plain object with its items changed; the value itself if none changes, or if it is neither. */
export function withItems(value: unknown, change: (item: unknown, key: string) => unknown): unknown {
  if (typeof value !== "object" || value === null || !(Array.isArray(value) || isPlain(value))) return value;
  const items = value as Readonly<Record<string, unknown>>;
  let other: Record<string, unknown> | undefined;
  for (const key of Object.keys(items)) {
    const item = change(items[key], key);
    if (item !== items[key]) (other ??= { ...items })[key] = item;
  }
  return other && Array.isArray(value) ? Object.values(other) : (other ?? value);
}
