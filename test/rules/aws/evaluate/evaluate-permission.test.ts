import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { evaluateAwsPermission } from "../../../../lib/rules/aws/evaluate/evaluate-permission";

const WEB = "arn:aws:ecr:eu-west-1:111122223333:repository/shop/web";
const ACTION = "ecr:BatchGetImage";

type Json = Record<string, unknown>;

function policy(...statements: Json[]): Json {
  return {
    Version: "2012-10-17",
    Statement: statements.map((more) => ({ Effect: "Allow", Action: ACTION, Resource: WEB, ...more })),
  };
}

function outcomeOf(policies: unknown, context?: Record<string, string | string[] | null>): string {
  return evaluateAwsPermission(policies, { action: ACTION, resource: WEB, ...(context ? { context } : {}) })
    .outcome;
}

// "IAM JSON policy elements: Sid" in the IAM user guide: letters and digits, unique within a policy.
describe("the Sids of a policy", () => {
  it.each<readonly [readonly string[], string]>([
    [["Pull", "Login"], "allowed"],
    [["", ""], "allowed"],
    [["0", "a"], "allowed"],
    [["Pull", "Pull"], "unknown"],
    [["Pull", "pull"], "allowed"],
    [["pull images", "Login"], "unknown"],
    [["Pull-1", "Login"], "unknown"],
    [["${x}", "${x}"], "allowed"],
  ])("%j", (sids, outcome) => {
    expect(outcomeOf(policy(...sids.map((Sid) => ({ Sid }))))).toBe(outcome);
  });

  it("of another policy may be the same", () => {
    expect(outcomeOf([policy({ Sid: "Pull" }), policy({ Sid: "Pull" })])).toBe("allowed");
  });
});

describe("actions and resources", () => {
  // IAM user guide, "IAM JSON policy elements: Resource", "Action", "NotAction", "NotResource"
  it.each<readonly [Json, string]>([
    [{}, "allowed"],
    [{ Action: "ecr:*" }, "allowed"],
    [{ Action: "ECR:batchget*" }, "allowed"],
    [{ Action: "*" }, "allowed"],
    [{ Action: ["ecr:PutImage", "ecr:Batch?etImage"] }, "allowed"],
    [{ Action: "ecr:PutImage" }, "denied"],
    [{ Action: undefined, NotAction: "iam:*" }, "allowed"],
    [{ Action: undefined, NotAction: ["iam:*", "ecr:Batch*"] }, "denied"],
    [{ Resource: "*" }, "allowed"],
    [{ Resource: "arn:aws:ecr:*:*:repository/*" }, "allowed"],
    [{ Resource: "arn:aws:ecr:eu-west-1:111122223333:repository/shop/*" }, "allowed"],
    [{ Resource: "arn:aws:ecr:eu-west-1:111122223333:repository/shop" }, "denied"],
    [{ Resource: "arn:aws:ecr:eu-west-1:111122223333:repository/SHOP/*" }, "denied"],
    [{ Resource: "arn:aws:ecr:us-east-1:111122223333:repository/shop/web" }, "denied"],
    // A star at the end of a part may reach over the colon; one inside a part is not documented to.
    [{ Resource: "arn:aws:ecr:*:repository/shop/*" }, "allowed"],
    [{ Resource: "arn:aws:ecr:eu*3:repository/shop/web" }, "unknown"],
    [{ Resource: undefined, NotResource: "arn:aws:ecr:*:*:repository/base/*" }, "allowed"],
    [{ Resource: undefined, NotResource: ["arn:aws:ecr:*:*:repository/shop/*"] }, "denied"],
    [{ Resource: undefined }, "unknown"],
    [{ Resource: "${aws_ecr_repository.web.arn}" }, "unknown"],
    [{ Resource: ["${aws_ecr_repository.api.arn}", WEB] }, "allowed"],
    [{ Resource: undefined, NotResource: "${aws_ecr_repository.web.arn}" }, "unknown"],
    [{ Resource: [] }, "denied"],
    [{ Principal: "*" }, "unknown"],
  ])("%j is %s", (more, outcome) => {
    expect(outcomeOf([policy(more)])).toBe(outcome);
  });

  it("needs the star for actions without resource", () => {
    const login = { action: "ecr:GetAuthorizationToken", resource: "*" };
    const scoped = policy({ Action: "ecr:GetAuthorizationToken" });
    expect(evaluateAwsPermission([scoped], login).outcome).toBe("denied");
    expect(evaluateAwsPermission([policy({ Action: "ecr:Get*", Resource: "*" })], login).outcome).toBe(
      "allowed",
    );
  });
});

describe("conditions", () => {
  it.each<readonly [Json, Record<string, string | string[] | null> | undefined, string]>([
    [{ StringEquals: { "aws:SourceVpc": "vpc-1" } }, undefined, "unknown"],
    [{ StringEquals: { "aws:SourceVpc": "vpc-1" } }, { "AWS:SOURCEVPC": "vpc-1" }, "allowed"],
    [{ StringEquals: { "aws:SourceVpc": "vpc-1" } }, { "aws:SourceVpc": "vpc-2" }, "denied"],
    [{ StringEquals: { "aws:SourceVpc": "vpc-1" } }, { "aws:SourceVpc": null }, "denied"],
    [{ StringEqualsIfExists: { "aws:SourceVpc": "vpc-1" } }, { "aws:SourceVpc": null }, "allowed"],
    [{ StringEquals: { "aws:SourceVpc": "vpc-1" } }, { "aws:SourceVpce": "vpce-1" }, "unknown"],
    [{ Bool: { "aws:SecureTransport": "true" } }, { "aws:SecureTransport": "TRUE" }, "allowed"],
    [{ Bool: { "aws:SecureTransport": true } }, { "aws:SecureTransport": "false" }, "denied"],
    [
      { "ForAllValues:StringLike": { "aws:TagKeys": ["team*", "env"] } },
      { "aws:TagKeys": ["team-a", "env"] },
      "allowed",
    ],
    [
      { "ForAllValues:StringLike": { "aws:TagKeys": ["team*"] } },
      { "aws:TagKeys": ["team-a", "env"] },
      "denied",
    ],
    [
      { ArnLike: { "aws:PrincipalArn": "arn:aws:iam::*:role/ci-*" } },
      { "aws:PrincipalArn": "arn:aws:iam::111122223333:role/ci-x" },
      "allowed",
    ],
    [
      { ArnEquals: { "aws:PrincipalArn": "arn:aws:iam::*:role/ci-*" } },
      { "aws:PrincipalArn": "arn:aws:iam::111122223333:role/ci-x" },
      "allowed",
    ],
    [
      { ArnLike: { "aws:PrincipalArn": "arn:aws:iam*:role/ci-*" } },
      { "aws:PrincipalArn": "arn:aws:iam::111122223333:role/ci-x" },
      "denied",
    ],
    [
      { ArnNotLike: { "aws:PrincipalArn": "arn:aws:iam::*:role/ci-*" } },
      { "aws:PrincipalArn": "arn:aws:iam::111122223333:role/ci-x" },
      "denied",
    ],
    [{ NumericLessThan: { "aws:MultiFactorAuthAge": "3600" } }, { "aws:MultiFactorAuthAge": "1" }, "unknown"],
    [
      { StringEquals: { "aws:PrincipalTag/team": "${aws:RequestTag/team}" } },
      { "aws:PrincipalTag/team": "a", "aws:RequestTag/team": "a" },
      "allowed",
    ],
    [
      { StringEquals: { "aws:PrincipalTag/team": "${aws:RequestTag/team}" } },
      { "aws:PrincipalTag/team": "a" },
      "unknown",
    ],
  ])("%j with %j is %s", (Condition, context, outcome) => {
    expect(outcomeOf([policy({ Condition })], context)).toBe(outcome);
  });

  it("fills policy variables into resources, as literal text", () => {
    const own = policy({ Resource: "arn:aws:ecr:*:*:repository/${aws:PrincipalTag/team}/*" });
    expect(outcomeOf([own], { "aws:PrincipalTag/team": "shop" })).toBe("allowed");
    expect(outcomeOf([own], { "aws:PrincipalTag/team": "*" })).toBe("denied");
    expect(outcomeOf([own])).toBe("unknown");
  });
});

describe("several policies", () => {
  const deny = policy({ Effect: "Deny", Action: "ecr:*" });
  const unsure = policy({ Effect: "Deny", Condition: { Bool: { "aws:SecureTransport": "false" } } });
  it.each<readonly [string, unknown, string]>([
    ["none", [], "denied"],
    ["one without list", policy({}), "allowed"],
    ["JSON text", [JSON.stringify(policy({}))], "allowed"],
    ["an Allow in the second", [policy({ Action: "s3:*" }), policy({})], "allowed"],
    ["a Deny in the second", [policy({}), deny], "denied"],
    ["a Deny that may apply", [policy({}), unsure], "unknown"],
    ["a Deny that may apply beside a certain one", [unsure, policy({}), deny], "denied"],
    ["one that cannot be read beside an Allow", [policy({}), "${data.x.json}"], "unknown"],
    ["one that cannot be read beside a Deny", ["${data.x.json}", deny], "denied"],
    ["one that cannot be read", ["${data.x.json}"], "unknown"],
    ["nothing", undefined, "unknown"],
  ])("%s", (_, policies, outcome) => {
    expect(outcomeOf(policies)).toBe(outcome);
  });

  it("names policy and statement", () => {
    const { reason } = evaluateAwsPermission([policy({}), policy({ Sid: "Freeze", Effect: "Deny" })], {
      action: ACTION,
      resource: WEB,
    });
    expect(reason).toBe("statement Freeze of policy 2 denies it");
  });

  it("cannot tell for an action or resource of Terraform", () => {
    const resource = "${aws_ecr_repository.web.arn}";
    expect(evaluateAwsPermission([policy({})], { action: ACTION, resource }).outcome).toBe("unknown");
  });

  it("never throws", () => {
    fc.assert(
      fc.property(fc.anything(), fc.anything(), fc.anything(), (policies, request, context) => {
        evaluateAwsPermission(policies, request as never);
        evaluateAwsPermission(policies, { action: ACTION, resource: WEB, context } as never);
        expect(evaluateAwsPermission([policy({})], { action: ACTION, resource: WEB }).outcome).toBe(
          "allowed",
        );
      }),
      { numRuns: 1000 },
    );
  });
});
