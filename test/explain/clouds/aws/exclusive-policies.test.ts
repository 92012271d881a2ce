/*
 * Resources that own a whole list of policies, and take away what others attach: the Terraform provider for AWS says so
 * of aws_iam_role_policy_attachments_exclusive, aws_iam_role_policies_exclusive, aws_iam_policy_attachment, and of
 * managed_policy_arns and inline_policy of aws_iam_role.
 */

import { expect, it } from "vitest";
import { AlikeRoles } from "../../../../lib/explain/clouds/aws/alike-roles";
import { Roles } from "../../../../lib/explain/clouds/aws/iam";
import { AwsPermissions } from "../../../../lib/explain/clouds/aws/permission";
import { RepositoryPolicies } from "../../../../lib/explain/clouds/aws/repository-policies";
import type { PermissionAnswer } from "../../../../lib/explain/clouds/cloud";
import { Terraform } from "../../../../lib/explain/facts/terraform";
import { readTerraformConfiguration } from "../../../../lib/explain/facts/terraform-configuration";

const ACCOUNT = "111122223333";
const HOST = `${ACCOUNT}.dkr.ecr.eu-west-1.amazonaws.com`;
const PULL = "arn:aws:iam::aws:policy/AmazonEC2ContainerRegistryPullOnly";
const DENY = "arn:aws:iam::aws:policy/AWSDenyAll";
const ROLE = "${aws_iam_role.web.name}";

const json = (Effect: string, Action: string): string =>
  JSON.stringify({ Version: "2012-10-17", Statement: { Effect, Action, Resource: "*" } });
const attached = { aws_iam_role_policy_attachment: { pull: { role: ROLE, policy_arn: PULL } } };
const inline = {
  aws_iam_role_policy: { pull: { name: "pull", role: ROLE, policy: json("Allow", "ecr:*") } },
};
const attachments = (arns: unknown, role = ROLE): object => ({
  aws_iam_role_policy_attachments_exclusive: { all: { role_name: role, policy_arns: arns } },
});
const names = (policies: unknown, role = ROLE): object => ({
  aws_iam_role_policies_exclusive: { all: { role_name: role, policy_names: policies } },
});
const everywhere = (roles: readonly string[], arn = PULL): object => ({
  aws_iam_policy_attachment: { all: { name: "all", roles, policy_arn: arn } },
});
const secondInline = (name: string, policy: string): object => ({
  aws_iam_role_policy: { ...inline.aws_iam_role_policy, second: { name, role: ROLE, policy } },
});

function answers(more: object, own: object = {}): unknown[] {
  const { login, repository } = answersOf(more, own);
  return [login.status, repository.status];
}

function answersOf(more: object, own: object = {}): PermissionAnswer {
  const web = { name: "web", assume_role_policy: "{}", ...own };
  const value = {
    provider: { aws: { region: "eu-west-1", allowed_account_ids: [ACCOUNT] } },
    resource: { aws_iam_role: { web }, ...more },
  };
  const source = { file: "main.tf.json", path: "" };
  const terraform = new Terraform([readTerraformConfiguration(0, [{ value, source }])], []);
  const role = new Roles(terraform).ofArn(ACCOUNT, "web");
  if (!role) throw new Error("the configuration has no role");
  const assumed = { arn: `arn:aws:iam::${ACCOUNT}:role/web`, partition: "aws", account: ACCOUNT, role };
  return new AwsPermissions(new RepositoryPolicies(terraform), new AlikeRoles()).of(assumed, {
    host: HOST,
    path: "shop/web",
    name: `${HOST}/shop/web`,
  });
}

it.each<[string, object, object, string]>([
  ["attached alone", attached, {}, "pass"],
  ["attached, and in the list of attachments", { ...attached, ...attachments([PULL]) }, {}, "pass"],
  [
    "attached, and in the list by reference",
    { ...attached, ...attachments(["${aws_iam_role_policy_attachment.pull.policy_arn}"]) },
    {},
    "pass",
  ],
  [
    "attached, and in the list by an expression",
    { ...inline, ...names("${[for each in [aws_iam_role_policy.pull] : each.name]}") },
    {},
    "pass",
  ],
  ["attached, and not in the list", { ...attached, ...attachments([]) }, {}, "unknown"],
  [
    "attached, and not in the list by the role's name",
    { ...attached, ...attachments([], "web") },
    {},
    "unknown",
  ],
  ["attached, and not in the list of another role", { ...attached, ...attachments([], "web2") }, {}, "pass"],
  [
    "attached, and not in the list of one role of some",
    { ...attached, ...attachments([], "${[aws_iam_role.web.name][0]}") },
    {},
    "unknown",
  ],
  ["in the list of attachments alone", attachments([PULL]), {}, "pass"],
  [
    "inline, and one that denies in the list of attachments",
    { ...inline, ...attachments([DENY]) },
    {},
    "unknown",
  ],
  ["inline, and not in the list of names", { ...inline, ...names([]) }, {}, "unknown"],
  ["inline, and in the list of names", { ...inline, ...names(["pull"]) }, {}, "pass"],
  ["inline, and no attachments", { ...inline, ...attachments([]) }, {}, "pass"],
  ["attached here, and to other roles there", { ...attached, ...everywhere(["other"]) }, {}, "unknown"],
  ["attached here, and to this role too there", { ...attached, ...everywhere(["other", ROLE]) }, {}, "pass"],
  ["attached here, and another one there", { ...attached, ...everywhere(["other"], DENY) }, {}, "pass"],
  ["attached, the role wishes for none", attached, { managed_policy_arns: [] }, "unknown"],
  ["attached, the role wishes for it too", attached, { managed_policy_arns: [PULL] }, "pass"],
  [
    "attached, of a role that had none when it was read",
    attached,
    { managed_policy_arns: [], arn: `arn:aws:iam::${ACCOUNT}:role/web` },
    "pass",
  ],
  ["inline, the role wishes for none", inline, { inline_policy: [{}] }, "unknown"],
  ["inline, the role says nothing of any", inline, { inline_policy: [] }, "pass"],
  ["inline, another one of its name", secondInline("pull", json("Allow", "s3:*")), {}, "unknown"],
  ["inline, another one of another name", secondInline("other", json("Allow", "s3:*")), {}, "pass"],
  ["inline, the same again", secondInline("pull", json("Allow", "ecr:*")), {}, "pass"],
])("a policy %s", (_, more, own, status) => {
  expect(answers(more, own)).toEqual([status, status]);
});

// "IAM and AWS STS quotas" in the IAM user guide, which do not count white space.
it.each<[string, number, string, string]>([
  ["inline of 10,240 characters", 10_240, "", "pass"],
  ["inline of more", 10_241, "", "unknown"],
  ["inline of more with white space", 10_240, "  \n", "pass"],
])("a policy %s", (_, length, space, status) => {
  const document = json("Allow", "ecr:*");
  const padded = document.replace('"ecr:*"', `["ecr:*","s3:${"x".repeat(length - document.length - 8)}"]`);
  const policy = padded.replace(":", `:${space}`);
  expect(answers({ aws_iam_role_policy: { pull: { role: ROLE, policy } } })).toEqual([status, status]);
});

it.each([
  [6144, "pass"],
  [6145, "unknown"],
])("a managed policy of %d characters", (length, status) => {
  const document = json("Allow", "ecr:*");
  const policy = document.replace('"ecr:*"', `["ecr:*","s3:${"x".repeat(length - document.length - 8)}"]`);
  const arn = "${aws_iam_policy.pull.arn}";
  const more = {
    aws_iam_policy: { pull: { name: "pull", policy } },
    aws_iam_role_policy_attachment: { pull: { role: ROLE, policy_arn: arn } },
  };
  expect(answers(more)).toEqual([status, status]);
});

it("says who gives it and who takes it away", () => {
  expect(answersOf({ ...attached, ...attachments([]) }).repository).toMatchObject({
    reason:
      "a policy that decides about ecr:BatchGetImage is given to the role, and taken away or replaced by another resource",
    evidence: [
      { source: { path: "resource.aws_iam_role_policy_attachment.pull" } },
      { source: { path: "resource.aws_iam_role_policy_attachments_exclusive.all" } },
    ],
  });
});
