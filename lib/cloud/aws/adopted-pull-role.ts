import { DataAwsIamRole } from "@cdktf/provider-aws/lib/data-aws-iam-role/index.js";
import type { ITerraformDependable } from "cdktf";
import { Construct } from "constructs";
import { isLate } from "../../model/late";
import { accountId, parseRoleArn, roleArn } from "../../rules/aws/provider";
import { partitionOf } from "../../rules/aws/partitions";
import { pullAnnotations } from "../../rules/aws/pull";
import { roleName, rolePath } from "../../rules/aws/names";
import type { IPullRole, PullRoleAttributes } from "./pull-role-props";

/** A role that exists already; made by the `from…` statics of `PullRole`. */
export class AdoptedPullRole extends Construct implements IPullRole {
  /** Its ARN. */
  readonly arn: string;
  /** What a service account needs in order to use it. */
  readonly annotations: Readonly<Record<string, string>>;
  /** Nothing: it exists. */
  readonly dependencies: readonly ITerraformDependable[] = [];

  constructor(scope: Construct, id: string, arn: (scope: Construct) => string) {
    super(scope, id);
    this.arn = arn(this);
    this.annotations = pullAnnotations(this.arn);
  }
}

/** Takes a role's ARN, checked where it is literal; throws `aws-arn-invalid`. */
export function givenArn(arn: string): string {
  return isLate(arn) ? arn : roleArn(parseRoleArn(arn));
}

/** The ARN of a named role: literal with account and region, looked up by Terraform otherwise. */
export function arnOfRoleName(scope: Construct, attributes: PullRoleAttributes): string {
  const { account, region, provider } = attributes;
  const name = roleName(attributes.roleName);
  const path = rolePath(attributes.path ?? "/");
  if (account !== undefined && region !== undefined)
    return roleArn({ partition: partitionOf(region).name, account: accountId(account), path, name });
  return new DataAwsIamRole(scope, "Resource", { name, ...(provider ? { provider } : {}) }).arn;
}
