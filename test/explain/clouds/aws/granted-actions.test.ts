import { describe, expect, it } from "vitest";
import { actionsGranted } from "../../../../lib/explain/clouds/aws/granted-actions";
import type { RoleFact } from "../../../../lib/explain/clouds/aws/role-fact";

type Status = "pass" | "fail" | "unknown";

function role(more: Partial<RoleFact>): RoleFact {
  return {
    pathName: "prod",
    account: "111122223333",
    trustPolicy: "{}",
    policies: [],
    perhaps: [],
    boundary: undefined,
    adopted: false,
    source: { file: "main.tf.json", path: "" },
    ...more,
  };
}

const policy = (...Statement: readonly object[]): string =>
  JSON.stringify({ Version: "2012-10-17", Statement });
const ALLOW = { Effect: "Allow", Action: "ec2:CreateTags", Resource: "*" };

function asked(policyCondition?: object, resource = "*", action = "ec2:CreateTags"): Record<string, unknown> {
  const condition = policyCondition && { policyCondition };
  return { statementEntries: [{ effect: "Allow", action: [action], resource, ...condition }] };
}

// "IAM JSON policy elements: Condition operators" in the IAM user guide.
describe("a request's condition", () => {
  it.each<object>([
    { StringEquals: { "aws:RequestedRegion": "eu-west-1" } },
    { StringNotEquals: { "aws:RequestedRegion": "us-east-1" } },
    { StringNotLike: { "aws:PrincipalTag/x": ["a*", "b*"] } },
    { ArnNotEquals: { "aws:SourceArn": "arn:aws:s3:::x" } },
    // aws-load-balancer-operator, config/rbac: what is not tagged yet.
    {
      Null: {
        "aws:RequestTag/elbv2.k8s.aws/cluster": "true",
        "aws:ResourceTag/elbv2.k8s.aws/cluster": "false",
      },
    },
    { NumericLessThan: { "s3:max-keys": "10" } },
    { DateLessThan: { "aws:CurrentTime": "2030-01-01T00:00:00Z" } },
    { NotIpAddress: { "aws:SourceIp": "10.0.0.0/8" } },
    { "ForAllValues:StringEquals": { "aws:TagKeys": ["a", "b"] } },
    { "ForAnyValue:StringEquals": { "aws:TagKeys": ["a", "b"] } },
    { StringEqualsIfExists: { "ec2:ResourceTag/a": "b" } },
    { StringEquals: { "aws:ResourceTag/a": "${aws:PrincipalTag/a}" } },
  ])("%j, granted to the letter", (condition) => {
    const granted = role({ policies: [policy({ ...ALLOW, Condition: condition })] });
    expect(actionsGranted(granted, asked(condition))).toMatchObject({ status: "pass" });
    const bounded = role({ policies: [policy(ALLOW)], boundary: policy({ ...ALLOW, Condition: condition }) });
    expect(actionsGranted(bounded, asked(condition))).toMatchObject({ status: "pass" });
  });

  it.each<[string, object, object, Status]>([
    [
      "other letters",
      { StringEquals: { "AWS:requestedregion": "a" } },
      { stringequals: { "aws:RequestedRegion": "a" } },
      "pass",
    ],
    ["more values", { StringEquals: { k: ["a", "b"] } }, { StringEquals: { k: "a" } }, "pass"],
    ["fewer values", { StringEquals: { k: "a" } }, { StringEquals: { k: ["a", "b"] } }, "unknown"],
    ["another value", { StringEquals: { k: "b" } }, { StringEquals: { k: "a" } }, "fail"],
    [
      "fewer that are excluded",
      { StringNotEquals: { k: "a" } },
      { StringNotEquals: { k: ["a", "b"] } },
      "pass",
    ],
    [
      "more that are excluded",
      { StringNotEquals: { k: ["a", "b"] } },
      { StringNotEquals: { k: "a" } },
      "unknown",
    ],
    ["what is excluded is wanted", { StringEquals: { k: "a" } }, { StringNotEquals: { k: "a" } }, "unknown"],
    ["what is wanted is excluded", { StringNotEquals: { k: "a" } }, { StringEquals: { k: "a" } }, "fail"],
    ["a pattern to the letter", { StringEquals: { k: "a*" } }, { StringLike: { k: "a*" } }, "unknown"],
    ["a key that is absent", { StringEquals: { k: "a" } }, { Null: { k: "true" } }, "fail"],
    [
      "a key that may be absent",
      { StringEquals: { k: "a" } },
      { StringEqualsIfExists: { k: "a" } },
      "unknown",
    ],
    ["the opposite Null", { Null: { k: "false" } }, { Null: { k: "true" } }, "fail"],
    ["another key", { Null: { k: "true" } }, { Null: { l: "true" } }, "unknown"],
  ])("%s", (_, granted, wanted, status) => {
    const statement = { ...ALLOW, Condition: granted };
    expect(actionsGranted(role({ policies: [policy(statement)] }), asked(wanted))).toMatchObject({ status });
  });

  it("counts for what denies as well", () => {
    const condition = { StringNotEquals: { "aws:RequestedRegion": "us-east-1" } };
    const policies = [policy(ALLOW, { ...ALLOW, Effect: "Deny", Condition: condition })];
    expect(actionsGranted(role({ policies }), asked(condition))).toMatchObject({ status: "fail" });
    expect(actionsGranted(role({ policies }), asked())).toMatchObject({ status: "unknown" });
  });
});

// "Cross-account policy evaluation logic" in the IAM user guide.
describe("a resource of another account", () => {
  const key = "arn:aws:kms:eu-west-1:444455556666:key/1234abcd";
  const granted = policy({ Effect: "Allow", Action: "kms:*", Resource: "*" });
  it.each<[string, string, string, string, Status]>([
    ["whose policy was not read", granted, key, "111122223333", "unknown"],
    ["that is the role's", granted, key, "444455556666", "pass"],
    ["of a role whose account is not known", granted, key, "", "pass"],
    ["that the role may not use anyway", policy(ALLOW), key, "111122223333", "fail"],
    ["that its ARN does not name", granted, "arn:aws:s3:::reports/*", "111122223333", "pass"],
  ])("%s", (_, document, resource, account, status) => {
    const answer = actionsGranted(
      role({ policies: [document], account: "" }),
      asked(undefined, resource, "kms:Decrypt"),
      account,
    );
    expect(answer).toMatchObject({ status });
  });
});
