/** Memoizes a function of an object for the object's lifetime. */
export function once<K extends object, V>(make: (key: K) => V): (key: K) => V {
  const results = new WeakMap<K, { readonly value: V }>();
  return (key) => {
    const before = results.get(key) ?? { value: make(key) };
    results.set(key, before);
    return before.value;
  };
}

/** A value for each key, made when it is first needed. */
export function remembered<K, V>(
  memory: { get(key: K): V | undefined; has(key: K): boolean; set(key: K, value: V): unknown },
  key: K,
  make: (key: K) => V,
): V {
  const before = memory.get(key);
  if (before !== undefined || memory.has(key)) return before as V;
  const value = make(key);
  memory.set(key, value);
  return value;
}
