import { AlikeRoles } from "../../../../lib/explain/clouds/aws/alike-roles";
import { Roles } from "../../../../lib/explain/clouds/aws/iam";
import { AwsPermissions } from "../../../../lib/explain/clouds/aws/permission";
import { RepositoryPolicies } from "../../../../lib/explain/clouds/aws/repository-policies";
import { Terraform } from "../../../../lib/explain/facts/terraform";
import { readTerraformConfiguration } from "../../../../lib/explain/facts/terraform-configuration";

/** Account of the role. */
export const ACCOUNT = "111122223333";
/** Another account. */
export const OTHER = "444455556666";
const HOST = "dkr.ecr.eu-west-1.amazonaws.com";
/** The role. */
export const ARN = `arn:aws:iam::${ACCOUNT}:role/web`;
const ALL = { Effect: "Allow", Action: "*", Resource: "*" };

/** The answer about `shop/web` of an account for a role that may do everything; `own` replaces that. */
export function repositoryAnswer(more: object, account = ACCOUNT, own: object = ALL): unknown {
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
