import { type ITerraformDependable, type TerraformResource, dependable } from "cdktf";

const references = new WeakMap<ITerraformDependable, string>();

/**
 * Lets a resource wait for others.
 *
 * Given to the resource as constructs, cdktf would make a reference of its own, with a stack trace, for each of
 * thousands of resources that wait for the same one.
 */
export function dependsOn(resource: TerraformResource, others: readonly ITerraformDependable[]): void {
  if (others.length > 0) resource.dependsOn = [...(resource.dependsOn ?? []), ...others.map(referenceTo)];
}

function referenceTo(other: ITerraformDependable): string {
  const known = references.get(other) ?? dependable(other);
  references.set(other, known);
  return known;
}
