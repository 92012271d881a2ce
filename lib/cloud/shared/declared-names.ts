/*
 * Grants on what the same stack declares but the grant names literally: Terraform sees no reference, and would write
 * both at once. Which of the two is declared first does not matter.
 */

import { Aspects, TerraformResource, TerraformStack } from "cdktf";
import { isLate } from "../../model/late";
import { dependsOn } from "./references";

interface Grant {
  readonly resource: TerraformResource;
  /** Terraform type of what it grants access to. */
  readonly on: string;
  /** Values that identify that resource, by the property of its binding; compared without regard to case. */
  readonly names: Readonly<Record<string, string>>;
}

const waiting = new WeakMap<TerraformStack, Grant[]>();

/** Makes a grant wait for the resource of its stack that has these names, if there is one when the stack is synthesized. */
export function waitForDeclared(resource: TerraformResource, on: string, names: Grant["names"]): void {
  if (isLate(names)) return;
  const stack = TerraformStack.of(resource);
  const grants = waiting.get(stack);
  if (grants) grants.push({ resource, on, names });
  else {
    waiting.set(stack, [{ resource, on, names }]);
    Aspects.of(stack).add({ visit: (node) => (node === stack ? orderIn(stack) : undefined) });
  }
}

function orderIn(stack: TerraformStack): void {
  const grants = waiting.get(stack) ?? [];
  waiting.delete(stack);
  const properties = new Map(grants.map(({ on, names }) => [on, Object.keys(names)]));
  const declared = new Map(
    stack.node.findAll().flatMap((each) => {
      if (!TerraformResource.isTerraformResource(each)) return [];
      const type = each.terraformResourceType;
      const values = properties.get(type)?.map((name): unknown => Reflect.get(each, `${name}Input`));
      return values ? [[keyOf(type, values), each] as const] : [];
    }),
  );
  for (const { resource, on, names } of grants) {
    const target = declared.get(keyOf(on, Object.values(names)));
    if (target) dependsOn(resource, [target]);
  }
}

function keyOf(type: string, values: readonly unknown[]): string {
  return JSON.stringify([type, ...values]).toLowerCase();
}
