/*
 * Order between resources of one stack or of two. A `depends_on` cannot name a resource of another stack; there the
 * stacks themselves are ordered, as cdktf does for values that cross stacks.
 */

import { type ITerraformDependable, type TerraformResource, TerraformStack } from "cdktf";
import { Construct } from "constructs";
import { dependsOn } from "./references";

/** Makes a resource wait for others, in its own stack or in another one. */
export function waitFor(resource: TerraformResource, others: readonly ITerraformDependable[]): void {
  dependsOn(resource, withinStack(resource, others));
}

/** Returns those in the construct's stack, and makes that stack wait for the stacks of the others. */
export function withinStack(
  scope: Construct,
  others: readonly ITerraformDependable[],
): readonly ITerraformDependable[] {
  const stackOfScope = TerraformStack.of(scope);
  const stacks = others.map((other) =>
    Construct.isConstruct(other) ? TerraformStack.of(other) : stackOfScope,
  );
  for (const stack of new Set(stacks)) if (stack !== stackOfScope) stackOfScope.addDependency(stack);
  return others.filter((_, index) => stacks[index] === stackOfScope);
}
