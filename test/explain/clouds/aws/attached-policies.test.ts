/*
 * Policies whose role is not named by reference: of another stack, by name alone, or known only after apply. None of
 * them may be overlooked, and none may be taken for the role's where it may be another's.
 */

import { describe, expect, it } from "vitest";
import { AlikeRoles } from "../../../../lib/explain/clouds/aws/alike-roles";
import { Roles } from "../../../../lib/explain/clouds/aws/iam";
import { AwsPermissions } from "../../../../lib/explain/clouds/aws/permission";
import { RepositoryPolicies } from "../../../../lib/explain/clouds/aws/repository-policies";
import { CallerValue, Terraform, type TerraformScope } from "../../../../lib/explain/facts/terraform";
import { readTerraformConfiguration } from "../../../../lib/explain/facts/terraform-configuration";

const ACCOUNT = "111122223333";
const ARN = `arn:aws:iam::${ACCOUNT}:role/web`;
const HOST = `${ACCOUNT}.dkr.ecr.eu-west-1.amazonaws.com`;
const ALLOW = { Effect: "Allow", Action: "ecr:*", Resource: "*" };
const DENY = { Effect: "Deny", Action: "ecr:BatchGetImage", Resource: "*" };
const OF_ANOTHER = { ...DENY, Resource: "arn:aws:ecr:eu-west-1:111122223333:repository/tools/*" };
const NOTHING = { Effect: "Allow", Action: "s3:*", Resource: "*" };

const json = (statement: object): string => JSON.stringify({ Version: "2012-10-17", Statement: statement });
const limited = (account: string): object => ({ aws: { allowed_account_ids: [account] } });
const inline = (role: string, statement: object, more: object = {}): object => ({
  aws_iam_role_policy: { other: { role, policy: json(statement), ...more } },
});

/** A stack with the role and one policy of its own, and whatever else is given. */
function stack(own: object, more: object = {}, provider: object = {}): object {
  return {
    provider,
    resource: {
      aws_iam_role: { web: { name: "web", assume_role_policy: "{}" } },
      aws_iam_role_policy: {
        web: { role: "${aws_iam_role.web.name}", policy: json(own) },
        ...(more as { aws_iam_role_policy?: object }).aws_iam_role_policy,
      },
      ...Object.fromEntries(Object.entries(more).filter(([type]) => type !== "aws_iam_role_policy")),
    },
  };
}

function repositoryAnswer(...configurations: readonly object[]): { status: string; reason: string } {
  const scopes = configurations.map((value, id) =>
    readTerraformConfiguration(id, [{ value, source: { file: `${id}.tf.json`, path: "" } }]),
  );
  return answerOf(scopes);
}

function answerOf(scopes: readonly TerraformScope[]): { status: string; reason: string } {
  const terraform = new Terraform(scopes, []);
  const role = new Roles(terraform).ofArn(ACCOUNT, "web");
  if (!role) throw new Error("the configuration has no role");
  const assumed = { arn: ARN, partition: "aws", account: ACCOUNT, role };
  const repository = { host: HOST, path: "shop/web", name: `${HOST}/shop/web` };
  const permissions = new AwsPermissions(new RepositoryPolicies(terraform), new AlikeRoles());
  return permissions.of(assumed, repository).repository;
}

describe("policies of a role that only apply will tell", () => {
  const module = "${module.eks.role_name}";
  const forEach = { for_each: "${var.roles}" };
  const attachment = {
    aws_iam_policy: { deny: { name: "deny", policy: json(DENY) } },
    aws_iam_role_policy_attachment: { other: { role: module, policy_arn: "${aws_iam_policy.deny.arn}" } },
  };

  const unread = (roles: string, more: object = {}): object => ({
    aws_iam_policy_attachment: {
      other: { roles, policy_arn: "arn:aws:iam::111122223333:policy/unread", ...more },
    },
  });

  it.each<[string, object, object, string]>([
    ["one that denies", ALLOW, inline(module, DENY), "unknown"],
    ["one that is attached and denies", ALLOW, attachment, "unknown"],
    ["one for each of some roles that denies", ALLOW, inline("${each.value}", DENY, forEach), "unknown"],
    ["one that denies another repository", ALLOW, inline(module, OF_ANOTHER), "pass"],
    ["one that allows nothing of it", ALLOW, inline(module, NOTHING), "pass"],
    ["one that allows what the role's own do not", NOTHING, inline(module, ALLOW), "unknown"],
    ["one that allows as little", NOTHING, inline(module, NOTHING), "fail"],
    ["one that is not read puts nothing in doubt", ALLOW, inline(module, {}, { policy: "${var.p}" }), "pass"],
    ["one of one instance of another role", ALLOW, inline("${aws_iam_role.tools[0].name}", DENY), "pass"],
    [
      "one that is not read, of roles among which it is",
      ALLOW,
      unread("${[aws_iam_role.web.name]}"),
      "unknown",
    ],
    [
      "one that is not read, of roles to which it is added",
      ALLOW,
      unread("${concat(var.a, [aws_iam_role.web.id])}"),
      "unknown",
    ],
    ["one that is not read, of other roles", ALLOW, unread("${[aws_iam_role.web2.name]}"), "pass"],
    ["one that is not read, of roles that nobody names", ALLOW, unread("${var.roles}"), "pass"],
    [
      "one that denies, of a list with another role",
      ALLOW,
      inline("${[aws_iam_role.a.name, var.b]}", DENY),
      "unknown",
    ],
    ["one of an instance of the role", ALLOW, inline("${aws_iam_role.web[0].name}", DENY), "unknown"],
  ])("%s", (_, own, more, status) => {
    expect(repositoryAnswer(stack(own, more)).status).toBe(status);
  });

  const web = "${aws_iam_role.web.name}";
  const named = {
    list: [web],
    two: ["x", web],
    map: { web, other: "x" },
    words: "aws_iam_role.web",
    late: "${var.x}",
  };

  it.each<[string, string, object, string]>([
    ["a local", "${local.list}", {}, "unknown"],
    ["an element of a local", "${[local.map.web]}", {}, "unknown"],
    ["an element of a local by its key", '${[local.map["web"]]}', {}, "unknown"],
    ["another element of a local", "${[local.map.other]}", {}, "pass"],
    ["an element of a local that nobody knows", "${[local.map[var.x]]}", {}, "unknown"],
    ["an element of a list", "${[local.list[0]]}", {}, "unknown"],
    ["another element of a list", "${[local.two[0]]}", {}, "pass"],
    [
      "what for_each goes through, in the key of another role",
      "${[aws_iam_role.other[each.key].name]}",
      { for_each: { a: web } },
      "pass",
    ],
    ["a local that only has the words", "${[local.words]}", {}, "pass"],
    ["a local that is late", "${[local.late]}", {}, "pass"],
    [
      "what for_each goes through",
      "${[each.value]}",
      { for_each: "${toset([aws_iam_role.web.name])}" },
      "unknown",
    ],
    ["what for_each goes through, as a mapping", "${[each.value]}", { for_each: { a: web } }, "unknown"],
    ["what for_each goes through beside it", "${[var.r]}", { for_each: { a: web } }, "pass"],
    ["an object", "${[for name in values({a = aws_iam_role.web.name}) : name]}", {}, "unknown"],
    ["a variable of the module's call", "${var.roles}", {}, "unknown"],
  ])("mentioned by %s", (_, roles, more, status) => {
    const configuration = { ...stack(ALLOW, unread(roles, more)), locals: named, variable: { roles: {} } };
    const source = { file: "0.tf.json", path: "" };
    const scope: TerraformScope = readTerraformConfiguration(0, [{ value: configuration, source }], {
      certain: true,
      variable: () => new CallerValue([web], () => [scope]),
    });
    expect(answerOf([scope]).status).toBe(status);
  });

  it("mentioned at the end of a long chain, and in a long text, is found in no time", () => {
    const steps = 20_000;
    const chain = Array.from({ length: steps }, (_, place) => [
      `a${place}`,
      [place === steps - 1 ? web : `\${local.a${place + 1}}`],
    ]);
    const locals = Object.fromEntries(chain) as object;
    expect(repositoryAnswer({ ...stack(ALLOW, unread("${[local.a0]}")), locals }).status).toBe("unknown");
    const long = `\${[${"module.a[".repeat(100_000)}]}`;
    expect(repositoryAnswer(stack(ALLOW, unread(long))).status).toBe("pass");
  });

  it.each([
    ["of the same account", ACCOUNT, "unknown"],
    ["of another account", "444455556666", "pass"],
  ])("in a stack %s", (_, account, status) => {
    const other = { provider: limited(account), resource: inline(module, DENY) };
    expect(repositoryAnswer(stack(ALLOW, {}, limited(ACCOUNT)), other).status).toBe(status);
  });

  it("says what is in doubt", () => {
    expect(repositoryAnswer(stack(ALLOW, inline(module, DENY)))).toMatchObject({
      reason: "a policy that denies ecr:BatchGetImage, or may, is attached to a role that may be this one",
      evidence: [{ source: { file: "0.tf.json", path: "resource.aws_iam_role_policy.other" } }],
    });
  });
});

describe("policies of a role that is named in another stack", () => {
  it.each<[string, object, string, string, string]>([
    ["that allows, of one account", ALLOW, ACCOUNT, ACCOUNT, "pass"],
    ["that denies, of one account", { ...DENY, Action: "*" }, ACCOUNT, ACCOUNT, "fail"],
    ["that allows, of another account", ALLOW, ACCOUNT, "444455556666", "fail"],
    ["that allows, of an account that is not known", ALLOW, ACCOUNT, "", "unknown"],
    ["that allows, where no account is known", ALLOW, "", "", "unknown"],
  ])("one %s", (_, statement, here, there, status) => {
    const provider = (account: string): object => (account === "" ? {} : limited(account));
    const other = { provider: provider(there), resource: inline("web", statement) };
    expect(repositoryAnswer(stack(NOTHING, {}, provider(here)), other).status).toBe(status);
  });

  it("under another provider of one stack it may be the role", () => {
    const more = inline("web", ALLOW, { provider: "aws.other" });
    expect(repositoryAnswer(stack(NOTHING, more)).status).toBe("unknown");
  });

  it("a stack that has a role of that name means its own", () => {
    const other = {
      provider: limited("444455556666"),
      resource: { aws_iam_role: { web: { name: "web" } }, ...inline("web", DENY) },
    };
    expect(repositoryAnswer(stack(ALLOW), other).status).toBe("pass");
  });
});

// "Policy evaluation logic", "Identity-based policies and resource-based policies" in the IAM user guide: within one
// account the union of both counts, and what is granted to the account is not granted to the role.
describe("a repository policy within one account", () => {
  const owner = (principal: unknown, provider: object = limited(ACCOUNT), more: object = {}): object => ({
    provider: { aws: { ...(provider as { aws?: object }).aws, region: "eu-west-1" } },
    resource: {
      aws_ecr_repository_policy: {
        web: {
          repository: "shop/web",
          policy: json({ Effect: "Allow", Principal: principal, Action: "ecr:*", ...more }),
        },
      },
    },
  });
  const condition = { Condition: { StringEquals: { "aws:PrincipalOrgID": "o-1" } } };

  it.each<[string, object, object, string]>([
    ["that names the role", NOTHING, owner({ AWS: ARN }), "pass"],
    ["that names the account", NOTHING, owner({ AWS: `arn:aws:iam::${ACCOUNT}:root` }), "fail"],
    ["that names another role", NOTHING, owner({ AWS: `${ARN}2` }), "fail"],
    ["that names everybody", NOTHING, owner("*"), "unknown"],
    [
      "that names the role on a condition",
      NOTHING,
      owner({ AWS: ARN }, limited(ACCOUNT), condition),
      "unknown",
    ],
    ["of an account that is not known", NOTHING, owner({ AWS: ARN }, {}), "unknown"],
    ["that names a role whose own policy denies", DENY, owner({ AWS: ARN }), "fail"],
    [
      "that grants one action of two",
      { ...ALLOW, Action: "ecr:BatchGetImage" },
      owner({ AWS: ARN }, limited(ACCOUNT), { Action: "ecr:GetDownloadUrlForLayer" }),
      "pass",
    ],
  ])("%s", (_, own, other, status) => {
    expect(repositoryAnswer(stack(own, {}, limited(ACCOUNT)), other).status).toBe(status);
  });

  it("goes no further than the boundary", () => {
    const bounded = stack(NOTHING, {
      aws_iam_policy: { bound: { name: "bound", policy: json(NOTHING) } },
      aws_iam_role: {
        web: { name: "web", permissions_boundary: "${aws_iam_policy.bound.arn}", assume_role_policy: "{}" },
      },
    });
    expect(repositoryAnswer(bounded, owner({ AWS: ARN })).status).toBe("fail");
  });
});
