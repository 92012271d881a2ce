import { TerraformStack } from "cdktf";
import type { IConstruct } from "constructs";

/** Whether an app has more than one stack; stacks are never nested. */
export function hasOtherStacks(root: IConstruct): boolean {
  let stacks = 0;
  const queue = [root];
  for (let next = queue.pop(); next !== undefined && stacks < 2; next = queue.pop()) {
    if (TerraformStack.isStack(next)) stacks++;
    else for (const child of next.node.children) queue.push(child);
  }
  return stacks > 1;
}
