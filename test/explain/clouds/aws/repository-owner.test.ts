import { describe, expect, it } from "vitest";
import { ACCOUNT, ARN, OTHER, repositoryAnswer as answer } from "./repository-answer";

function ofRepository(...statements: readonly object[]): object {
  const policy = JSON.stringify({ Version: "2012-10-17", Statement: statements });
  return { aws_ecr_repository_policy: { web: { repository: "shop/web", policy } } };
}

function ofRegistry(...statements: readonly object[]): object {
  const policy = JSON.stringify({
    Version: "2012-10-17",
    Statement: statements.map((each) => ({ Resource: "*", ...each })),
  });
  return { aws_ecr_registry_policy: { all: { policy } } };
}

const DENY = { Effect: "Deny", Principal: "*", Action: "ecr:*" };
const PERHAPS = { ...DENY, Condition: { StringNotEquals: { "aws:SourceVpce": "vpce-1" } } };
const FOREIGN_ALLOW = { Effect: "Allow", Principal: { AWS: OTHER }, Action: "ecr:*" };

// "Policy evaluation logic" in the IAM user guide: within one account what is not allowed there takes nothing away,
// what is denied does.
describe("within one account, a policy", () => {
  it.each<[string, readonly object[], "pass" | "unknown" | "fail"]>([
    ["of nothing", [], "pass"],
    ["that allows others", [FOREIGN_ALLOW], "pass"],
    ["that allows under a condition", [{ ...PERHAPS, Effect: "Allow" }], "pass"],
    ["that denies", [DENY], "fail"],
    ["that denies under a condition", [PERHAPS], "unknown"],
    ["that allows others and denies under a condition", [FOREIGN_ALLOW, PERHAPS], "unknown"],
    ["that denies nobody in particular", [{ Effect: "Deny", Action: "ecr:*" }], "unknown"],
    ["that denies others", [{ ...DENY, Principal: { AWS: OTHER } }], "pass"],
  ])("%s", (_, statements, status) => {
    expect(answer(ofRepository(...statements))).toMatchObject({ status });
    expect(answer(ofRegistry(...statements))).toMatchObject({ status });
  });

  it("that may deny what it grants itself is not granted for certain", () => {
    const none = { Effect: "Allow", Action: "s3:*", Resource: "*" };
    const grant = { Effect: "Allow", Principal: { AWS: ARN }, Action: "ecr:*" };
    expect(answer(ofRepository(grant), ACCOUNT, none)).toMatchObject({ status: "pass" });
    expect(answer(ofRepository(grant, PERHAPS), ACCOUNT, none)).toMatchObject({ status: "unknown" });
    expect(answer(ofRepository(PERHAPS), ACCOUNT, none)).toMatchObject({ status: "fail" });
  });

  it("that grants does not undo a denial of the registry", () => {
    const none = { Effect: "Allow", Action: "s3:*", Resource: "*" };
    const grant = ofRepository({ Effect: "Allow", Principal: { AWS: ARN }, Action: "ecr:*" });
    expect(answer({ ...grant, ...ofRegistry(DENY) }, ACCOUNT, none)).toMatchObject({ status: "fail" });
    expect(answer({ ...grant, ...ofRegistry(PERHAPS) }, ACCOUNT, none)).toMatchObject({ status: "unknown" });
  });

  it("says which statement may deny it", () => {
    expect(answer(ofRepository(PERHAPS))).toMatchObject({
      reason: expect.stringContaining("statement 1 may deny it"),
    });
  });
});

// PutRepositoryPolicy replaces the policy that was there.
describe("of two policies of one repository", () => {
  const two = (one: object, other: object): object => ({
    aws_ecr_repository_policy: {
      one: { repository: "shop/web", policy: JSON.stringify({ Statement: one }) },
      two: { repository: "shop/web", policy: JSON.stringify({ Statement: other }) },
    },
  });
  const allow = { Effect: "Allow", Principal: { AWS: ACCOUNT }, Action: "ecr:*" };

  it.each<[string, object, object, string, "pass" | "unknown"]>([
    ["that deny and allow", DENY, allow, ACCOUNT, "unknown"],
    ["that allow and deny", allow, DENY, ACCOUNT, "unknown"],
    ["of which one lets another account in", FOREIGN_ALLOW, allow, OTHER, "unknown"],
    [
      "that say the same in another order",
      allow,
      { Principal: allow.Principal, Action: "ecr:*", Effect: "Allow" },
      ACCOUNT,
      "pass",
    ],
  ])("%s, the last one counts", (_, one, other, account, status) => {
    expect(answer(two(one, other), account)).toMatchObject({ status });
  });
});

// "Required IAM permissions" of pull through cache rules in the ECR user guide.
describe("a repository that caches another registry", () => {
  const rule = (prefix: string, more: object = {}): object => ({
    aws_ecr_pull_through_cache_rule: { x: { ecr_repository_prefix: prefix, ...more } },
  });
  const declared = { aws_ecr_repository: { web: { name: "shop/web" } } };
  const pulls = { Effect: "Allow", Action: ["ecr:BatchGet*", "ecr:Get*"], Resource: "*" };
  const imports = { ...pulls, Action: "ecr:*" };
  const grant = { Effect: "Allow", Action: "ecr:BatchImportUpstreamImage" };

  it.each<[string, object, object, "pass" | "unknown"]>([
    ["for a role that may not fetch", rule("shop"), pulls, "unknown"],
    ["for a role that may fetch", rule("shop"), imports, "pass"],
    [
      "for a role that may fetch elsewhere",
      rule("shop"),
      [pulls, { ...grant, Resource: "arn:aws:ecr:eu-west-1:111122223333:repository/other/*" }],
      "unknown",
    ],
    ["under another prefix", rule("sho"), pulls, "pass"],
    ["in another region", rule("shop", { region: "us-east-1" }), pulls, "pass"],
    ["by the rule of all others", rule("ROOT"), pulls, "unknown"],
    ["by the rule of all others, though declared", { ...rule("ROOT"), ...declared }, pulls, "pass"],
    ["that is declared", { ...rule("shop"), ...declared }, pulls, "unknown"],
    [
      "for a role that the registry lets fetch",
      { ...rule("shop"), ...ofRegistry({ ...grant, Principal: { AWS: ARN } }) },
      pulls,
      "pass",
    ],
    [
      "for another role that the registry lets fetch",
      { ...rule("shop"), ...ofRegistry({ ...grant, Principal: { AWS: `${ARN}2` } }) },
      pulls,
      "unknown",
    ],
  ])("%s", (_, more, own, status) => {
    expect(answer(more, ACCOUNT, own)).toMatchObject({ status });
  });
});

// "AWS global condition context keys" in the IAM user guide.
describe("a role whose own policy asks for", () => {
  const all = { Effect: "Allow", Action: "*", Resource: "*" };
  const deny = { ...all, Effect: "Deny" };
  const secure = { Bool: { "aws:SecureTransport": "true" } };
  const region = (operator: string, value: unknown): object => ({
    Condition: { [operator]: { "aws:RequestedRegion": value } },
  });

  it.each<[string, readonly object[], "pass" | "fail" | "unknown"]>([
    ["TLS", [{ ...all, Condition: secure }], "pass"],
    ["TLS by a denial", [all, { ...deny, Condition: { Bool: { "aws:SecureTransport": false } } }], "pass"],
    ["the registry's region", [{ ...all, ...region("StringEquals", "eu-west-1") }], "pass"],
    ["another region", [{ ...all, ...region("StringEquals", ["us-east-1"]) }], "fail"],
    [
      "regions by a denial",
      [all, { ...deny, ...region("StringNotEquals", ["eu-west-1", "us-east-1"]) }],
      "pass",
    ],
    ["other regions by a denial", [all, { ...deny, ...region("StringNotLike", "us-*") }], "fail"],
    ["a network", [{ ...all, Condition: { StringEquals: { "aws:SourceVpce": "vpce-1" } } }], "unknown"],
  ])("%s", (_, own, status) => {
    expect(answer({}, ACCOUNT, own)).toMatchObject({ status });
  });
});

it("between accounts, what nothing allows is refused whether or not it is denied besides", () => {
  expect(answer(ofRepository(PERHAPS), OTHER)).toMatchObject({ status: "fail" });
  expect(
    answer(ofRepository({ Effect: "Allow", Principal: { AWS: ARN }, Action: "ecr:*" }), OTHER),
  ).toMatchObject({
    status: "pass",
  });
});
