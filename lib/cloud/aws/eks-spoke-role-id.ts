/*
 * What replaces an access entry together with its IAM role. Terraform's `replace_triggered_by` takes addresses within
 * the configuration alone, as plain text in JSON: `aws_iam_role.x.unique_id`. A role of another stack is followed by
 * a `terraform_data` that holds its id.
 */

import { DataResource, TerraformResource, TerraformStack } from "cdktf";
import type { Construct } from "constructs";
import type { AccessPrincipal } from "../../model/access-principal";
import { PerStack } from "../shared/per-stack";

const followers = new PerStack<DataResource>();
const ROLE = "aws_iam_role";

/** An entry for `replace_triggered_by`; `undefined` where the app does not declare the role. */
export function roleIdTrigger(scope: Construct, { dependencies }: AccessPrincipal): string | undefined {
  const role = dependencies.find(isRole);
  if (role === undefined) return undefined;
  const own = TerraformStack.of(role) === TerraformStack.of(scope);
  return own ? addressOf(role, "unique_id") : addressOf(followerOf(scope, role), "id");
}

function followerOf(scope: Construct, role: TerraformResource): DataResource {
  const key = role.node.path;
  const stack = TerraformStack.of(scope);
  return (
    followers.get(scope, key) ??
    followers.set(
      scope,
      key,
      new DataResource(stack, `role-id-${key.replaceAll("/", "-")}`, {
        triggersReplace: { uniqueId: role.getStringAttribute("unique_id") },
      }),
    )
  );
}

function addressOf(resource: TerraformResource, attribute: string): string {
  return `${resource.terraformResourceType}.${resource.friendlyUniqueId}.${attribute}`;
}

function isRole(dependency: unknown): dependency is TerraformResource {
  return TerraformResource.isTerraformResource(dependency) && dependency.terraformResourceType === ROLE;
}
