import { describe, expect, it } from "vitest";
import { known, unread } from "../../../lib/model/known";
import type { TrustAnswer } from "../../../lib/explain/cloud";
import { ACCOUNT, ARN, OTHER, aws, limited, puller } from "./read";

const HOST = "oidc.example.com/id";
const ISSUER = `https://${HOST}`;
const AUDIENCE = "sts.amazonaws.com";
const SUBJECT = "system:serviceaccount:shop:web";
const PROVIDER = `arn:aws:iam::${ACCOUNT}:oidc-provider/${HOST}`;

const statuses = ({ issuer, audience, subject }: TrustAnswer): readonly string[] =>
  [issuer, audience, subject].map(({ status }) => status);

function statement(more: object = {}, host = HOST): object {
  return {
    Effect: "Allow",
    Principal: { Federated: PROVIDER },
    Action: "sts:AssumeRoleWithWebIdentity",
    Condition: { StringEquals: { [`${host}:aud`]: AUDIENCE, [`${host}:sub`]: SUBJECT } },
    ...more,
  };
}

/** A role with a trust policy, and OIDC providers by name. */
function stack(
  document: unknown,
  providers: object = { own: ownProvider() },
  provider: object = limited(),
): object {
  return {
    provider,
    resource: {
      aws_iam_role: { web: { name: "web", assume_role_policy: document } },
      aws_iam_openid_connect_provider: providers,
    },
  };
}

function ownProvider(more: object = {}): object {
  return { url: ISSUER, client_id_list: [AUDIENCE], ...more };
}

const text = (...Statement: readonly object[]): string =>
  JSON.stringify({ Version: "2012-10-17", Statement });

const PASSES = ["pass", "pass", "pass"];
const FAILS = ["pass", "pass", "fail"];
const OPEN = ["unknown", "unknown", "unknown"];
const REFUSED = ["fail", "unknown", "unknown"];

/** A condition on the subject beside that on the audience. */
function on(operator: string, subject: string): object {
  const audience = { [`${HOST}:aud`]: AUDIENCE };
  return {
    Condition:
      operator === "StringEquals"
        ? { StringEquals: { ...audience, [`${HOST}:sub`]: subject } }
        : { StringEquals: audience, [operator]: { [`${HOST}:sub`]: subject } },
  };
}

const CHINA = limited(ACCOUNT, { region: "cn-north-1" });
const OTHER_SUBJECT = { Condition: { StringEquals: { [`${HOST}:sub`]: "x" } } };
const NONE = {};
const THERE = { provider: "aws.other" };

function escaped(words: string): string {
  return words.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

/** A statement for a service account, and an audience. */
function own(name: string, audience: string, Sid: string): object {
  const subject = `system:serviceaccount:shop:${name}`;
  const Condition = { StringEquals: { [`${HOST}:sub`]: subject, [`${HOST}:aud`]: audience } };
  return statement({ Sid, Condition });
}

describe("a trust policy", () => {
  it.each<[string, unknown, readonly string[], string]>([
    ["that names all three", text(statement()), PASSES, "both name issuer"],
    [
      "of another issuer",
      text(statement({ Principal: { Federated: `${PROVIDER}2` } })),
      REFUSED,
      "does not name the OIDC provider",
    ],
    [
      "with a slash at the end",
      text(statement({ Principal: { Federated: `${PROVIDER}/` } })),
      REFUSED,
      `; it names https://${HOST}/; https://${HOST}/ differs only in a trailing slash`,
    ],
    [
      "of another account's OIDC provider",
      text(statement({ Principal: { Federated: PROVIDER.replace(ACCOUNT, OTHER) } })),
      ["fail", "pass", "pass"],
      `OIDC provider in account ${OTHER}`,
    ],
    [
      "of an OIDC provider of no account",
      text(statement({ Principal: { Federated: PROVIDER.replace(ACCOUNT, "") } })),
      ["fail", "pass", "pass"],
      "OIDC provider in account ,",
    ],
    [
      "of another partition",
      text(statement({ Principal: { Federated: PROVIDER.replace("arn:aws", "arn:aws-cn") } })),
      ["fail", "pass", "pass"],
      "partition aws-cn",
    ],
    [
      "for another audience",
      text(statement({ Condition: { StringEquals: { [`${HOST}:aud`]: "x" } } })),
      ["pass", "fail", "fail"],
      "both name issuer",
    ],
    ["for another subject", text(statement(OTHER_SUBJECT)), FAILS, "both name issuer"],
    ["for everyone by *", text(statement({ Principal: "*" })), OPEN, "everyone through *"],
    ["that only apply tells", "${var.policy}", OPEN, "known only after apply"],
    ["that is no JSON", "{", OPEN, ""],
    [
      "that IAM refuses",
      text(statement({ Action: "*" })),
      REFUSED,
      "AWS refuses the trust policy: statement 1 has the action",
    ],
    ["with a Resource, which IAM refuses", text(statement({ Resource: "*" })), REFUSED, "has a Resource"],
  ])("%s", (_, document, expected, reason) => {
    const { trust } = puller(aws(stack(document)), undefined, known(ISSUER));
    expect(statuses(trust)).toEqual(expected);
    expect(trust.issuer.reason).toContain(reason);
  });

  // Policies that differ in nothing but the subject are judged once; what another subject changes is seen all the same.
  it.each<[string, object, readonly string[]]>([
    ["that lets in its own", {}, PASSES],
    ["that lets in one whose name begins with its own", on("StringEquals", `${SUBJECT}-admin`), FAILS],
    ["that lets in those whose names begin with its own", on("StringLike", `${SUBJECT}*`), PASSES],
    ["that lets in a namespace", on("StringLike", "system:serviceaccount:shop:*"), PASSES],
    ["with a Sid of its own", { Sid: SUBJECT }, REFUSED],
    ["that lets in all others", on("StringNotEquals", SUBJECT), FAILS],
    ["that denies it", { Effect: "Deny" }, REFUSED],
  ])("%s, of two roles alike", (_, more, expected) => {
    const other = "system:serviceaccount:blog:db";
    const read = aws({
      provider: limited(),
      resource: {
        aws_iam_openid_connect_provider: { own: ownProvider() },
        aws_iam_role: {
          db: { name: "db", assume_role_policy: text(statement(more)).replaceAll(SUBJECT, other) },
          web: { name: "web", assume_role_policy: text(statement(more)) },
        },
      },
    });
    puller(read, known(ARN.replace(/web$/, "db")), undefined, "blog/db");
    const { trust } = puller(read);
    expect(statuses(trust)).toEqual(expected);
    if (expected === PASSES) expect(trust.subject.reason).toContain(`admits ${SUBJECT}`);
    if (expected === PASSES)
      expect(trust.subject.evidence[0]?.source?.path).toBe("resource.aws_iam_role.web");
  });

  // Quota L-C07B4B0D ("Role trust policy length") of IAM: 2048 characters, 8192 on request.
  it.each([
    [60, "pass"],
    [130, "pass"],
    [260, "fail"],
  ])("for %d service accounts", (count, status) => {
    const subjects = Array.from({ length: count }, (_, n) => `system:serviceaccount:shop:w${n + 100}`);
    const Condition = {
      StringEquals: { [`${HOST}:aud`]: AUDIENCE, [`${HOST}:sub`]: [SUBJECT, ...subjects] },
    };
    const { trust } = puller(aws(stack(text(statement({ Condition })))));
    expect(trust.issuer.status).toBe(status);
    if (status === "fail") expect(trust.issuer.reason).toContain("longer than 8192 characters");
  });

  // "Amazon Resource Names (ARNs)" in the IAM user guide: partitions share no identities.
  it("of a role that is declared in another partition than its ARN says", () => {
    const { trust } = puller(aws(stack(text(statement()), {}, CHINA)));
    expect(trust.issuer).toMatchObject({
      status: "fail",
      reason: "the role's ARN is written with partition aws, but Terraform declares the role in aws-cn",
    });
  });

  it.each<[string, object, string]>([
    ["nothing like it", NONE, `the IAM role ${ARN} is not among what was read`],
    ["a role of a similar name", { name: "wep" }, "; the nearest is wep"],
    ["its name in other letters", { name: "Web" }, "; the nearest is Web, which differs only in letter case"],
    [
      "it on a path",
      { name: "web", path: "/platform/" },
      `; the nearest is ${ARN.replace("web", "platform/web")}`,
    ],
    ["it in another account", { name: "web", ...THERE }, `; the nearest is ${ARN.replace(ACCOUNT, OTHER)}`],
    ["a like one there", { name: "wep", ...THERE }, `the IAM role ${ARN} is not among what was read`],
  ])("of a role that was not read, beside %s", (_, role, reason) => {
    const both = { aws: [limited(), limited(OTHER, { alias: "other" })].map((each) => Object(each).aws) };
    const resource = { aws_iam_role: { x: { assume_role_policy: text(statement()), ...role } } };
    const { trust, rights } = puller(aws(role === NONE ? {} : { provider: both, resource }));
    expect(statuses(trust)).toEqual(OPEN);
    expect(trust.issuer.reason).toMatch(new RegExp(`${escaped(reason)}$`));
    expect(rights.login("").reason).toBe(trust.issuer.reason);
  });

  // OpenID Connect Core 1.0, section 2: iss is case-sensitive; hashicorp/terraform-provider-aws, suppressOpenIDURL:
  // the provider compares the URLs of IAM as texts.
  it.each<[string, object, object, readonly string[], string]>([
    [
      "a trailing slash",
      ownProvider({ url: `${ISSUER}/` }),
      limited(),
      ["fail", "unknown", "pass"],
      `no OIDC provider of the account is for ${ISSUER}; ${ISSUER}/ differs only in a trailing slash`,
    ],
    [
      "letter case",
      ownProvider({ url: "https://oidc.example.com/ID" }),
      limited(),
      ["fail", "unknown", "pass"],
      "https://oidc.example.com/ID differs only in letter case",
    ],
    [
      "a slash, in an account that is the role's whichever it is",
      ownProvider({ url: `${ISSUER}/` }),
      { aws: { region: "eu-west-1" } },
      ["fail", "unknown", "pass"],
      "differs only in a trailing slash",
    ],
    [
      "a slash, in an account that may be another",
      ownProvider({ url: `${ISSUER}/`, provider: "aws.other" }),
      { aws: [{ region: "eu-west-1" }, { alias: "other", region: "eu-west-1" }] },
      ["unknown", "unknown", "pass"],
      `not among what was read; the nearest is ${ISSUER}/, which differs only in a trailing slash`,
    ],
    [
      "a slash, in another account",
      ownProvider({ url: `${ISSUER}/`, provider: "aws.other" }),
      { aws: [limited(), limited(OTHER, { alias: "other" })].map((each) => Object(each).aws) },
      ["unknown", "unknown", "pass"],
      `the OIDC provider of ${ISSUER} is not among what was read`,
    ],
    [
      "a slash, and perhaps not there",
      ownProvider({ url: `${ISSUER}/`, count: "${var.count}" }),
      limited(),
      ["unknown", "unknown", "pass"],
      "is not among what was read",
    ],
    [
      "another name",
      ownProvider({ url: `${ISSUER}-2` }),
      limited(),
      ["unknown", "unknown", "pass"],
      `not among what was read; the nearest is ${ISSUER}-2`,
    ],
  ])("of an OIDC provider that differs by %s", (_, own, provider, expected, reason) => {
    const { trust } = puller(aws(stack(text(statement()), { own }, provider)));
    expect(statuses(trust)).toEqual(expected);
    expect(trust.issuer.reason).toContain(reason);
    if (expected[0] === "fail")
      expect(trust.issuer.log).toBe(
        `InvalidIdentityToken: No OpenIDConnect provider found in your account for ${ISSUER}`,
      );
  });

  it.each<[string, object, object]>([
    ["a module that may declare another", {}, { module: { iam: { source: "./iam" } } }],
    ["one whose URL is known only after apply", { late: ownProvider({ url: "${var.issuer}" }) }, {}],
  ])("of an OIDC provider with a slash, beside %s", (_, providers, more) => {
    const all = { own: ownProvider({ url: `${ISSUER}/` }), ...providers };
    const { trust } = puller(aws({ ...stack(text(statement()), all), ...more }));
    expect(trust.issuer.status).toBe("unknown");
    expect(trust.issuer.reason).toContain(`the nearest is ${ISSUER}/`);
  });

  it.each<[string, readonly object[], "audience" | "subject", string]>([
    [
      "the audience of its own statement",
      [own("other", AUDIENCE, "x"), own("web", "sts", "own"), own("third", "y", "z")],
      "subject",
      `statement own comes closest: StringEquals on "${HOST}:aud" wants "sts"`,
    ],
    [
      "the audience, of no statement",
      [own("other", "x", "other"), own("web", "sts", "own")],
      "audience",
      `statement own comes closest: StringEquals on "${HOST}:aud" wants "sts"`,
    ],
  ])("of several statements names %s", (_, statements, link, reason) => {
    const { trust } = puller(aws(stack(text(...statements))));
    expect(trust[link]).toMatchObject({ status: "fail", reason: expect.stringContaining(reason) as string });
  });

  it("and an issuer that is not known", () => {
    const { trust } = puller(aws(stack(text(statement()))), undefined, unread("nothing says it"));
    expect(statuses(trust)).toEqual(OPEN);
  });
});

// "Create an OpenID Connect (OIDC) identity provider in IAM": one of each URL in an account; 100 audiences at most.
describe("an audience, of OIDC providers", () => {
  const many = (count: number): string[] => [
    AUDIENCE,
    ...Array.from({ length: count - 1 }, (_, n) => `aud-${n}`),
  ];
  const elsewhere = (provider: object, ids: readonly string[] | undefined): object => ({
    provider,
    resource: {
      aws_iam_openid_connect_provider: {
        other: { url: ISSUER, ...(ids && { client_id_list: ids }) },
      },
    },
  });
  const two = (one: readonly string[], other: readonly string[]): object => ({
    a: ownProvider({ client_id_list: one }),
    b: ownProvider({ client_id_list: other }),
  });

  it.each<[string, object, readonly object[], string]>([
    ["one that accepts it", { own: ownProvider() }, [], "pass"],
    ["one that does not", { own: ownProvider({ client_id_list: ["other"] }) }, [], "fail"],
    ["two that accept it", two([AUDIENCE], [AUDIENCE, "other"]), [], "pass"],
    ["two that do not", two(["a"], ["b"]), [], "fail"],
    ["two that differ", two([AUDIENCE], ["other"]), [], "unknown"],
    ["two that differ the other way round", two(["b"], [AUDIENCE]), [], "unknown"],
    ["one that does not, elsewhere", { own: ownProvider() }, [elsewhere(limited(OTHER), ["b"])], "pass"],
    ["one that does not, perhaps elsewhere", { own: ownProvider() }, [elsewhere({}, ["b"])], "pass"],
    ["one that is looked up besides", { own: ownProvider() }, [elsewhere(limited(), undefined)], "pass"],
    ["one in another partition", {}, [elsewhere(CHINA, [AUDIENCE])], "unknown"],
    ["one known only after apply besides", two([AUDIENCE], ["${var.x}"]), [], "pass"],
    ["one of 100 audiences", { own: ownProvider({ client_id_list: many(100) }) }, [], "pass"],
    ["one of 101 audiences", { own: ownProvider({ client_id_list: many(101) }) }, [], "unknown"],
    ["one that was not read", {}, [], "unknown"],
  ])("%s", (_, providers, others, status) => {
    const { trust } = puller(aws(stack(text(statement()), providers), ...others));
    expect(statuses(trust).slice(1)).toEqual([status, "pass"]);
  });

  it("is refused where the trust policy refuses it, whatever the OIDC provider accepts", () => {
    const other = text(
      statement({ Condition: { StringEquals: { [`${HOST}:aud`]: "other", [`${HOST}:sub`]: SUBJECT } } }),
    );
    expect(puller(aws(stack(other, two([AUDIENCE], ["other"])))).trust.audience.status).toBe("fail");
  });
});

// As IssuerBucket writes it: nothing of the issuer is known before apply, and all of it is one reference.
describe("an issuer known only after apply", () => {
  const issuer = "https://${aws_cloudfront_distribution.issuer.domain_name}";
  const expression = '${trimprefix("https://${aws_cloudfront_distribution.issuer.domain_name}", "https://")}';
  // The expression comes into a text that is JSON already.
  const host = "late-host";
  const late = (more: object = {}, key = host): string =>
    text(
      statement({
        Principal: { Federated: "${aws_iam_openid_connect_provider.own.arn}" },
        Condition: { StringEquals: { [`${key}:aud`]: AUDIENCE, [`${key}:sub`]: SUBJECT } },
        ...more,
      }),
    ).replaceAll(host, expression);
  const judged = (document: string, own: object = { url: issuer }, asked = issuer): TrustAnswer => {
    const read = aws(stack(document, { own: { client_id_list: [AUDIENCE], ...own } }));
    return puller(read, undefined, read.text(asked)).trust;
  };

  it("is trusted where provider, policy and cluster have the same reference", () => {
    const trust = judged(late());
    expect(statuses(trust)).toEqual(PASSES);
    expect(trust.issuer.reason).toContain("<aws_cloudfront_distribution.issuer.domain_name>");
    expect(trust.issuer.evidence).toContainEqual({
      text: "trust policy of the IAM role",
      source: { file: "0.tf.json", path: "resource.aws_iam_role.web" },
    });
  });

  it.each<[string, TrustAnswer, readonly string[]]>([
    [
      "a written ARN",
      judged(late({ Principal: { Federated: `arn:aws:iam::${ACCOUNT}:oidc-provider/${host}` } })),
      PASSES,
    ],
    ["other keys", judged(late({}, "${aws_cloudfront.other.domain}")), ["pass", "unknown", "unknown"]],
    ["literal keys", judged(late({}, HOST)), ["pass", "unknown", "unknown"]],
    ["a literal OIDC provider in the policy", judged(late({ Principal: { Federated: PROVIDER } })), OPEN],
    [
      "another issuer of the cluster",
      judged(late(), { url: issuer }, "https://${aws_cloudfront_distribution.other.domain_name}"),
      OPEN,
    ],
    ["another subject", judged(late({ Condition: { StringEquals: { [`${host}:sub`]: "x" } } })), FAILS],
  ])("and %s", (_, trust, expected) => {
    expect(statuses(trust)).toEqual(expected);
  });

  it("is that of the state where the role was read from the state as well", () => {
    const resource = (address: string, type: string, values: object): object => ({
      address,
      type,
      mode: "managed",
      values,
    });
    const state = {
      format_version: "1.0",
      values: {
        root_module: {
          resources: [
            resource("aws_iam_role.web", "aws_iam_role", {
              name: "web",
              arn: ARN,
              assume_role_policy: text(statement()),
            }),
            resource("aws_iam_openid_connect_provider.own", "aws_iam_openid_connect_provider", {
              url: HOST,
              arn: PROVIDER,
              client_id_list: [AUDIENCE],
            }),
          ],
        },
      },
    };
    const read = aws(stack(late(), { own: { url: issuer, client_id_list: [AUDIENCE] } }), state);
    expect(statuses(puller(read, undefined, read.text(issuer)).trust)).toEqual(PASSES);
  });
});

// data.aws_iam_policy_document is computed from its blocks.
describe("a document of a data source", () => {
  const json = "${data.aws_iam_policy_document.trust.json}";
  const document = (more: object = {}): object => ({
    data: {
      aws_iam_policy_document: {
        trust: {
          statement: [
            {
              actions: ["sts:AssumeRoleWithWebIdentity"],
              principals: [
                { type: "Federated", identifiers: ["${aws_iam_openid_connect_provider.own.arn}"] },
              ],
              condition: [
                { test: "StringEquals", variable: "${replace(var.x, 1, 2)}:aud", values: [AUDIENCE] },
                { test: "StringEquals", variable: `${HOST}:sub`, values: [SUBJECT] },
              ],
              ...more,
            },
          ],
        },
      },
    },
  });
  const condition = [
    { test: "StringEquals", variable: `${HOST}:aud`, values: [AUDIENCE] },
    { test: "StringEquals", variable: `${HOST}:sub`, values: [SUBJECT] },
  ];

  it.each<[string, object, readonly string[]]>([
    ["that is literal", { condition }, PASSES],
    ["with a key known only after apply", {}, ["pass", "unknown", "unknown"]],
    ["whose subject is another", { condition: [{ ...condition[1], values: ["x"] }] }, FAILS],
    ["with blocks that an expression makes", { dynamic: { condition: {} } }, OPEN],
  ])("%s", (_, more, expected) => {
    expect(statuses(puller(aws({ ...stack(json), ...document(more) })).trust)).toEqual(expected);
  });
});

describe("declarations of one role", () => {
  it("that differ leave it open, whichever is there", () => {
    const other = stack(text(statement(OTHER_SUBJECT)));
    const { trust } = puller(aws(stack(text(statement())), other));
    expect(statuses(trust)).toEqual(OPEN);
    expect(trust.issuer.reason).toContain("is declared twice");
  });

  it("that say the same in another form are one", () => {
    const same = JSON.stringify({
      Statement: [{ ...statement({ Action: ["sts:AssumeRoleWithWebIdentity"] }) }],
      Version: "2012-10-17",
    });
    expect(statuses(puller(aws(stack(text(statement())), stack(same))).trust)).toEqual([
      "pass",
      "pass",
      "pass",
    ]);
  });
});

describe("identities that are declared", () => {
  const claims = { issuer: known(ISSUER), subject: SUBJECT, audience: AUDIENCE };
  const identity = (
    document: unknown,
    providers?: object,
  ): ReturnType<typeof aws>["cloud"]["identities"][number] | undefined =>
    aws(stack(document, providers)).cloud.identities[0];

  it("have their names", () => {
    expect(identity(text(statement()))?.names).toEqual(
      expect.arrayContaining(["aws_iam_role.web", "web", ARN]),
    );
  });

  it.each<[string, unknown, object | undefined, readonly string[]]>([
    ["let in whom they trust", text(statement()), undefined, PASSES],
    ["presume an OIDC provider that was not read", text(statement()), {}, PASSES],
    ["are open where they let everyone in", text(statement({ Principal: { AWS: "*" } })), undefined, OPEN],
  ])("%s", (_, document, providers, expected) => {
    const trust = identity(document, providers)?.trust(claims);
    expect(trust && statuses(trust)).toEqual(expected);
  });

  it("keep others out", () => {
    const trust = identity(text(statement()))?.trust({
      ...claims,
      subject: "system:serviceaccount:shop:api",
    });
    expect(trust?.subject.status).toBe("fail");
  });
});
