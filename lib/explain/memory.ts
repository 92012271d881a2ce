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

/** Enough for what takes turns: the identities of one puller on the nodes of several pools. */
const RECENT = 4;

/** Remembers what was made for the last keys, for what is asked about in a row and too large to be kept. */
export class Recent<K, V> {
  readonly #made = new Map<K, V>();
  readonly #make: (key: K) => V;
  readonly #most: number;

  /** Remembers `most` keys, 4 where nothing is given. */
  constructor(make: (key: K) => V, most: number = RECENT) {
    this.#make = make;
    this.#most = most;
  }

  /** What was made for this key, made now where it was not, or not lately. */
  get(key: K): V {
    const known = this.#made.get(key);
    if (known !== undefined) return known;
    if (this.#made.size === this.#most) this.#made.clear();
    const made = this.#make(key);
    this.#made.set(key, made);
    return made;
  }
}
