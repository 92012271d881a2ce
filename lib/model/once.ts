/** A function of an object that is computed once for each, as long as the object lives. */
export function once<K extends object, V>(make: (key: K) => V): (key: K) => V {
  const made = new WeakMap<K, { readonly value: V }>();
  return (key) => {
    const before = made.get(key) ?? { value: make(key) };
    made.set(key, before);
    return before.value;
  };
}
