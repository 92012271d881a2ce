/*
 * Order between resources of one stack or of two. A `depends_on` reaches no other stack; there the stacks themselves
 * are ordered, as cdktf does for values that cross stacks.
 */

import { type ITerraformDependable, type TerraformResource, TerraformStack } from "cdktf";
import { Construct } from "constructs";
import { dependsOn } from "./references";

/** Lets a resource wait for others, of its own stack or of another one. */
export function waitFor(resource: TerraformResource, others: readonly ITerraformDependable[]): void {
  dependsOn(resource, withinStack(resource, others));
}

/** Those of the stack of a construct; lets that stack wait for the stacks of the others. */
export function withinStack(
  scope: Construct,
  others: readonly ITerraformDependable[],
): readonly ITerraformDependable[] {
  const own = TerraformStack.of(scope);
  const stacks = others.map((other) => (Construct.isConstruct(other) ? TerraformStack.of(other) : own));
  for (const stack of new Set(stacks)) if (stack !== own) own.addDependency(stack);
  return others.filter((_, index) => stacks[index] === own);
}
