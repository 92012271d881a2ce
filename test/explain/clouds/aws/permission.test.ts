import { describe, expect, it } from "vitest";
import { Roles } from "../../../../lib/explain/clouds/aws/iam";
import { AlikeRoles } from "../../../../lib/explain/clouds/aws/alike-roles";
import { AwsPermissions } from "../../../../lib/explain/clouds/aws/permission";
import { RepositoryPolicies } from "../../../../lib/explain/clouds/aws/repository-policies";
import { Terraform } from "../../../../lib/explain/facts/terraform";
import { readTerraformConfiguration } from "../../../../lib/explain/facts/terraform-configuration";

const ACCOUNT = "111122223333";
const ALL = '{"Version":"2012-10-17","Statement":{"Effect":"Allow","Action":"*","Resource":"*"}}';

/** The answer about a repository for the only role of a configuration. */
function repositoryAnswer(configuration: object, partition: string, host: string): unknown {
  const source = { file: "main.tf.json", path: "" };
  const terraform = new Terraform([readTerraformConfiguration(0, [{ value: configuration, source }])], []);
  const [resource] = terraform.ofType("aws_iam_role");
  const role = resource && new Roles(terraform).ofResource(resource);
  if (!role) throw new Error("the configuration has no role");
  const assumed = { arn: `arn:${partition}:iam::${ACCOUNT}:role/web`, partition, account: ACCOUNT, role };
  const repository = { host, path: "shop/web", name: `${host}/shop/web` };
  return new AwsPermissions(new RepositoryPolicies(terraform), new AlikeRoles()).of(assumed, repository)
    .repository;
}

const role = { web: { name: "web", assume_role_policy: "{}" } };
const aws_iam_role_policy = { all: { role: "web", policy: ALL } };
const declared = { resource: { aws_iam_role: role, aws_iam_role_policy } };
const lookedUp = { data: { aws_iam_role: role }, resource: { aws_iam_role_policy } };

describe("repository", () => {
  it.each([
    ["in the role's partition", "aws", "amazonaws.com", "eu-west-1", "pass"],
    ["in China, of a role in China", "aws-cn", "amazonaws.com.cn", "cn-north-1", "pass"],
    ["in China, of a role elsewhere", "aws", "amazonaws.com.cn", "cn-north-1", "fail"],
  ])("%s", (_, partition, suffix, region, status) => {
    const host = `${ACCOUNT}.dkr.ecr.${region}.${suffix}`;
    expect(repositoryAnswer(declared, partition, host)).toMatchObject({ status });
  });

  it("of a role that is only looked up cannot be told: others attach policies to it", () => {
    const host = `${ACCOUNT}.dkr.ecr.eu-west-1.amazonaws.com`;
    expect(repositoryAnswer(lookedUp, "aws", host)).toMatchObject({
      status: "unknown",
      reason: expect.stringContaining("is not declared in what was read"),
    });
  });
});
