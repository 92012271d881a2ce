import { describe, expect, it } from "vitest";
import {
  kmsKeyAccount,
  kmsKeyArn,
  kmsStatements,
  requireKeyPartition,
} from "../../../lib/rules/aws/narrowing";
import { code } from "../../support/refusal";

const KEY = "arn:aws:kms:eu-west-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab";

describe("keys of KMS", () => {
  // openshift/cloud-credential-operator and the EBS CSI driver: what a component that encrypts volumes calls.
  it("are used by these actions, and granted only for services of AWS", () => {
    expect(kmsStatements([KEY])).toEqual([
      {
        Effect: "Allow",
        Action: [
          "kms:Decrypt",
          "kms:DescribeKey",
          "kms:Encrypt",
          "kms:GenerateDataKey",
          "kms:GenerateDataKeyWithoutPlainText",
          "kms:ReEncrypt*",
        ],
        Resource: KEY,
      },
      {
        Effect: "Allow",
        Action: ["kms:CreateGrant", "kms:ListGrants", "kms:RevokeGrant"],
        Resource: KEY,
        Condition: { Bool: { "kms:GrantIsForAWSResource": true } },
      },
    ]);
  });

  it("are named by the ARN of a key, of a partition and an account", () => {
    expect([kmsKeyArn(KEY), kmsKeyAccount(KEY)]).toEqual([KEY, "111122223333"]);
    for (const arn of [
      KEY.replace(":key/", ":alias/"),
      KEY.replace("aws:kms", "aws-x:kms"),
      `${KEY}/x`,
      "key",
    ])
      expect(() => kmsKeyArn(arn)).toThrowError(code("aws-invalid: the KMS key is not the ARN of a key"));
    expect(() => requireKeyPartition(KEY, "aws-cn")).toThrowError(
      code("aws-mismatch: is in another AWS partition than the rest of the chain"),
    );
    expect(() => requireKeyPartition(KEY, "aws")).not.toThrow();
  });
});
