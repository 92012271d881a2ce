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

it("between accounts, what nothing allows is refused whether or not it is denied besides", () => {
  expect(answer(ofRepository(PERHAPS), OTHER)).toMatchObject({ status: "fail" });
  expect(
    answer(ofRepository({ Effect: "Allow", Principal: { AWS: ARN }, Action: "ecr:*" }), OTHER),
  ).toMatchObject({
    status: "pass",
  });
});
