/** Groups items by key, in their order. */
export function grouped<K, T>(items: Iterable<T>, keyOf: (item: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const same = groups.get(key);
    if (same) same.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}

/** Adds a value to the list of a key. */
export function push<K, V>(lists: Map<K, V[]>, key: K, value: V): void {
  const before = lists.get(key);
  if (before) before.push(value);
  else lists.set(key, [value]);
}
