const PLAIN_KEY = /^[A-Za-z_]\w*$/;

/** Formats a path: `metadata.annotations["eks.amazonaws.com/role-arn"]`, `subjects[0].name`; numbers are indexes. */
export function propertyPath(keys: readonly (string | number)[]): string {
  return keys
    .map((key, place) => {
      if (typeof key === "number") return `[${key}]`;
      if (!PLAIN_KEY.test(key)) return `[${JSON.stringify(key)}]`;
      return place === 0 ? key : `.${key}`;
    })
    .join("");
}
