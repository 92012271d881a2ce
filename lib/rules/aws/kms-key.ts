/*
 * KMS keys in permissions, and what the policy of a key needs for them. Source: "Key policies in AWS KMS" of the KMS
 * developer guide: IAM policies count only where the key's own policy lets the account delegate.
 */

import { fail } from "../../errors";
import { isLate } from "../../model/late";
import { type PolicyStatement, oneOrMany } from "./policy-document";
import { partitions } from "./partitions";

const KEY_ARN = /^arn:([a-z-]+):kms:[a-z0-9-]+:(\d{12}):key\/[A-Za-z0-9-]+$/;

/** What a component needs that encrypts and decrypts with a key, itself and through other services. */
const USE: readonly string[] = [
  "kms:Decrypt",
  "kms:DescribeKey",
  "kms:Encrypt",
  "kms:GenerateDataKey",
  "kms:GenerateDataKeyWithoutPlainText",
  "kms:ReEncrypt*",
];
const GRANTS: readonly string[] = ["kms:CreateGrant", "kms:ListGrants", "kms:RevokeGrant"];

/** Returns the ARN of a key, checked where it is literal; throws `aws-kms-key-invalid`. */
export function kmsKeyArn(arn: string): string {
  if (isLate(arn)) return arn;
  const [, partition] = (typeof arn === "string" && KEY_ARN.exec(arn)) || [];
  return partitions.some(({ name }) => name === partition) ? arn : fail("aws-kms-key-invalid", arn);
}

/** The account of a key's literal ARN; `undefined` where the ARN is late. */
export function kmsKeyAccount(arn: string): string | undefined {
  return isLate(arn) ? undefined : KEY_ARN.exec(arn)?.[2];
}

/** Throws `aws-partition-mismatch` where the literal ARN of a key is of another partition than the role. */
export function requireKeyPartition(arn: string, partition: string | undefined): void {
  const its = isLate(arn) ? undefined : KEY_ARN.exec(arn)?.[1];
  if (its !== undefined && partition !== undefined && its !== partition)
    fail("aws-partition-mismatch", "a KMS key", its, partition);
}

/** The permissions to use keys; grants only for AWS services on the component's behalf. */
export function kmsStatements(keys: readonly string[]): PolicyStatement[] {
  return [
    { Effect: "Allow", Action: USE, Resource: oneOrMany(keys) },
    {
      Effect: "Allow",
      Action: GRANTS,
      Resource: oneOrMany(keys),
      Condition: { Bool: { "kms:GrantIsForAWSResource": true } },
    },
  ];
}

/**
 * The statements that the policy of a key needs for a role, unless it lets the role's account delegate with IAM
 * policies (the default policy of a key that is used within its own account does).
 */
export function kmsKeyPolicyStatements(roleArn: string): PolicyStatement[] {
  return kmsStatements(["*"]).map((statement) => ({ ...statement, Principal: { AWS: roleArn } }));
}
