import type { IamRole } from "@cdktf/provider-aws/lib/iam-role/index.js";
import type { IamRolePolicy } from "@cdktf/provider-aws/lib/iam-role-policy/index.js";
import { IamRolePolicyAttachment } from "@cdktf/provider-aws/lib/iam-role-policy-attachment/index.js";
import { Annotations, type ITerraformDependable } from "cdktf";
import { Construct } from "constructs";
import { at } from "../../errors";
import { isLate } from "../../model/late";
import { accessAnnotations } from "../../rules/aws/workload";
import { defaultAwsAudience } from "../../rules/aws/pull";
import { attributeOf } from "../shared/references";
import { declareInlinePolicy, declareRole } from "./federated-role";
import { type WorkloadRoleProps, WORKLOAD_ROLE_PROPS } from "./workload-role-props";
import { workloadRolePlan } from "./workload-role-plan";
import { checkProps } from "../../model/shape";

/**
 * An IAM role that service accounts of one or several clusters act as, handed to their pods by the pod identity
 * webhook (IRSA), which OpenShift runs on AWS and EKS everywhere.
 */
export class WorkloadRole extends Construct {
  /** The Terraform resource of the role. */
  readonly resource: IamRole;
  /** The inline policy; `undefined` where managed policies permit everything. */
  readonly policy: IamRolePolicy | undefined;
  /** The managed policies of the role. */
  readonly attachments: readonly IamRolePolicyAttachment[];
  /** Name of the role, at most 64 characters. */
  readonly roleName: string;
  /** ARN of the role; literal where account and partition are known at synth. */
  readonly arn: string;
  /** `eks.amazonaws.com/role-arn`, for the service accounts; with another audience than usual that too. */
  readonly annotations: Readonly<Record<string, string>>;
  /** The role, for policies that name its literal ARN. */
  readonly dependencies: readonly ITerraformDependable[];

  /**
   * Throws `aws-access-foreign`, `aws-policy-too-long`, `aws-statement-sid-twice`, `aws-managed-policies-too-many`,
   * `aws-managed-policy-account`, `aws-tags-invalid`,
   * `aws-trust-empty`, `aws-duplicate-subject`, `aws-subject-pattern-invalid`, `aws-description-invalid`,
   * `aws-trust-too-long`, `aws-partition-mismatch`, `aws-account-invalid`, `aws-oidc-account-mismatch`,
   * `aws-provider-account-mismatch`,
   * `aws-region-unknown`, `aws-role-name-invalid`, `aws-role-name-taken`, `aws-path-invalid`, `aws-arn-invalid`,
   * `aws-boundary-account-mismatch`, `audience-invalid`, `audience-mismatch`, and what `Subject.of` throws.
   */
  constructor(scope: Construct, id: string, props: WorkloadRoleProps) {
    checkProps(new.target.name, scope, id, WORKLOAD_ROLE_PROPS, props);
    super(scope, id);
    const plan = at(this, () => workloadRolePlan(this, props));

    const role = declareRole(this, plan.settings);
    this.policy = plan.policy && declareInlinePolicy(this, role, plan.policy);
    this.attachments = plan.managedPolicyArns.map(
      (policyArn, index) =>
        new IamRolePolicyAttachment(this, attachmentId(policyArn, index), {
          role: attributeOf(role.resource, "name"),
          policyArn,
          ...(props.provider ? { provider: props.provider } : {}),
        }),
    );

    if (plan.policiesWarning !== undefined) Annotations.of(this).addWarning(plan.policiesWarning);

    this.resource = role.resource;
    this.roleName = role.roleName;
    this.arn = role.arn;
    this.annotations = accessAnnotations(role.arn, props.trusts[0]?.audience ?? defaultAwsAudience);
    this.dependencies = role.dependencies;
  }
}

/** From the ARN where it is literal, so that a further policy moves no other. */
function attachmentId(arn: string, index: number): string {
  return isLate(arn) ? `Managed${index}` : arn.split(":").slice(4).join("-").replaceAll("/", "-");
}
