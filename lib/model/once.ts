/** Memoizes a function of an object for the object's lifetime. */
export function once<K extends object, V>(make: (key: K) => V): (key: K) => V {
  const results = new WeakMap<K, { readonly value: V }>();
  return (key) => {
    const before = results.get(key) ?? { value: make(key) };
    results.set(key, before);
    return before.value;
  };
}
