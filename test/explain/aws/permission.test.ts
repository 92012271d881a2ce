/*
 * What roles may do at registries of ECR: their own policies, those of organizations, and those of the owners.
 */

import { describe, expect, it } from "vitest";
import { known, unread } from "../../../lib/model/known";
import { ACCOUNT, ARN, HOST, OTHER, aws, limited, policy, puller, repository } from "./read";

const ALL = { Effect: "Allow", Action: "*", Resource: "*" };
const FOREIGN_HOST = HOST.replace(ACCOUNT, OTHER);
const WEB = `arn:aws:ecr:eu-west-1:${ACCOUNT}:repository/shop/web`;

type Status = "pass" | "fail" | "unknown";

/** A configuration with a role that may do everything; `own` replaces that. */
function stack(more: object, own: unknown = ALL, provider: object = limited()): object {
  return {
    provider,
    resource: {
      aws_iam_role: { web: { name: "web", assume_role_policy: "{}" } },
      aws_iam_role_policy: { own: { role: "web", policy: policy(...[own].flat()) } },
      ...more,
    },
  };
}

const answer = (more: object, own: unknown = ALL): { status: string; reason: string } =>
  repository(aws(stack(more, own)));

/** The answer about `shop/web` of another account, whose owner is read as well. */
const foreign = (more: object, region: object = {}): { status: string; reason: string } =>
  repository(
    aws(stack({}), { provider: limited(OTHER, region), resource: more }),
    `${FOREIGN_HOST}/shop/web`,
  );

function ofRepository(...statements: readonly object[]): object {
  return { aws_ecr_repository_policy: { web: { repository: "shop/web", policy: policy(...statements) } } };
}

function ofRegistry(...statements: readonly object[]): object {
  const every = statements.map((each) => ({ Resource: "*", ...each }));
  return { aws_ecr_registry_policy: { all: { policy: policy(...every) } } };
}

const DENY = { Effect: "Deny", Principal: "*", Action: "ecr:*" };
const PERHAPS = { ...DENY, Condition: { StringNotEquals: { "aws:SourceVpce": "vpce-1" } } };
const FOREIGN_ALLOW = { Effect: "Allow", Principal: { AWS: OTHER }, Action: "ecr:*" };

describe("partitions", () => {
  it.each<[string, string, string, string, Status]>([
    ["the role's", "aws", "amazonaws.com", "eu-west-1", "pass"],
    ["China, of a role in China", "aws-cn", "amazonaws.com.cn", "cn-north-1", "pass"],
    ["China, of a role elsewhere", "aws", "amazonaws.com.cn", "cn-north-1", "fail"],
  ])("a repository in %s", (_, partition, suffix, region, status) => {
    const arn = known(`arn:${partition}:iam::${ACCOUNT}:role/web`);
    const host = `${ACCOUNT}.dkr.ecr.${region}.${suffix}`;
    const read = aws(stack({}, ALL, { aws: { allowed_account_ids: [ACCOUNT] } }));
    expect(repository(read, `${host}/shop/web`, arn)).toMatchObject({ status });
  });
});

// Terraform provider for AWS, aws_ecr_repository: `id` is the name, `arn` the ARN of the repository.
describe("a repository that is named by reference", () => {
  const login = { Effect: "Allow", Action: "ecr:GetAuthorizationToken", Resource: "*" };
  const pulls = (Resource: string): object => ({ ...ALL, Action: "ecr:*", Resource });
  const declared = (name: string): object => ({ aws_ecr_repository: { r: { name } } });
  const by = (attribute: string): string => `\${aws_ecr_repository.r.${attribute}}`;
  const denied = { aws_ecr_repository_policy: { p: { repository: by("id"), policy: policy(DENY) } } };

  it.each<[string, object, unknown, Status]>([
    ["in the role's policy", declared("shop/web"), pulls(by("arn")), "pass"],
    ["in the role's policy, another one", declared("shop/api"), pulls(by("arn")), "fail"],
    ["in the owner's policy", { ...declared("shop/web"), ...denied }, ALL, "fail"],
    ["in the owner's policy, another one", { ...declared("shop/api"), ...denied }, ALL, "pass"],
  ])("%s", (_, more, own, status) => {
    expect(answer(more, [login, own])).toMatchObject({ status });
  });

  it("may be in the registry of another account", () => {
    const data = { aws_ecr_repository: { r: { name: "shop/web", registry_id: OTHER } } };
    const own = pulls("${data.aws_ecr_repository.r.arn}");
    expect(repository(aws({ ...stack({}, own), data })).status).toBe("fail");
  });

  it("may be in an account that is not known", () => {
    const open = stack(declared("shop/web"), pulls(by("arn")), { aws: { region: "eu-west-1" } });
    expect(repository(aws(open)).status).toBe("unknown");
  });
});

it("a role that is only looked up may have more policies than were read", () => {
  const { resource, provider } = stack({}) as { resource: { aws_iam_role: object }; provider: object };
  const { aws_iam_role: role, ...more } = resource;
  const lookedUp = { provider, data: { aws_iam_role: role }, resource: more };
  expect(repository(aws(lookedUp))).toMatchObject({
    status: "unknown",
    reason: expect.stringContaining("is not declared in what was read") as string,
  });
});

it("a role that is not known may do nothing that is known", () => {
  expect(repository(aws(stack({})), undefined, unread("another stack has it")).status).toBe("unknown");
});

// "Policy evaluation logic" in the IAM user guide: within one account what is not allowed there takes nothing away,
// what is denied does.
describe("within one account, a policy", () => {
  it.each<[string, readonly object[], Status]>([
    ["of nothing", [], "pass"],
    ["that allows others", [FOREIGN_ALLOW], "pass"],
    ["that allows under a condition", [{ ...PERHAPS, Effect: "Allow" }], "pass"],
    ["that denies", [DENY], "fail"],
    ["that denies under a condition", [PERHAPS], "unknown"],
    ["that allows others and denies under a condition", [FOREIGN_ALLOW, PERHAPS], "unknown"],
    ["that denies no one in particular", [{ Effect: "Deny", Action: "ecr:*" }], "unknown"],
    ["that denies others", [{ ...DENY, Principal: { AWS: OTHER } }], "pass"],
  ])("%s", (_, statements, status) => {
    expect(answer(ofRepository(...statements))).toMatchObject({ status });
    // What a registry's policy denies is only possible.
    expect(answer(ofRegistry(...statements))).toMatchObject({
      status: status === "fail" ? "unknown" : status,
    });
  });

  const none = { Effect: "Allow", Action: "s3:*", Resource: "*" };
  const grant = { Effect: "Allow", Principal: { AWS: ARN }, Action: "ecr:*" };

  it("that grants what the role's own policies do not is not judged", () => {
    expect(answer(ofRepository(grant), none)).toMatchObject({ status: "unknown" });
    expect(answer(ofRepository(grant, PERHAPS), none)).toMatchObject({ status: "unknown" });
    expect(answer(ofRepository(PERHAPS), none)).toMatchObject({ status: "fail" });
  });

  it("says which statement may deny it", () => {
    expect(answer(ofRepository(PERHAPS)).reason).toContain("statement 1 may deny it");
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

  it.each<[string, object, object, Status]>([
    ["that deny and allow", DENY, allow, "unknown"],
    ["that allow and deny", allow, DENY, "unknown"],
    ["that say the same", allow, { Principal: allow.Principal, Action: ["ecr:*"], Effect: "Allow" }, "pass"],
  ])("%s, the last one counts", (_, one, other, status) => {
    expect(answer(two(one, other))).toMatchObject({ status });
  });

  it.each<[string, object, Status]>([
    ["of the repository's place", {}, "pass"],
    ["of a place that is not known", { region: "${var.region}" }, "unknown"],
  ])("that is certain, no other has its place: %s", (_, place, status) => {
    const policies = {
      one: { repository: "shop/web", ...place, policy: policy(allow) },
      two: { repository: "${var.repository}", policy: policy(DENY) },
    };
    expect(answer({ aws_ecr_repository_policy: policies })).toMatchObject({ status });
  });

  it("of which one lets another account in, the last one counts", () => {
    const let_in = { ...FOREIGN_ALLOW, Principal: { AWS: ACCOUNT } };
    expect(foreign(two(let_in, DENY))).toMatchObject({ status: "unknown" });
  });
});

describe("the policy of a repository in a place that is not known", () => {
  const lets = ofRepository({ Effect: "Allow", Principal: { AWS: ARN }, Action: "ecr:*" });
  it.each<[string, object, Status]>([
    ["none", {}, "pass"],
    ["its region", { region: "${var.region}" }, "unknown"],
    ["its account", { allowed_account_ids: [] }, "unknown"],
    ["its region and another one", { region: "us-east-1" }, "unknown"],
  ])("lets no role of another account in for certain: %s", (_, place, status) => {
    expect(foreign(lets, place)).toMatchObject({ status });
  });

  it("keeps a role out", () => {
    expect(foreign(ofRepository(), { region: "${var.region}" })).toMatchObject({ status: "fail" });
    const region = {
      aws_ecr_repository_policy: {
        web: { repository: "shop/web", region: "${var.r}", policy: policy(DENY) },
      },
    };
    expect(answer(region)).toMatchObject({ status: "fail" });
  });
});

// A certain refusal counts, whatever else cannot be determined.
it.each<[string, object, Status]>([
  ["no policy", {}, "unknown"],
  ["a policy that does not let the role in", ofRepository({ ...FOREIGN_ALLOW }), "fail"],
  ["one that does", ofRepository({ Effect: "Allow", Principal: { AWS: ARN }, Action: "ecr:*" }), "unknown"],
])("a boundary that was not read, and %s of another account's repository", (_, owner, status) => {
  const bounded = stack({
    aws_iam_role: {
      web: {
        name: "web",
        assume_role_policy: "{}",
        permissions_boundary: `arn:aws:iam::${ACCOUNT}:policy/none`,
      },
    },
  });
  const read = aws(bounded, { provider: limited(OTHER), resource: owner });
  expect(repository(read, `${FOREIGN_HOST}/shop/web`)).toMatchObject({ status });
});

describe("a boundary that is named by its ARN", () => {
  const boundary = (arn: string, document: object, provider: object): object =>
    stack(
      {
        aws_iam_policy: { b: { name: "bound", path: "/team/", policy: policy(document) } },
        aws_iam_role: { web: { name: "web", assume_role_policy: "{}", permissions_boundary: arn } },
      },
      ALL,
      provider,
    );
  const nothing = { Effect: "Allow", Action: "s3:*", Resource: "*" };
  const BOUND = `arn:aws:iam::${ACCOUNT}:policy/team/bound`;
  it.each<[string, string, object, object, Status]>([
    ["allows", BOUND, ALL, limited(), "pass"],
    ["allows too little", BOUND, nothing, limited(), "fail"],
    ["is declared in an account not known", BOUND, nothing, { aws: {} }, "fail"],
    ["is not declared", `arn:aws:iam::${ACCOUNT}:policy/other`, ALL, limited(), "unknown"],
    ["is in another account", `arn:aws:iam::${OTHER}:policy/team/bound`, ALL, limited(), "unknown"],
  ])("%s", (_, arn, document, provider, status) => {
    expect(repository(aws(boundary(arn, document, provider)))).toMatchObject({ status });
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

  it.each<[string, object, unknown, Status]>([
    ["for a role that may not fetch", rule("shop"), pulls, "unknown"],
    ["for a role that may fetch", rule("shop"), imports, "pass"],
    [
      "for a role that may fetch elsewhere",
      rule("shop"),
      [pulls, { ...grant, Resource: `arn:aws:ecr:eu-west-1:${ACCOUNT}:repository/other/*` }],
      "unknown",
    ],
    ["under another prefix", rule("sho"), pulls, "pass"],
    ["under a prefix known only after apply", rule("${var.p}"), pulls, "unknown"],
    ["in another region", rule("shop", { region: "us-east-1" }), pulls, "pass"],
    ["by the rule of all others", rule("ROOT"), pulls, "unknown"],
    ["by the rule of all others, though declared", { ...rule("ROOT"), ...declared }, pulls, "unknown"],
    ["that is declared", { ...rule("shop"), ...declared }, pulls, "unknown"],
    [
      "for a role that the registry lets fetch",
      { ...rule("shop"), ...ofRegistry({ ...grant, Principal: { AWS: ARN } }) },
      pulls,
      "unknown",
    ],
    [
      "for another role that the registry lets fetch",
      { ...rule("shop"), ...ofRegistry({ ...grant, Principal: { AWS: `${ARN}2` } }) },
      pulls,
      "unknown",
    ],
  ])("%s", (_, more, own, status) => {
    expect(answer(more, own)).toMatchObject({ status });
  });
});

// "AWS global condition context keys" in the IAM user guide.
describe("a role whose own policy asks for", () => {
  const deny = { ...ALL, Effect: "Deny" };
  const secure = { Bool: { "aws:SecureTransport": "true" } };
  const region = (operator: string, value: unknown): object => ({
    Condition: { [operator]: { "aws:RequestedRegion": value } },
  });

  it.each<[string, readonly object[], Status]>([
    ["TLS", [{ ...ALL, Condition: secure }], "pass"],
    ["TLS by a denial", [ALL, { ...deny, Condition: { Bool: { "aws:SecureTransport": false } } }], "pass"],
    ["the registry's region", [{ ...ALL, ...region("StringEquals", "eu-west-1") }], "pass"],
    ["another region", [{ ...ALL, ...region("StringEquals", ["us-east-1"]) }], "fail"],
    ["regions, denied", [ALL, { ...deny, ...region("StringNotEquals", ["eu-west-1", "us-east-1"]) }], "pass"],
    ["other regions by a denial", [ALL, { ...deny, ...region("StringNotLike", "us-*") }], "fail"],
    ["a network", [{ ...ALL, Condition: { StringEquals: { "aws:SourceVpce": "vpce-1" } } }], "unknown"],
  ])("%s", (_, own, status) => {
    expect(answer({}, own)).toMatchObject({ status });
  });
});

describe("of several statements, none of which allows it", () => {
  const login = { Sid: "Login", Effect: "Allow", Action: "ecr:GetAuthorizationToken", Resource: "*" };
  const pull = ["ecr:BatchGetImage", "ecr:GetDownloadUrlForLayer"];
  const on = (Sid: string, Action: unknown, Resource: unknown, more: object = {}): object => ({
    Sid,
    Effect: "Allow",
    Action,
    Resource,
    ...more,
  });
  const elsewhere = { Condition: { StringEquals: { "aws:RequestedRegion": "us-east-1" } } };
  const OTHER_ACTION = "ecr:DescribeImages";
  const BATCH = 'it does not cover the action "ecr:BatchGetImage"';

  it.each<[string, readonly object[], string]>([
    ["that names it", [login, on("Web", OTHER_ACTION, WEB)], `Web comes closest: ${BATCH}`],
    [
      "by a pattern",
      [login, on("Shop", OTHER_ACTION, WEB.replace("web", "*"))],
      `Shop comes closest: ${BATCH}`,
    ],
    [
      "that names it, beside one with the actions on others",
      [login, on("Base", pull, WEB.replace("web", "base")), on("Web", OTHER_ACTION, WEB)],
      `Web comes closest: ${BATCH}`,
    ],
    [
      "with the actions, on others",
      [login, on("Base", pull, WEB.replace("web", "base"))],
      `Base comes closest: it does not cover the resource "${WEB}"`,
    ],
    [
      "that misses only a condition",
      [on("Two", pull, WEB.replace("web", "x"), elsewhere), on("One", pull, WEB, elsewhere), login],
      'One comes closest: StringEquals on "aws:RequestedRegion"',
    ],
    ["on the only one", [login], `Login comes closest: ${BATCH}`],
  ])("the one %s is named", (_, own, reason) => {
    expect(answer({}, own)).toMatchObject({
      status: "fail",
      reason: expect.stringContaining(`statement ${reason}`) as string,
      remedy: "allow ecr:BatchGetImage on the repository in the role's permission policy",
    });
  });

  it("of what a statement denies, the remedy is not another that allows", () => {
    const denial = { ...on("No", pull, WEB), Effect: "Deny" };
    expect(answer({}, [login, on("Web", pull, WEB), denial])).toMatchObject({
      status: "fail",
      reason: expect.stringContaining("statement No denies it") as string,
      remedy: "take ecr:BatchGetImage out of what that statement denies",
    });
  });
});

it("between accounts, what nothing allows is refused whether or not it is denied besides", () => {
  expect(foreign(ofRepository(PERHAPS))).toMatchObject({ status: "fail" });
  const lets = { Effect: "Allow", Principal: { AWS: ARN }, Action: "ecr:*" };
  expect(foreign(ofRepository(lets))).toMatchObject({ status: "pass" });
});

// Every repository of a pattern: allowed where each is, denied where one certainly is not.
describe("every repository of shop/*", () => {
  const arn = (name: string): string => `arn:aws:ecr:eu-west-1:${ACCOUNT}:repository/${name}`;
  const pulls = (Resource: unknown, more: object = {}): object => ({ ...ALL, Resource, ...more });
  const denies = (name: string, Condition?: object): object =>
    pulls(arn(name), { Effect: "Deny", ...(Condition && { Condition }) });
  const login = { Effect: "Allow", Action: "ecr:GetAuthorizationToken", Resource: "*" };
  const of = (name: string, ...statements: readonly object[]): object => ({
    aws_ecr_repository_policy: { one: { repository: name, policy: policy(...statements) } },
  });
  const rule = (prefix: string): object => ({
    aws_ecr_pull_through_cache_rule: { x: { ecr_repository_prefix: prefix } },
  });
  const read_only = [
    login,
    { Effect: "Allow", Action: ["ecr:BatchGet*", "ecr:GetDownload*"], Resource: "*" },
  ];

  it.each<[string, unknown, object, Status, string]>([
    ["named by the same pattern", pulls(arn("shop/*")), {}, "pass", "every repository"],
    ["named by a wider one", pulls(arn("s*")), {}, "pass", "every repository"],
    ["named in part", pulls([arn("shop/a*"), arn("shop/b*")]), {}, "fail", "is one of"],
    ["one of them denied", [pulls("*"), denies("shop/legacy")], {}, "fail", "shop/legacy is one of"],
    [
      "some denied on a condition",
      [pulls("*"), denies("shop/x*", { StringEquals: { "aws:SourceVpc": "v" } })],
      {},
      "unknown",
      "shop/x is one of",
    ],
    ["others denied", [pulls("*"), denies("base/*")], {}, "pass", "every repository"],
    ["named with a variable", pulls(arn("${aws:PrincipalTag/team}/*")), {}, "unknown", "is one of"],
    ["one denied by its owner", pulls("*"), of("shop/closed", DENY), "fail", "shop/closed is one of"],
    ["one perhaps denied", pulls("*"), of("${var.name}", DENY), "unknown", "may belong to the repository"],
    ["another denied by its owner", pulls("*"), of("base/closed", DENY), "pass", "every repository"],
    [
      "some denied there",
      pulls("*"),
      ofRegistry({ ...DENY, Resource: arn("shop/z*") }),
      "unknown",
      "shop/z is one of",
    ],
    ["some of a cache", read_only, rule("shop/docker"), "unknown", "shop/docker/"],
    ["none of a cache", read_only, rule("docker"), "pass", "every repository"],
    ["all of the cache of all", read_only, rule("ROOT"), "unknown", "caches another registry"],
  ])("%s", (_, own, more, status, reason) => {
    const said = repository(aws(stack(more, own)), `${HOST}/shop/*`);
    expect(said).toMatchObject({ status, reason: expect.stringContaining(reason) as string });
  });

  it("has no repository whose name fits", () => {
    expect(repository(aws(stack({})), `${HOST}/Shop/*`).status).toBe("unknown");
  });
});

describe("refused policies", () => {
  it.each<[string, object]>([
    ["a resource that is not an ARN", { ...ALL, Resource: ["*", "shop/web"] }],
    ["an action without its service", { ...ALL, Action: ["ecr:*", "BatchGetImage"] }],
    ["a principal", { ...ALL, Principal: "*" }],
  ])("%s: the role has no such policy", (_, own) => {
    const said = answer({}, own);
    expect(said.status).toBe("fail");
    expect(said.reason).toContain("AWS refuses the policy");
  });
});

// Which accounts a policy is for, and what it says, is not judged.
describe("a policy of the organization", () => {
  const organization = (more: object = {}): object => ({
    aws_organizations_policy: { limit: { name: "limit", content: "{}", ...more } },
  });

  it.each<[string, object, Status]>([
    ["of no stated type", organization(), "unknown"],
    ["of resources", organization({ type: "RESOURCE_CONTROL_POLICY" }), "unknown"],
    ["of a type not known", organization({ type: "${var.type}" }), "unknown"],
    ["of a new type", organization({ type: "NEW_POLICY" }), "unknown"],
    ["about tags", organization({ type: "TAG_POLICY" }), "pass"],
  ])("%s", (_, resources, status) => {
    expect(answer(resources)).toMatchObject({ status });
  });

  it("grants nothing", () => {
    const none = { Effect: "Allow", Action: "s3:*", Resource: "*" };
    expect(answer(organization(), none)).toMatchObject({ status: "fail" });
  });

  it("is called by its name", () => {
    expect(answer(organization())).toMatchObject({
      reason: expect.stringContaining("a policy of the organization may deny ecr:BatchGetImage") as string,
      remedy: expect.stringContaining("exempt the role from it") as string,
      evidence: expect.arrayContaining([
        {
          text: "policy of the organization",
          source: { file: "0.tf.json", path: "resource.aws_organizations_policy.limit" },
        },
      ]) as object,
    });
  });
});

// Answers are remembered by the object that says what a role may do.
it("roles that may do the same have one object of rights", () => {
  const role = (name: string): object => ({ name, assume_role_policy: "{}" });
  const one = { role: "web", policy: policy(ALL) };
  const value = {
    provider: limited(),
    resource: {
      aws_iam_role: { web: role("web"), api: role("api"), tools: role("tools") },
      aws_iam_role_policy: { a: one, b: { ...one, role: "api" }, c: { role: "tools", policy: policy() } },
    },
  };
  const read = aws(value);
  const [web, api, tools] = ["web", "api", "tools"].map(
    (name) => puller(read, known(`arn:aws:iam::${ACCOUNT}:role/${name}`)).rights,
  );
  expect(web).toBe(api);
  expect(web).not.toBe(tools);
});

it("repositories that a role's statements name", () => {
  const names = [WEB, "*", "arn:aws:ecr:*:1:repository/x"];
  const read = aws(
    stack({}, [
      { ...ALL, Resource: names },
      { ...ALL, Action: "s3:*", Resource: "arn:aws:s3:::x" },
    ]),
  );
  expect(puller(read).rights.reach()).toEqual([
    { pattern: `${HOST}/shop/web`, comparable: true },
    { pattern: "every repository of ECR", comparable: false },
    { pattern: "arn:aws:ecr:*:1:repository/x", comparable: false },
  ]);
});
