/*
 * References between resources of one stack, where thousands are made. cdktf captures and keeps a stack trace for
 * each late value; in a synth of 10,000 roles that is a tenth of the time and of the memory.
 */

import { type ITerraformDependable, type TerraformResource, dependable } from "cdktf";

const references = new WeakMap<ITerraformDependable, string>();

/**
 * Lets a resource wait for others.
 *
 * Given to the resource as constructs, cdktf would make a separate reference for each of thousands of resources
 * that wait for the same one.
 */
export function dependsOn(resource: TerraformResource, others: readonly ITerraformDependable[]): void {
  if (others.length > 0) resource.dependsOn = [...(resource.dependsOn ?? []), ...others.map(referenceTo)];
}

/**
 * The expression for an attribute of a resource, as text that Terraform reads; for arguments of resources of the same
 * stack, whose logical id is final.
 */
export function attributeOf(resource: TerraformResource, attribute: string): string {
  return `\${${resource.terraformResourceType}.${resource.friendlyUniqueId}.${attribute}}`;
}

function referenceTo(other: ITerraformDependable): string {
  const known = references.get(other) ?? dependable(other);
  references.set(other, known);
  return known;
}
