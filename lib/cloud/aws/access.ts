import { fail } from "../../errors";
import { isRecord } from "../../model/record";
import { accessInWords, accessPermissions } from "../../rules/aws/access";
import type { PolicyStatement } from "../../rules/aws/policy-document";
import type { AwsAccess } from "./aws-access";
import { workloadRoles } from "./workload-roles";

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

/**
 * What a service account may do in AWS.
 *
 * Throws `aws-access-empty`, `aws-statement-invalid`, `aws-statement-too-wide`, `aws-description-invalid`,
 * `aws-statement-sid-twice`, `aws-arn-invalid` or `aws-policy-too-long`.
 */
export function awsAccess(props: AwsAccessProps): AwsAccess {
  const given: unknown = props;
  if (!isRecord(given)) return fail("aws-access-empty");
  const permissions = accessPermissions({
    statements: props.statements ?? [],
    managedPolicyArns: props.managedPolicyArns ?? [],
    wideReason: props.wideReason,
  });
  return {
    cloud: "aws",
    ...permissions,
    permissions: accessInWords(permissions),
    defaultIdentities: () => workloadRoles(),
  };
}
