/** Remembers what was made for two keys. */
export class Memory<K, L, V> {
  readonly #maps = new Map<K, Map<L, V>>();

  /** What was made for these keys, made now where it was not. */
  get(outer: K, key: L, make: () => V): V {
    const map = inner(this.#maps, outer);
    const known = map.get(key);
    if (known !== undefined) return known;
    const made = make();
    map.set(key, made);
    return made;
  }
}

/** The map of a key, made now where there is none. */
export function inner<K, L, V>(maps: Map<K, Map<L, V>>, key: K): Map<L, V> {
  const known = maps.get(key);
  if (known) return known;
  const made = new Map<L, V>();
  maps.set(key, made);
  return made;
}
