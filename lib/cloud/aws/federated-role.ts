import { IamRole } from "@cdktf/provider-aws/lib/iam-role/index.js";
import { IamRolePolicy } from "@cdktf/provider-aws/lib/iam-role-policy/index.js";
import { Annotations, type ITerraformDependable, TerraformStack } from "cdktf";
import type { Construct } from "constructs";
import { type PolicyDocument, policyText } from "../../rules/aws/statement";
import { derivedRoleName } from "../../rules/aws/names";
import { waitFor } from "../shared/across-stacks";
import { keepNames } from "../shared/kept-names";
import { attributeOf } from "../shared/references";
import type { FederatedRoleSettings } from "./federated-role-settings";
import { takeName } from "./taken-role-names";

/** A role of service accounts as it was declared. */
export interface DeclaredRole {
  /** The Terraform resource of the role. */
  readonly resource: IamRole;
  /** Name of the role. */
  readonly roleName: string;
  /** ARN of the role; literal where account and partition are known at synth. */
  readonly arn: string;
  /** Length of the ARN in characters, also where it is late. */
  readonly arnLength: number;
  /** The role, for what names its literal ARN. */
  readonly dependencies: readonly ITerraformDependable[];
}

/** An inline policy of a role. */
export interface InlinePolicy {
  /** Its name within the role. */
  readonly name: string;
  /** What it permits. */
  readonly document: PolicyDocument;
}

/** Whether Terraform takes over what exists under a name, instead of making it. */
export interface Adoption {
  /** True for an import block. */
  readonly adopt: boolean;
}

/** Declares the role below a construct, as `Resource`. */
export function declareRole(
  construct: Construct,
  settings: FederatedRoleSettings,
  { adopt }: Adoption = { adopt: false },
): DeclaredRole {
  const { name, account, partition, provider } = settings.identity;
  const resource = new IamRole(construct, "Resource", settings.role);
  waitFor(resource, settings.dependencies);
  if (adopt) resource.importFrom(name, provider);
  takeName(construct, settings.identity);
  if (settings.warning !== undefined) Annotations.of(construct).addWarning(settings.warning);
  const known = account !== undefined && partition !== undefined;
  if (known || adopt) keepRole(resource, settings);
  return {
    resource,
    roleName: name,
    arn: known ? settings.expectedArn : resource.arn,
    arnLength: settings.expectedArn.length,
    dependencies: [resource],
  };
}

/** Policies, annotations and Secrets have the ARN as text, and imports the name. */
function keepRole(
  resource: IamRole,
  { identity: { name }, role: { path = ROOT } }: FederatedRoleSettings,
): void {
  keepNames(resource, {
    names: { name, path },
    defaults: { path: ROOT },
    statedBy: "roleName, or namePrefix, overrides or naming of many roles; path",
  });
}

const ROOT = "/";

/** Declares an inline policy of the role below a construct, as `Policy`. */
export function declareInlinePolicy(
  construct: Construct,
  { resource, roleName }: DeclaredRole,
  { name, document }: InlinePolicy,
  { adopt }: Adoption = { adopt: false },
): IamRolePolicy {
  const { provider } = resource;
  const policy = new IamRolePolicy(construct, "Policy", {
    name,
    policy: policyText(document),
    role: attributeOf(resource, "name"),
    ...(provider ? { provider } : {}),
  });
  if (adopt) {
    policy.importFrom(`${roleName}:${name}`, provider);
    keepNames(policy, { names: { name }, statedBy: "naming" });
  }
  return policy;
}

/** Name of a role that is given none: from the construct's path. */
export function roleNameOfPath(construct: Construct): string {
  const stack = TerraformStack.of(construct);
  const path = construct.node.scopes.slice(stack.node.scopes.length).map(({ node }) => node.id);
  return derivedRoleName([stack.node.id, ...path]);
}
