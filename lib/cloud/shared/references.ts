/*
 * Cheap references between thousands of resources of one stack. cdktf captures and keeps a stack trace for each late
 * value; in a synth of 10,000 roles that takes a tenth of the time and of the memory.
 */

import { type ITerraformDependable, type TerraformResource, dependable } from "cdktf";

const references = new WeakMap<ITerraformDependable, string>();

/**
 * Makes a resource wait for others.
 *
 * If the resource got constructs, cdktf would make a reference for each of the thousands of resources that wait for the
 * same one.
 */
export function dependsOn(resource: TerraformResource, others: readonly ITerraformDependable[]): void {
  if (others.length > 0) resource.dependsOn = [...(resource.dependsOn ?? []), ...others.map(referenceTo)];
}

/**
 * Returns the Terraform expression for a resource's attribute as text, for arguments of resources in the same stack.
 * The resource's logical id must be final.
 */
export function attributeOf(resource: TerraformResource, attribute: string): string {
  return `\${${resource.terraformResourceType}.${resource.friendlyUniqueId}.${attribute}}`;
}

function referenceTo(other: ITerraformDependable): string {
  const known = references.get(other) ?? dependable(other);
  references.set(other, known);
  return known;
}
