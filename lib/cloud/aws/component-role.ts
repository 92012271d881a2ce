import type { IamRole } from "@cdktf/provider-aws/lib/iam-role/index.js";
import type { IamRolePolicy } from "@cdktf/provider-aws/lib/iam-role-policy/index.js";
import type { ITerraformDependable } from "cdktf";
import { Construct } from "constructs";
import { at, fail } from "../../errors";
import type { ComponentGrant, ComponentSecret } from "../../model/components";
import { ofRequest } from "../../model/request-label";
import { componentSecret } from "../../rules/aws/component";
import { kmsKeyPolicyStatements } from "../../rules/aws/narrowing";
import type { PolicyStatement } from "../../rules/aws/statement";
import { componentRolePlan, warnOfForeignKeys } from "./component-role-plan";
import { type ComponentRoleProps, COMPONENT_ROLE_PROPS } from "./component-role-props";
import { declareInlinePolicy, declareRole } from "./federated-role";
import { checkProps } from "../../model/shape";

const byGrant = new WeakMap<ComponentGrant, ComponentRole>();

/**
 * An IAM role that the service accounts of one OpenShift component act as: what `ccoctl aws create-iam-roles` makes
 * of a CredentialsRequest, with the audience compared as well.
 */
export class ComponentRole extends Construct {
  /** The Terraform resource of the role. */
  readonly resource: IamRole;
  /** The inline policy with the permissions. */
  readonly policy: IamRolePolicy;
  /** Name of the role, at most 64 characters. */
  readonly roleName: string;
  /** ARN of the role; literal where account and partition are known at synth. */
  readonly arn: string;
  /** The Secret that the component reads. */
  readonly secret: ComponentSecret;
  /**
   * What the policy of each key of `kmsKeys` needs, unless it leaves the decision to IAM policies of the role's
   * account; empty without `kmsKeys`.
   */
  readonly keyPolicyStatements: readonly PolicyStatement[];
  /** What the component got, as `PlatformComponents` is told of it. */
  readonly grant: ComponentGrant;
  /** The role, for policies that name its literal ARN. */
  readonly dependencies: readonly ITerraformDependable[];

  /**
   * Throws, with the request's file, document and name, `aws-request-kind`, `aws-request-brokered`,
   * `credentials-request-invalid`, `aws-adopt-naming`, `aws-adopt-path`, `aws-adopt-boundary-missing`,
   * `aws-override-invalid`, `aws-kms-unlimited`, `aws-statement-sid-twice`, `aws-statement-too-wide`,
   * `aws-tags-invalid`, `aws-provider-spec-invalid`, `aws-override-unused`, `aws-override-ambiguous`, `aws-override-wider`,
   * `aws-override-condition`, `aws-provider-account-mismatch`, `aws-kms-key-invalid`, `aws-statement-invalid`, `aws-policy-too-long`,
   * `aws-role-name-invalid`, `aws-role-name-taken`, `aws-trust-too-long`, `aws-description-invalid`,
   * `aws-account-invalid`, `aws-region-unknown`, `aws-partition-mismatch`, `aws-oidc-account-mismatch`,
   * `aws-path-invalid`, `aws-arn-invalid`, `aws-boundary-account-mismatch`, `audience-invalid`, `audience-mismatch`.
   */
  constructor(scope: Construct, id: string, props: ComponentRoleProps) {
    checkProps(new.target.name, scope, id, COMPONENT_ROLE_PROPS, props);
    super(scope, id);
    const { request, kmsKeys = [] } = props;
    const plan = at(this, () => ofRequest(request, () => componentRolePlan(this, props)));

    const role = declareRole(this, plan.settings, plan);
    this.policy = declareInlinePolicy(this, role, plan.policy, plan);

    this.resource = role.resource;
    this.roleName = role.roleName;
    this.arn = role.arn;
    this.secret = componentSecret(request, role.arn);
    this.keyPolicyStatements = kmsKeys.length === 0 ? [] : kmsKeyPolicyStatements(role.arn);
    this.dependencies = role.dependencies;
    this.grant = {
      request,
      identity: this.arn,
      secret: this.secret,
      ...(plan.intends && { intends: plan.intends }),
    };
    byGrant.set(this.grant, this);

    warnOfForeignKeys(this, kmsKeys, plan.settings.identity.account, role.arn);
  }

  /**
   * The role behind a grant of `componentRoles()`, for example for the `keyPolicyStatements` that a key needs.
   *
   * Throws `aws-grant-foreign`.
   */
  static ofGrant(grant: ComponentGrant): ComponentRole {
    return (
      byGrant.get(grant) ??
      fail("aws-foreign", {
        problem: "grant was not made by componentRoles()",
        value: grant.identity,
        allowed: "an entry of `grants` that componentRoles() declared",
        remedy: "look the construct up at the maker of that cloud",
      })
    );
  }
}
