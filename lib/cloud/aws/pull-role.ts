import type { IamRole } from "@cdktf/provider-aws/lib/iam-role/index.js";
import type { IamRolePolicy } from "@cdktf/provider-aws/lib/iam-role-policy/index.js";
import type { ITerraformDependable } from "cdktf";
import { Construct } from "constructs";
import { at } from "../../errors";
import { pullAnnotations } from "../../rules/aws/pull";
import { AdoptedPullRole, arnOfRoleName, givenArn } from "./adopted-pull-role";
import { declareInlinePolicy, declareRole } from "./federated-role";
import { writeOwnerPolicies } from "./owner-policies";
import {
  type IPullRole,
  type PullRoleAttributes,
  type PullRoleProps,
  PULL_ROLE_ATTRIBUTES,
  PULL_ROLE_PROPS,
} from "./pull-role-props";
import { pullRoleSettings } from "./pull-role-settings";
import { checkProps } from "../../model/shape";

/**
 * An IAM role that service accounts of one or several clusters pull images as, without node identity.
 *
 * The trust compares audience and subject exactly; a wildcard gets a statement of its own, where only the subject
 * is compared with StringLike. Permissions reach no further than logging in and pulling the named repositories.
 * The session is never longer than the default hour, since the plugin asks for no more.
 */
export class PullRole extends Construct implements IPullRole {
  /** The Terraform resource of the role. */
  readonly resource: IamRole;
  /** The inline policy with the permissions. */
  readonly policy: IamRolePolicy;
  /** Name of the role, at most 64 characters. */
  readonly roleName: string;
  /** ARN of the role; literal where the account is known at synth, also from the ARN of an OIDC provider. */
  readonly arn: string;
  /** Length of the ARN in characters, also where it is late. */
  readonly arnLength: number;
  /** `eks.amazonaws.com/ecr-role-arn`, for the service accounts. */
  readonly annotations: Readonly<Record<string, string>>;
  /** The role, for policies that name its literal ARN. */
  readonly dependencies: readonly ITerraformDependable[];

  /**
   * Throws `aws-trust-empty`, `aws-duplicate-subject`, `aws-subject-pattern-invalid`, `aws-description-invalid`,
   * `aws-trust-too-long`, `aws-sources-empty`, `aws-partition-mismatch`, `aws-policy-too-long`,
   * `aws-account-invalid`, `aws-oidc-account-mismatch`, `aws-role-name-invalid`, `aws-role-name-taken`,
   * `aws-path-invalid`, `aws-arn-invalid`, `aws-boundary-account-mismatch`, `aws-owner-provider-missing`,
   * `aws-repository-policy-too-long`, `audience-invalid`, `audience-mismatch`, and what `Subject.of` throws. Warns of a trust policy over the default quota, and of repositories in other accounts
   * whose owner's part is not declared.
   */
  constructor(scope: Construct, id: string, props: PullRoleProps) {
    checkProps(new.target.name, scope, id, PULL_ROLE_PROPS, props);
    super(scope, id);
    const settings = at(this, () => pullRoleSettings(this, props));

    const role = declareRole(this, settings);
    this.resource = role.resource;
    this.policy = declareInlinePolicy(this, role, settings.policy);

    this.roleName = role.roleName;
    this.arn = role.arn;
    this.arnLength = role.arnLength;
    this.annotations = pullAnnotations(this.arn);
    this.dependencies = role.dependencies;

    at(this, () => writeOwnerPolicies(this, this, settings.sources, settings.identity.account));
  }

  /** An existing role; a late ARN is passed on. Throws `aws-arn-invalid`. */
  static fromArn(scope: Construct, id: string, arn: string): IPullRole {
    return new AdoptedPullRole(scope, id, () => givenArn(arn));
  }

  /**
   * An existing role: its ARN is literal with account and region, and looked up by Terraform otherwise.
   *
   * Throws `aws-role-name-invalid`, `aws-path-invalid`, `aws-account-invalid` or `aws-region-unknown`.
   */
  static fromRoleName(scope: Construct, id: string, attributes: PullRoleAttributes): IPullRole {
    checkProps("PullRole.fromRoleName()", scope, id, PULL_ROLE_ATTRIBUTES, attributes);
    return new AdoptedPullRole(scope, id, (adopted) => arnOfRoleName(adopted, attributes));
  }
}
