import { accessPermissions, accessRights } from "../../rules/aws/workload";
import type { PolicyStatement } from "../../rules/aws/statement";
import type { AwsAccess } from "./aws-access";
import { workloadRoles } from "./workload-roles";
import { type ObjectKind, anyObject, checkGiven, list, object, optional, text } from "../../model/shape";

/** Settings of {@link awsAccess}. */
export interface AwsAccessProps {
  /**
   * Statements of the role's inline policy; all of a role's within 10,240 characters.
   *
   * @defaultValue - none; then `managedPolicyArns` must permit something
   */
  readonly statements?: readonly PolicyStatement[];
  /**
   * ARNs of managed policies, of the account or of AWS; may be late.
   *
   * @defaultValue - none
   */
  readonly managedPolicyArns?: readonly string[];
  /**
   * Why a statement permits every action, or every action of a service, on every resource, or why a managed policy of
   * AWS for administrators is among them; stands in the description of the role.
   *
   * @defaultValue - such a statement is refused
   */
  readonly wideReason?: string;
}

const AWS_ACCESS_PROPS: ObjectKind<AwsAccessProps> = object({
  statements: optional(list(anyObject)),
  managedPolicyArns: optional(list(text)),
  wideReason: optional(text),
});

/**
 * What a service account may do in AWS.
 *
 * Throws `aws-access-empty`, `aws-statement-invalid`, `aws-statement-too-wide`, `aws-description-invalid`,
 * `aws-statement-sid-twice`, `aws-arn-invalid` or `aws-policy-too-long`.
 */
export function awsAccess(props: AwsAccessProps): AwsAccess {
  checkGiven("awsAccess()", AWS_ACCESS_PROPS, props);
  const permissions = accessPermissions({
    statements: props.statements ?? [],
    managedPolicyArns: props.managedPolicyArns ?? [],
    wideReason: props.wideReason,
  });
  return {
    cloud: "aws",
    ...permissions,
    rights: accessRights(permissions),
    defaultIdentities: () => workloadRoles(),
  };
}
