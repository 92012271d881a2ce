export { propertyPath } from "../model/property-path";

/** `ServiceAccount shop/web: `, or nothing for a document that is not a Kubernetes object. */
export function objectTitle(kind: unknown, namespace: unknown, name: unknown): string {
  if (typeof kind !== "string") return "";
  const path = [namespace, name].filter((part) => typeof part === "string").join("/");
  return path ? `${kind} ${path}: ` : `${kind}: `;
}
