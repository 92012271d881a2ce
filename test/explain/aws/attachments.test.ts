/*
 * Policies of roles: given by other resources, by name alone, from other stacks or known only after apply, and taken away
 * again by resources that own whole lists. None of them may be overlooked, and none may be taken for the role's where it
 * may be another's. The Terraform provider for AWS says of aws_iam_role_policy_attachments_exclusive,
 * aws_iam_role_policies_exclusive, aws_iam_policy_attachment, and of managed_policy_arns and inline_policy of aws_iam_role
 * that they own their lists.
 */

import { describe, expect, it } from "vitest";
import { ACCOUNT, ARN, HOST, OTHER, aws, limited, policy, puller, repository } from "./read";

const ALLOW = { Effect: "Allow", Action: "ecr:*", Resource: "*" };
const DENY = { Effect: "Deny", Action: "ecr:BatchGetImage", Resource: "*" };
const OF_ANOTHER = { ...DENY, Resource: "arn:aws:ecr:eu-west-1:111122223333:repository/tools/*" };
const ROLE = "${aws_iam_role.web.name}";
/** A provider of no stated account. */
const ANY = { aws: { region: "eu-west-1" } };
const NOTHING = { Effect: "Allow", Action: "s3:*", Resource: "*" };

const inline = (role: string, statement: object, more: object = {}): object => ({
  aws_iam_role_policy: { other: { role, policy: policy(statement), ...more } },
});

/** A stack with the role and one policy of its own, and whatever else is given. */
function stack(own: object, more: object = {}, provider: object = {}): object {
  return {
    provider,
    resource: {
      aws_iam_role: { web: { name: "web", assume_role_policy: "{}" } },
      aws_iam_role_policy: {
        web: { role: "${aws_iam_role.web.name}", policy: policy(own) },
        ...(more as { aws_iam_role_policy?: object }).aws_iam_role_policy,
      },
      ...Object.fromEntries(Object.entries(more).filter(([type]) => type !== "aws_iam_role_policy")),
    },
  };
}

const statusOf = (...configurations: readonly object[]): string => repository(aws(...configurations)).status;
/** Within the account of the registry. */
const home = (own: object, more: object = {}): object => stack(own, more, limited());

describe("policies of a role known only after apply", () => {
  const module = "${module.eks.role_name}";
  const forEach = { for_each: "${var.roles}" };
  const attachment = {
    aws_iam_policy: { deny: { name: "deny", policy: policy(DENY) } },
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
    ["one for each of some roles that allows", ALLOW, inline("${each.value}", NOTHING, forEach), "pass"],
    [
      "one that is attached to each of some roles and denies",
      ALLOW,
      {
        ...attachment,
        aws_iam_role_policy_attachment: {
          other: { ...forEach, role: "${each.value}", policy_arn: "${aws_iam_policy.deny.arn}" },
        },
      },
      "unknown",
    ],
    ["perhaps not there", NOTHING, inline(ROLE, ALLOW, { count: "${var.n}" }), "unknown"],
    ["one that denies another repository", ALLOW, inline(module, OF_ANOTHER), "pass"],
    ["one that allows nothing of it", ALLOW, inline(module, NOTHING), "pass"],
    ["one that allows what the role's own do not", NOTHING, inline(module, ALLOW), "unknown"],
    ["one that allows as little", NOTHING, inline(module, NOTHING), "fail"],
    ["one that is not read puts nothing in doubt", ALLOW, inline(module, {}, { policy: "${var.p}" }), "pass"],
    ["one of one instance of another role", ALLOW, inline("${aws_iam_role.tools[0].name}", DENY), "pass"],
    ["not read, of roles among which it is", ALLOW, unread("${[aws_iam_role.web.name]}"), "unknown"],
    ["not read, of roles with it", ALLOW, unread("${concat(var.a, [aws_iam_role.web.id])}"), "unknown"],
    ["not read, of other roles", ALLOW, unread("${[aws_iam_role.web2.name]}"), "pass"],
    ["not read, of roles that nothing names", ALLOW, unread("${var.roles}"), "pass"],
    [
      "denying, of a list with another role",
      ALLOW,
      inline("${[aws_iam_role.a.name, var.b]}", DENY),
      "unknown",
    ],
  ])("%s", (_, own, more, status) => {
    expect(statusOf(home(own, more))).toBe(status);
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
    ["an element of a local that is not known", "${[local.map[var.x]]}", {}, "unknown"],
    ["an element of a list", "${[local.list[0]]}", {}, "unknown"],
    ["another element of a list", "${[local.two[0]]}", {}, "pass"],
    [
      "for_each, as a key of another role",
      "${[aws_iam_role.other[each.key].name]}",
      { for_each: { a: web } },
      "pass",
    ],
    ["a local that only has the words", "${[local.words]}", {}, "pass"],
    ["a local that is late", "${[local.late]}", {}, "pass"],
    ["for_each", "${[each.value]}", { for_each: "${toset([aws_iam_role.web.name])}" }, "unknown"],
    ["for_each, as a mapping", "${[each.value]}", { for_each: { a: web } }, "unknown"],
    ["for_each beside it", "${[var.r]}", { for_each: { a: web } }, "pass"],
    ["an object", "${[for name in values({a = aws_iam_role.web.name}) : name]}", {}, "unknown"],
  ])("mentioned by %s", (_, roles, more, status) => {
    expect(statusOf({ ...home(ALLOW, unread(roles, more)), locals: named })).toBe(status);
  });

  it("mentioned at the end of a long chain, and in a long text, is found in no time", () => {
    const steps = 200;
    const chain = Array.from({ length: steps }, (_, place) => [
      `a${place}`,
      [place === steps - 1 ? web : `\${local.a${place + 1}}`],
    ]);
    const locals = Object.fromEntries(chain) as object;
    expect(statusOf({ ...home(ALLOW, unread("${[local.a0]}")), locals })).toBe("unknown");
    const long = `\${[${"module.a[".repeat(100_000)}]}`;
    expect(statusOf(home(ALLOW, unread(long)))).toBe("pass");
  });

  it.each([
    ["of the same account", ACCOUNT, "unknown"],
    ["of another account", OTHER, "pass"],
  ])("in a stack %s", (_, account, status) => {
    const other = { provider: limited(account), resource: inline(module, DENY) };
    expect(statusOf(home(ALLOW), other)).toBe(status);
  });

  it("says what is in doubt", () => {
    expect(repository(aws(home(ALLOW, inline(module, DENY))))).toMatchObject({
      reason: "a policy that denies ecr:BatchGetImage, or may, is attached to a role that may be this one",
      evidence: [{ source: { file: "0.tf.json", path: "resource.aws_iam_role_policy.other" } }],
    });
  });
});

describe("policies of a role that is named in another stack", () => {
  it.each<[string, object, string, string, string]>([
    ["that allows, of one account", ALLOW, ACCOUNT, ACCOUNT, "pass"],
    ["that denies, of one account", { ...DENY, Action: "*" }, ACCOUNT, ACCOUNT, "fail"],
    ["that allows, of another account", ALLOW, ACCOUNT, OTHER, "fail"],
    ["that allows, of an account that is not known", ALLOW, ACCOUNT, "", "unknown"],
    ["that allows, where no account is known", ALLOW, "", "", "unknown"],
  ])("one %s", (_, statement, here, there, status) => {
    const provider = (account: string): object => (account === "" ? {} : limited(account));
    const other = { provider: provider(there), resource: inline("web", statement) };
    expect(statusOf(stack(NOTHING, {}, provider(here)), other)).toBe(status);
  });

  it("under another provider of one stack it may be the role", () => {
    expect(statusOf(home(NOTHING, inline("web", ALLOW, { provider: "aws.other" })))).toBe("unknown");
  });

  it("a stack that has a role of that name means its own", () => {
    const other = {
      provider: limited(OTHER),
      resource: { aws_iam_role: { web: { name: "web" } }, ...inline("web", DENY) },
    };
    expect(statusOf(home(ALLOW), other)).toBe("pass");
  });

  it("names are compared with their case", () => {
    const other = { provider: limited(), resource: inline("Web", DENY) };
    expect(statusOf(home(ALLOW), other)).toBe("pass");
  });
});

// "Policy evaluation logic", "Identity-based policies and resource-based policies" in the IAM user guide: within one
// account the union of both counts, and what is granted to the account is not granted to the role.
describe("a repository policy within one account", () => {
  const owner = (principal: unknown, provider: object = limited(), more: object = {}): object => ({
    provider,
    resource: {
      aws_ecr_repository_policy: {
        web: {
          repository: "shop/web",
          policy: policy({ Effect: "Allow", Principal: principal, Action: "ecr:*", ...more }),
        },
      },
    },
  });
  const condition = { Condition: { StringEquals: { "aws:PrincipalOrgID": "o-1" } } };

  it.each<[string, object, object, string]>([
    ["that names the role", NOTHING, owner({ AWS: ARN }), "unknown"],
    ["that names the account", NOTHING, owner({ AWS: `arn:aws:iam::${ACCOUNT}:root` }), "fail"],
    ["that names another role", NOTHING, owner({ AWS: `${ARN}2` }), "fail"],
    ["that names everyone", NOTHING, owner("*"), "unknown"],
    ["that names the role on a condition", NOTHING, owner({ AWS: ARN }, limited(), condition), "unknown"],
    ["of an account that is not known", NOTHING, owner({ AWS: ARN }, ANY), "unknown"],
    ["that names a role whose own policy denies", DENY, owner({ AWS: ARN }), "fail"],
    [
      "that grants one action of two",
      { ...ALLOW, Action: "ecr:BatchGetImage" },
      owner({ AWS: ARN }, limited(), { Action: "ecr:GetDownloadUrlForLayer" }),
      "unknown",
    ],
  ])("%s", (_, own, other, status) => {
    expect(statusOf(home(own), other)).toBe(status);
  });

  it("goes no further than the boundary", () => {
    const bounded = home(NOTHING, {
      aws_iam_policy: { bound: { name: "bound", policy: policy(NOTHING) } },
      aws_iam_role: {
        web: { name: "web", permissions_boundary: "${aws_iam_policy.bound.arn}", assume_role_policy: "{}" },
      },
    });
    expect(statusOf(bounded, owner({ AWS: ARN }))).toBe("fail");
  });
});

const PULL = "arn:aws:iam::aws:policy/AmazonEC2ContainerRegistryPullOnly";
const DENIES = "arn:aws:iam::aws:policy/AWSDenyAll";

describe("a resource that owns a list of policies", () => {
  const text = (Effect: string, Action: string): string => policy({ Effect, Action, Resource: "*" });
  const attached = { aws_iam_role_policy_attachment: { pull: { role: ROLE, policy_arn: PULL } } };
  const own = { aws_iam_role_policy: { pull: { name: "pull", role: ROLE, policy: text("Allow", "ecr:*") } } };
  const attachments = (arns: unknown, role = ROLE): object => ({
    aws_iam_role_policy_attachments_exclusive: { all: { role_name: role, policy_arns: arns } },
  });
  const names = (policies: unknown, role = ROLE): object => ({
    aws_iam_role_policies_exclusive: { all: { role_name: role, policy_names: policies } },
  });
  const everywhere = (roles: readonly string[], arn = PULL): object => ({
    aws_iam_policy_attachment: { all: { name: "all", roles, policy_arn: arn } },
  });
  const second = (name: string, document: string): object => ({
    aws_iam_role_policy: { ...own.aws_iam_role_policy, second: { name, role: ROLE, policy: document } },
  });
  const declared = {
    aws_iam_policy: { pull: { name: "pull", policy: text("Allow", "ecr:*") } },
    aws_iam_role_policy_attachment: { pull: { role: ROLE, policy_arn: "${aws_iam_policy.pull.arn}" } },
  };
  const literal = `arn:aws:iam::${ACCOUNT}:policy/pull`;

  function answers(more: object, role: object = {}): readonly string[] {
    const value = {
      provider: limited(),
      resource: { aws_iam_role: { web: { name: "web", assume_role_policy: "{}", ...role } }, ...more },
    };
    const read = aws(value);
    return [puller(read).rights.login(HOST).status, repository(read).status];
  }

  it("is not asked about a policy of another account, which IAM attaches to no role", () => {
    const [own, another] = [ACCOUNT, OTHER].map((account) => ({ allowed_account_ids: [account] }));
    const of = (provider: string): string => {
      const pull = { ...declared.aws_iam_policy.pull, provider };
      const role = { web: { name: "web", assume_role_policy: "{}" } };
      const resource = { ...declared, aws_iam_role: role, aws_iam_policy: { pull } };
      return statusOf({ provider: { aws: [own, { ...another, alias: "other" }] }, resource });
    };
    expect([of("aws"), of("aws.other")]).toEqual(["pass", "fail"]);
  });

  it.each<[string, object, object, string]>([
    ["attached alone", attached, {}, "pass"],
    ["attached, and in the list of attachments", { ...attached, ...attachments([PULL]) }, {}, "unknown"],
    [
      "attached, and in the list by reference",
      { ...attached, ...attachments(["${aws_iam_role_policy_attachment.pull.policy_arn}"]) },
      {},
      "unknown",
    ],
    [
      "attached, and in the list by an expression",
      { ...own, ...names("${[for each in [aws_iam_role_policy.pull] : each.name]}") },
      {},
      "unknown",
    ],
    ["attached, and not in the list", { ...attached, ...attachments([]) }, {}, "unknown"],
    ["attached, not in the list by role name", { ...attached, ...attachments([], "web") }, {}, "unknown"],
    ["attached, not in another role's list", { ...attached, ...attachments([], "web2") }, {}, "pass"],
    [
      "attached, and not in the list of one role of some",
      { ...attached, ...attachments([], "${[aws_iam_role.web.name][0]}") },
      {},
      "unknown",
    ],
    ["in the list of attachments alone", attachments([PULL]), {}, "unknown"],
    ["inline, and a denial in the list", { ...own, ...attachments([DENIES]) }, {}, "unknown"],
    ["inline, and not in the list of names", { ...own, ...names([]) }, {}, "unknown"],
    ["inline, and in the list of names", { ...own, ...names(["pull"]) }, {}, "unknown"],
    ["inline, and no attachments", { ...own, ...attachments([]) }, {}, "unknown"],
    ["attached here, and to other roles there", { ...attached, ...everywhere(["other"]) }, {}, "unknown"],
    ["attached here, and there too", { ...attached, ...everywhere(["other", ROLE]) }, {}, "unknown"],
    ["attached here, and another one there", { ...attached, ...everywhere(["other"], DENIES) }, {}, "pass"],
    ["attached, the role wishes for none", attached, { managed_policy_arns: [] }, "unknown"],
    ["attached, the role wishes for it too", attached, { managed_policy_arns: [PULL] }, "unknown"],
    ["attached, of a role read without any", attached, { managed_policy_arns: [], arn: ARN }, "pass"],
    ["inline, the role wishes for none", own, { inline_policy: [{}] }, "unknown"],
    ["inline, the role says nothing of any", own, { inline_policy: [] }, "pass"],
    ["inline, another one of its name", second("pull", text("Allow", "s3:*")), {}, "unknown"],
    ["inline, another one of another name", second("other", text("Allow", "s3:*")), {}, "pass"],
    ["inline, the same again", second("pull", text("Allow", "ecr:*")), {}, "pass"],
    // Through for_each, and by ARN where the policy is attached by reference.
    [
      "inline, and not in the list of one role for each of some",
      {
        ...own,
        aws_iam_role_policies_exclusive: {
          all: { for_each: { a: ROLE }, role_name: "${each.value}", policy_names: [] },
        },
      },
      {},
      "unknown",
    ],
    [
      "inline, and in the list of one role for each of some",
      {
        ...own,
        aws_iam_role_policies_exclusive: {
          all: { for_each: { web: ["pull"] }, role_name: "${each.key}", policy_names: "${each.value}" },
        },
      },
      {},
      "unknown",
    ],
    ["declared, and not in the list by ARN", { ...declared, ...attachments([`${literal}2`]) }, {}, "unknown"],
    ["declared, and in the list by ARN", { ...declared, ...attachments([literal]) }, {}, "unknown"],
    ["declared, to others by ARN", { ...declared, ...everywhere(["other"], literal) }, {}, "unknown"],
    ["declared, to this one too by ARN", { ...declared, ...everywhere([ROLE], literal) }, {}, "unknown"],
  ])("a policy %s", (_, more, role, status) => {
    expect(answers(more, role)).toEqual([status, status]);
  });

  // "IAM and AWS STS quotas" in the IAM user guide, which do not count white space. IAM takes no longer one, so that the
  // role has none.
  it.each<[string, number, string, string]>([
    ["inline of 10,240 characters", 10_240, "", "pass"],
    ["inline of more", 10_241, "", "fail"],
    ["inline of more with white space", 10_240, "  \n", "pass"],
  ])("a policy %s", (_, length, space, status) => {
    const document = text("Allow", "ecr:*");
    const padded = document.replace('"ecr:*"', `["ecr:*","s3:${"x".repeat(length - document.length - 8)}"]`);
    const written = padded.replace(":", `:${space}`);
    expect(answers({ aws_iam_role_policy: { pull: { role: ROLE, policy: written } } })).toEqual([
      status,
      status,
    ]);
  });

  it.each([
    [6144, "pass"],
    [6145, "fail"],
  ])("a managed policy of %d characters", (length, status) => {
    const document = text("Allow", "ecr:*");
    const written = document.replace('"ecr:*"', `["ecr:*","s3:${"x".repeat(length - document.length - 8)}"]`);
    const more = { ...declared, aws_iam_policy: { pull: { name: "pull", policy: written } } };
    expect(answers(more)).toEqual([status, status]);
  });

  it("says who may take it away", () => {
    const value = {
      provider: limited(),
      resource: {
        aws_iam_role: { web: { name: "web", assume_role_policy: "{}" } },
        ...attached,
        ...attachments([]),
      },
    };
    expect(repository(aws(value))).toMatchObject({
      reason: expect.stringContaining(
        "aws_iam_role_policy_attachments_exclusive.all, which is not read, may change it",
      ) as string,
      evidence: [{ source: { path: "resource.aws_iam_role_policy_attachments_exclusive.all" } }],
    });
  });
});

// What a module makes of what it is given is not known.
describe("the call of a module", () => {
  const call = (args: object): object => ({ module: { x: { source: "./x", ...args } } });
  it.each<[string, object, string]>([
    ["that is given nothing of it", { name: "other" }, "pass"],
    ["that is given the role", { roles: ["${aws_iam_role.web.name}"] }, "unknown"],
    [
      "that is given the role among others",
      { roles: '${element([1, "x", true, aws_iam_role.web.name, var.x["y"]], 0)}' },
      "unknown",
    ],
    ["that is given values alone", { roles: '${element([1, "x", true, null], 0)}' }, "pass"],
    ["that is given the role's ARN", { arn: ARN }, "unknown"],
    ["that is given the role's name", { role: "web" }, "unknown"],
    ["that is given a text with the name in it", { role: "webapp" }, "pass"],
    ["that is given the role's policy", { policy: "${aws_iam_role_policy.web.id}" }, "unknown"],
    ["that is given the repository", { repository: "${aws_ecr_repository.web.name}" }, "unknown"],
    ["that is given another repository", { repository: "${aws_ecr_repository.api.name}" }, "pass"],
  ])("%s", (_, args, status) => {
    const more = { aws_ecr_repository: { web: { name: "shop/web" }, api: { name: "shop/api" } } };
    const answer = repository(aws({ ...home(ALLOW, more), ...call(args) }));
    expect(answer.status).toBe(status);
    if (status === "unknown") expect(answer.remedy).toContain("terraform show -json");
  });

  it("leaves a certain denial as it is", () => {
    expect(statusOf({ ...home(DENY), ...call({ role: "web" }) })).toBe("fail");
  });

  it("does not matter where a plan has its resources", () => {
    const plan = {
      format_version: "1.0",
      values: {
        root_module: {
          child_modules: [
            {
              resources: [
                {
                  address: "module.x.aws_iam_role.y",
                  type: "aws_iam_role",
                  mode: "managed",
                  values: { name: "y" },
                },
              ],
            },
          ],
        },
      },
    };
    expect(statusOf({ ...home(ALLOW), ...call({ role: "web" }) }, plan)).toBe("pass");
  });
});
