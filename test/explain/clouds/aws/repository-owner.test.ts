import { describe, expect, it } from "vitest";
import { AlikeRoles } from "../../../../lib/explain/clouds/aws/alike-roles";
import { Roles } from "../../../../lib/explain/clouds/aws/iam";
import { AwsPermissions } from "../../../../lib/explain/clouds/aws/permission";
import { RepositoryPolicies } from "../../../../lib/explain/clouds/aws/repository-policies";
import { Terraform } from "../../../../lib/explain/facts/terraform";
import { readTerraformConfiguration } from "../../../../lib/explain/facts/terraform-configuration";

const ACCOUNT = "111122223333";
const OTHER = "444455556666";
const HOST = "dkr.ecr.eu-west-1.amazonaws.com";
const ARN = `arn:aws:iam::${ACCOUNT}:role/web`;
const ALL = { Effect: "Allow", Action: "*", Resource: "*" };

/** The answer about `shop/web` for a role that may do everything; `own` replaces that. */
function answer(more: object, account = ACCOUNT, own: object = ALL): unknown {
  const value = {
    provider: { aws: [{ region: "eu-west-1", allowed_account_ids: [account] }] },
    resource: {
      aws_iam_role: { web: { name: "web", assume_role_policy: "{}" } },
      aws_iam_role_policy: { own: { role: "web", policy: JSON.stringify({ Statement: own }) } },
      ...more,
    },
  };
  const source = { file: "main.tf.json", path: "" };
  const terraform = new Terraform([readTerraformConfiguration(0, [{ value, source }])], []);
  const [resource] = terraform.ofType("aws_iam_role");
  const role = resource && new Roles(terraform).ofResource(resource);
  if (!role) throw new Error("the configuration has no role");
  const repository = { host: `${account}.${HOST}`, path: "shop/web", name: `${account}.${HOST}/shop/web` };
  return new AwsPermissions(new RepositoryPolicies(terraform), new AlikeRoles()).of(
    { arn: ARN, partition: "aws", account: ACCOUNT, role },
    repository,
  ).repository;
}

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
