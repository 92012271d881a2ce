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

/** `ServiceAccount shop/web: `, or nothing for a document that is not a Kubernetes object. */
export function objectTitle(kind: unknown, namespace: unknown, name: unknown): string {
  if (typeof kind !== "string") return "";
  const path = [namespace, name].filter((part) => typeof part === "string").join("/");
  return path ? `${kind} ${path}: ` : `${kind}: `;
}
