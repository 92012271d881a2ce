import { TerraformResource, TerraformStack } from "cdktf";
import type { Construct } from "constructs";

/** Terraform refuses a `removed` block of a resource that is declared. */
function declaredIn(stack: TerraformStack): ReadonlySet<string> {
  const resources = stack.node
    .findAll()
    .filter((each): each is TerraformResource => TerraformResource.isTerraformResource(each));
  return new Set(resources.map((each) => `${each.terraformResourceType}.${each.friendlyUniqueId}`));
}

/**
 * Terraform's blocks that make it forget resources and leave their objects in the cluster. They have no effect on
 * resources that are not in the state.
 *
 * Source: developer.hashicorp.com/terraform/language/state/remove; Terraform 1.7 and newer.
 */
export function removedBlocks(scope: Construct, addresses: Iterable<string>): object {
  const declared = declaredIn(TerraformStack.of(scope));
  const removed = [...new Set(addresses)]
    .filter((address) => !declared.has(address))
    .sort()
    .map((from) => ({ from, lifecycle: { destroy: false } }));
  return removed.length === 0 ? {} : { removed, terraform: { required_version: ">= 1.7.0" } };
}
