/*
 * Statements that IAM accepts although they permit nothing. Source: Service Authorization Reference, "Actions, resources,
 * and condition keys for Amazon S3" (resource types `bucket` and `object`) and of the other services.
 */

import { describe, expect, it } from "vitest";
import type { PolicyStatement } from "../../../lib/rules/aws/policy-document";
import { statementWarnings } from "../../../lib/rules/aws/statement-warnings";

const OBJECTS = "arn:aws:s3:::shop/*";
const BUCKET = "arn:aws:s3:::shop";
const QUEUE = "arn:aws:sqs:eu-west-1:111122223333:orders";
const LATE = "${TfToken[TOKEN.1]}";

const warn = (Action: PolicyStatement["Action"], Resource: PolicyStatement["Resource"]): readonly string[] =>
  statementWarnings([{ Effect: "Allow", Action, Resource }]);

describe("actions", () => {
  it.each([
    ["s3:GetObjekt", OBJECTS, "s3:GetObject"],
    ["s3:PutObjects", OBJECTS, "s3:PutObject"],
    ["s3:ListBuket", BUCKET, "s3:ListBucket"],
    ["sqs:SendMesage", QUEUE, "sqs:SendMessage"],
    ["SQS:receivemesage", QUEUE, "SQS:ReceiveMessage"],
    ["secretsmanager:GetSecretValu", "*", "secretsmanager:GetSecretValue"],
    ["s4:GetObject", OBJECTS, "s3:GetObject"],
    ["secretmanager:GetSecretValue", "*", "secretsmanager:GetSecretValue"],
  ])("%s is near %s", (action, resource, nearest) => {
    expect(warn(action, resource)).toEqual([
      expect.stringContaining(`action ${action} is not known, but ${nearest} is; `),
    ]);
  });

  it.each([
    ["s3:GetObject", OBJECTS],
    ["s3:getobject", OBJECTS],
    ["s3:GetObjec*", OBJECTS],
    ["s3:GetObjectTorrent", OBJECTS],
    ["kms:Encrypt", "*"],
    ["kms:Decrypt", "*"],
    ["sts:AssumeRoot", "*"],
    ["sns:Unsubscribe", "*"],
    ["ec2:DescribeInstanes", "*"],
    ["ses:SendEmail", "*"],
    ["ecr-public:BatchCheckLayerAvailability", "*"],
    ["s3express:CreateBucket", "*"],
    ["*", OBJECTS],
    [LATE, OBJECTS],
  ])("%s passes, since it exists or is not near a known one", (action, resource) => {
    expect(warn(action, resource)).toEqual([]);
  });

  it("are named once", () => {
    expect(warn(["s3:GetObjekt", "s3:GetObjekt"], [OBJECTS, `${OBJECTS}/a`])).toHaveLength(1);
  });
});

describe("objects and buckets", () => {
  it.each([
    ["s3:GetObject", BUCKET, `objects of S3, and ${BUCKET} is none`, `add ${OBJECTS}`],
    [
      "s3:PutObject",
      [BUCKET, `${BUCKET}2`],
      `objects of S3, and ${BUCKET}, ${BUCKET}2 are none`,
      `add ${OBJECTS}`,
    ],
    [
      ["sqs:SendMessage", "s3:DeleteObject"],
      BUCKET,
      "action s3:DeleteObject applies to objects",
      `add ${OBJECTS}`,
    ],
    ["s3:ListBucket", OBJECTS, `buckets of S3, and ${OBJECTS} is none`, `add ${BUCKET} `],
  ] as const)("%j on %j has no effect", (action, resource, problem, remedy) => {
    expect(warn(action, resource)).toEqual([expect.stringContaining(problem)]);
    expect(warn(action, resource)).toEqual([expect.stringContaining(remedy)]);
  });

  it.each([
    ["s3:GetObject", OBJECTS],
    ["s3:GetObject", [BUCKET, OBJECTS]],
    ["s3:GetObject", "arn:aws:s3:::shop*"],
    ["s3:GetObject", "*"],
    ["s3:GetObject", LATE],
    ["s3:GetObject", `${BUCKET}${LATE}`],
    ["s3:GetObject", "arn:aws:s3:eu-west-1:111122223333:accesspoint/shop/object/*"],
    ["s3:ListBucket", BUCKET],
    ["s3:ListBucket", "arn:aws:s3:::*"],
    ["s3:*", BUCKET],
  ] as const)("%j on %j may have one", (action, resource) => {
    expect(warn(action, resource)).toEqual([]);
  });
});

describe("regions", () => {
  it.each([
    ["arn:aws:s3:eu-west-1::shop/*", OBJECTS],
    ["arn:aws:iam:eu-west-1:111122223333:role/shop", "arn:aws:iam::111122223333:role/shop"],
  ])("%s matches nothing", (resource, right) => {
    expect(warn("iam:PassRole", resource)).toEqual([
      `resource ${resource} has a region, which ARNs of this service do not have, so it matches nothing: write ${right}`,
    ]);
  });

  it.each([
    "arn:aws:s3:*::shop/*",
    "arn:aws:s3:eu-west-1:111122223333:accesspoint/shop",
    `arn:aws:iam:${LATE}:111122223333:role/shop`,
    "arn:aws:iam::111122223333:role/shop",
    QUEUE,
  ])("%s may match", (resource) => {
    expect(warn("iam:PassRole", resource)).toEqual([]);
  });
});
