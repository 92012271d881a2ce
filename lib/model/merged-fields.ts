/*
 * Merges fields for one Kubernetes object. Equal entries are kept once, and different entries of one name are refused,
 * since the API server would refuse them or silently choose one. Late values are compared as they are.
 */

/** Fields of the Kubernetes API. */
type Fields = Readonly<Record<string, unknown>>;

/** Merges maps, sorted by key; `refuse` gets the key of two different values. */
export function mergedMaps(
  maps: readonly Readonly<Record<string, string>>[],
  refuse: (key: string) => never,
): Readonly<Record<string, string>> {
  const merged = new Map<string, string>();
  for (const [key, value] of maps.flatMap((map) => Object.entries(map))) {
    const known = merged.get(key);
    if (known !== undefined && known !== value) return refuse(key);
    merged.set(key, value);
  }
  return Object.fromEntries([...merged].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Keeps each entry once, in order, identified by a field; `refuse` gets the field's value of differing entries. */
export function mergedEntries(
  entries: readonly Fields[],
  field: string,
  refuse: (value: string) => never,
): readonly Fields[] {
  const merged = new Map<string, Fields>();
  for (const entry of entries) {
    const value = String(entry[field]);
    const known = merged.get(value);
    if (known && JSON.stringify(known) !== JSON.stringify(entry)) return refuse(value);
    merged.set(value, entry);
  }
  return [...merged.values()];
}
