/*
 * Permissions boundaries of IAM roles. Source: "Permissions boundaries for IAM entities" in the IAM user guide: a
 * managed policy, of the role's own account or of AWS.
 */

import { fail } from "../../errors";
import { isLate } from "../../model/late";
import { partitions } from "./partitions";

const POLICY_ARN = /^arn:([a-z-]+):iam::(\d{12}|aws):policy\/(?:[\x21-\x7e]{1,510}\/)?[\w+=,.@-]{1,128}$/;

/** The account in the ARNs of policies that AWS manages. */
export const MANAGED_BY_AWS = "aws";
const POLICY_FORM = "arn:<partition>:iam::<account>:policy/[<path>/]<name>";

/** What the ARN of a managed policy says. */
export interface ManagedPolicyArn {
  /** Name of the partition. */
  readonly partition: string;
  /** The account, or `aws` for a policy that AWS manages. */
  readonly account: string;
}

/** Reads the ARN of a managed policy; `undefined` for a late one. Throws `aws-arn-invalid`. */
export function managedPolicyArn(arn: string, what: string): ManagedPolicyArn | undefined {
  if (isLate(arn)) return undefined;
  const [, partition, account] = (typeof arn === "string" && POLICY_ARN.exec(arn)) || [];
  if (!partition || !account || partitions.every(({ name }) => name !== partition))
    return fail("aws-arn-invalid", what, arn, POLICY_FORM);
  return { partition, account };
}

/**
 * Returns the ARN of a permissions boundary, checked where it is literal, as far as partition and account are known.
 *
 * Throws `aws-arn-invalid`, `aws-partition-mismatch` or `aws-boundary-account-mismatch`.
 */
export function permissionsBoundary(
  arn: string,
  partition: string | undefined,
  account: string | undefined,
): string {
  const its = managedPolicyArn(arn, "permissions boundary");
  if (!its) return arn;
  if (partition !== undefined && its.partition !== partition)
    fail("aws-partition-mismatch", "the permissions boundary", its.partition, partition);
  const own = account === undefined || its.account === account || its.account === MANAGED_BY_AWS;
  return own ? arn : fail("aws-boundary-account-mismatch", arn, account);
}
