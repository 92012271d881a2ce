/** Memoizes a function of an object for the object's lifetime. */
export function once<K extends object, V>(make: (key: K) => V): (key: K) => V {
  const made = new WeakMap<K, { readonly value: V }>();
  return (key) => {
    const before = made.get(key) ?? { value: make(key) };
    made.set(key, before);
    return before.value;
  };
}
