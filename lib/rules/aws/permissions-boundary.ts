/*
 * Permissions boundaries of IAM roles. Source: "Permissions boundaries for IAM entities" in the IAM user guide: a
 * managed policy, of the role's own account or of AWS.
 */

import { fail } from "../../errors";
import { isLate } from "../../model/late";
import { partitions } from "./partitions";

const POLICY_ARN = /^arn:([a-z-]+):iam::(\d{12}|aws):policy\/(?:[\x21-\x7e]{1,510}\/)?[\w+=,.@-]{1,128}$/;

/** The account in the ARNs of policies that AWS manages. */
const MANAGED_BY_AWS = "aws";
const POLICY_FORM = "arn:<partition>:iam::<account>:policy/[<path>/]<name>";

/**
 * Returns the ARN of a permissions boundary, checked where it is literal.
 *
 * Throws `aws-arn-invalid`, `aws-partition-mismatch` or `aws-boundary-account-mismatch`.
 */
export function permissionsBoundary(arn: string, partition: string, account: string | undefined): string {
  if (isLate(arn)) return arn;
  const [, itsPartition, itsAccount] = (typeof arn === "string" && POLICY_ARN.exec(arn)) || [];
  if (!itsPartition || partitions.every(({ name }) => name !== itsPartition))
    return fail("aws-arn-invalid", "permissions boundary", arn, POLICY_FORM);
  if (itsPartition !== partition)
    fail("aws-partition-mismatch", "the permissions boundary", itsPartition, partition);
  const own = account === undefined || itsAccount === account || itsAccount === MANAGED_BY_AWS;
  return own ? arn : fail("aws-boundary-account-mismatch", arn, account);
}
