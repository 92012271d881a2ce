import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { NOTHING_KNOWN } from "../../../../lib/rules/aws/policy/context";
import { evaluateAwsPermission, identityPolicies } from "../../../../lib/rules/aws/policy/permission";
import { readPolicy } from "../../../../lib/rules/aws/policy/policy";

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

// "IAM JSON policy elements: Sid" in the IAM user guide: letters and digits, unique within a policy. IAM takes no other
// policy, so that there is nothing that allows anything.
describe("the Sids of a policy", () => {
  it.each<readonly [readonly string[], string]>([
    [["Pull", "Login"], "allowed"],
    [["", ""], "allowed"],
    [["0", "a"], "allowed"],
    [["Pull", "Pull"], "denied"],
    [["Pull", "pull"], "allowed"],
    [["pull images", "Login"], "denied"],
    [["Pull-1", "Login"], "denied"],
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
    [{ Resource: undefined }, "denied"],
    [{ Resource: "${aws_ecr_repository.web.arn}" }, "unknown"],
    [{ Resource: ["${aws_ecr_repository.api.arn}", WEB] }, "allowed"],
    [{ Resource: undefined, NotResource: "${aws_ecr_repository.web.arn}" }, "unknown"],
    [{ Resource: [] }, "denied"],
    [{ Principal: "*" }, "denied"],
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

// The messages of the error MalformedPolicyDocument, of CreatePolicy and PutRolePolicy.
describe("a policy that IAM refuses is not there", () => {
  it.each<readonly [string, Json, string]>([
    ["should not specify a principal", { Principal: "*" }, "has a Principal"],
    ["must contain resources", { Resource: undefined }, "names no resource"],
    ["must contain resources, a list", { Resource: [] }, "names no resource"],
    ["must contain actions", { Action: undefined }, "has neither Action nor NotAction"],
    ["must contain actions, a list", { Action: [] }, "names no action"],
    ["must be prefaced by a vendor", { Action: "BatchGetImage" }, "not of the form <service>:<action>"],
    ["must be prefaced, also what is excepted", { Action: undefined, NotAction: "iam" }, "not of the form"],
    ["can contain only one colon", { Action: ["ecr:*", "ecr:Batch:*"] }, "not of the form"],
    ["must be in ARN format", { Resource: "shop/web" }, "neither an ARN nor *"],
    ["must be in ARN format, beside others", { Resource: [WEB, "web*"] }, "neither an ARN nor *"],
    ["must be in ARN format, by its prefix", { Resource: "ecr:repository/web" }, "neither an ARN nor *"],
    ["Syntax errors in policy", { Effect: "allow" }, "has no Effect of Allow or Deny"],
    ["Syntax errors in policy, an element", { Conditions: {} }, 'has the unknown element "Conditions"'],
    ["SID must be alpha-numeric", { Sid: "a b" }, "which does not consist only of letters and digits"],
  ])("%s: %j", (_, more, reason) => {
    const refused = policy({ Sid: "Fine" }, more);
    const decision = evaluateAwsPermission([refused], { action: ACTION, resource: WEB });
    expect(decision.outcome).toBe("denied");
    expect(decision.reason).toMatch(/^AWS refuses the policy: statement 2 /);
    expect(decision.reason).toContain(reason);
    // What it would deny it does not deny either.
    expect(outcomeOf([policy({}), policy({ Effect: "Deny" }, more)])).toBe("allowed");
  });

  it.each<readonly [string, Json, string]>([
    ["the star", { Resource: "*" }, "allowed"],
    ["an ARN with wildcards", { Resource: "arn:*:ecr:*:*:repository/*" }, "allowed"],
    // No source says which of these IAM takes.
    ["a wildcard before the first colon", { Resource: "*:repository/shop/web" }, "unknown"],
    ["one that does not match", { Resource: "*:repository/other" }, "denied"],
    ["a Terraform reference", { Resource: ["${aws_ecr_repository.web.arn}"] }, "unknown"],
    ["every action", { Action: ["*", "ecr:X"] }, "allowed"],
  ])("but takes %s: %j is %s", (_, more, outcome) => {
    expect(outcomeOf([policy(more)])).toBe(outcome);
  });
});

// "IAM JSON policy elements: Version" in the IAM user guide: variables are of 2012-10-17.
it.each<readonly [string | undefined, string, string]>([
  ["2012-10-17", "team-x", "allowed"],
  ["2012-10-17", "${aws:PrincipalTag/team}", "denied"],
  ["2008-10-17", "team-x", "denied"],
  ["2008-10-17", "${aws:PrincipalTag/team}", "allowed"],
  [undefined, "${aws:PrincipalTag/team}", "allowed"],
])("in version %s a variable in a condition on %s", (Version, value, outcome) => {
  const Condition = { StringEquals: { "aws:SourceVpc": "${aws:PrincipalTag/team}" } };
  const document = { ...policy({ Condition }), Version };
  expect(outcomeOf([document], { "aws:SourceVpc": value, "aws:PrincipalTag/team": "team-x" })).toBe(outcome);
});

describe("conditions", () => {
  it.each<readonly [Json, Record<string, string | string[] | null> | undefined, string]>([
    [{ StringEquals: { "aws:SourceVpc": "vpc-1" } }, undefined, "unknown"],
    [{ StringEquals: { "aws:SourceVpc": "vpc-1" } }, { "AWS:SOURCEVPC": "vpc-1" }, "allowed"],
    [{ StringEquals: { "aws:SourceVpc": "vpc-1" } }, { "aws:SourceVpc": "vpc-2" }, "denied"],
    [{ StringEquals: { "aws:SourceVpc": "vpc-1" } }, { "aws:SourceVpc": null }, "denied"],
    [{ StringEqualsIfExists: { "aws:SourceVpc": "vpc-1" } }, { "aws:SourceVpc": null }, "allowed"],
    [{ StringEquals: { "aws:SourceVpc": "vpc-1" } }, { "aws:SourceVpce": "vpce-1" }, "unknown"],
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

describe("two actions are judged once", () => {
  const allow = (Action: unknown, name: string): object => ({
    Effect: "Allow",
    Action,
    Resource: `arn:aws:ecr:eu-west-1:111122223333:repository/${name}`,
  });
  const [batch, layer] = [ACTION, "ecr:GetDownloadUrlForLayer"];

  it.each<readonly [string, readonly object[], boolean]>([
    ["where no statement tells them apart", [allow([batch, layer], "a"), allow("s3:*", "b")], true],
    ["unless one has a statement of its own", [allow("ecr:*", "a"), allow(batch, "b")], false],
    ["unless each has one", [allow(batch, "a"), allow(layer, "a")], false],
    ["unless of one it cannot be known", [allow([batch, "${x}"], "a")], false],
  ])("%s", (_, Statement, alike) => {
    const read = readPolicy({ Version: "2012-10-17", Statement }, "identity");
    const set = identityPolicies([{ policy: read, doubt: undefined }], NOTHING_KNOWN);
    expect(set.question(batch).isAlike(set.question(layer))).toBe(alike);
  });
});
