/*
 * What must not be taken for allowed in AWS: other partitions, roles that are only looked up, and policies of
 * repositories that may be the one that is asked about.
 */

import { describe, expect, it } from "vitest";
import { type Edit, edited, explained, synthesized } from "../../../fixtures/explain/artefacts";

const TF = "cdk.tf.json";
const ACCOUNTS = "20-service-accounts.yaml";
const IMAGE = "111122223333.dkr.ecr.eu-west-1.amazonaws.com/shop/web";
const DENY_ALL = '{"Statement":[{"Effect":"Deny","Principal":"*","Action":"ecr:*"}]}';
const ALLOW_ALL = '{"Statement":[{"Effect":"Allow","Principal":"*","Action":"ecr:*"}]}';
const three = synthesized("three-clouds");

const withResource = (type: string, body: object): Edit => [
  TF,
  '"resource": {',
  `"resource": {${JSON.stringify({ [type]: body }).slice(1, -1)},`,
];
const repositoryPolicy = (values: object): readonly Edit[] => [
  withResource("aws_ecr_repository_policy", { p: { policy: DENY_ALL, ...values } }),
];

type Row = readonly [why: string, edits: readonly Edit[], id: string, status: string, text: string];

function judged(edits: readonly Edit[], image: string, id: string): unknown {
  const [result] = explained(edited(three, edits), { serviceAccount: "shop/web", image });
  return result?.checks.find((check) => check.id === id);
}

it("an OIDC provider of another partition than the role's is none of its account's", () => {
  const edits: Edit[] = [[ACCOUNTS, "arn:aws:iam::111122223333:role", "arn:aws-cn:iam::111122223333:role"]];
  expect(judged(edits, IMAGE, "issuer-trusted")).toMatchObject({
    status: "fail",
    reason: "the trust policy names an OIDC provider in partition aws, but the role is in aws-cn",
  });
});

describe("claims that no service account token has", () => {
  const HOST = "d111111abcdef8.cloudfront.net";
  const openShift = synthesized("openshift-aws");

  it.each([
    ["wanted absent", { Null: { [`${HOST}:amr`]: "true" } }, "allowed"],
    ["wanted", { "ForAnyValue:StringEquals": { [`${HOST}:amr`]: "mfa" } }, "denied"],
    ["excluded", { StringNotLike: { [`${HOST}:email`]: "*" } }, "allowed"],
    ["one that is there, without a documented key", { Null: { [`${HOST}:jti`]: "true" } }, "unknown"],
  ])("%s", (_, block, verdict) => {
    const condition = JSON.stringify(JSON.stringify(block)).slice(2, -2);
    const edits: Edit[] = [[TF, '\\"Condition\\":{', `\\"Condition\\":{${condition},`]];
    const [result] = explained(edited(openShift, edits), { serviceAccount: "shop/web" });
    expect(result?.verdict).toBe(verdict);
    const [broken] = result?.checks.filter(({ status }) => ["fail", "unknown"].includes(status)) ?? [];
    if (verdict !== "allowed") expect(broken?.reason).toMatch(/:(?:amr|jti)"/);
  });
});

describe("policies of repositories that may be the one", () => {
  const region = "${var.region}";

  it.each<Row>([
    ["one that is", repositoryPolicy({ repository: "shop/web" }), "repository-permitted", "fail", "does not"],
    [
      "of a repository that only apply will tell",
      repositoryPolicy({ repository: "${module.registry.name}" }),
      "repository-permitted",
      "unknown",
      "belongs or may belong to the repository",
    ],
    [
      "of a region that only apply will tell",
      repositoryPolicy({ repository: "shop/web", region }),
      "repository-permitted",
      "fail",
      "does not",
    ],
    [
      "the second of one name in regions that only apply will tell",
      [
        withResource("aws_ecr_repository_policy", {
          a: { policy: ALLOW_ALL, repository: "shop/web", region },
          b: { policy: DENY_ALL, repository: "shop/web", region },
        }),
      ],
      "repository-permitted",
      "unknown",
      "two policies for the repository were read",
    ],
    [
      "one that denies nothing",
      repositoryPolicy({ repository: "${module.registry.name}", policy: ALLOW_ALL }),
      "repository-permitted",
      "pass",
      "may pull",
    ],
    [
      "of another region",
      repositoryPolicy({ repository: "shop/web", region: "us-east-1" }),
      "repository-permitted",
      "pass",
      "may pull",
    ],
  ])("%s", (_, edits, id, status, text) => {
    expect(judged(edits, IMAGE, id)).toMatchObject({ status, reason: expect.stringContaining(text) });
  });
});

describe("policies of registries", () => {
  // "Private registry permissions" in the ECR user guide: "enforces the registry policy in all ECR requests".
  const registryPolicy = (statement: object, more: object = {}): Edit =>
    withResource("aws_ecr_registry_policy", {
      p: { policy: JSON.stringify({ Statement: [statement] }), ...more },
    });
  const deny = { Effect: "Deny", Principal: "*", Action: "ecr:*", Resource: "*" };
  const scope = (value: string): Edit =>
    withResource("aws_ecr_account_setting", { s: { name: "REGISTRY_POLICY_SCOPE", value } });
  const ofBase = "arn:aws:ecr:eu-west-1:111122223333:repository/base/*";

  const ofAccount: Edit = [
    TF,
    '"region": "eu-west-1"',
    '"region": "eu-west-1", "allowed_account_ids": ["111122223333"]',
  ];

  it("a denial in an account that is not known", () => {
    expect(judged([registryPolicy(deny)], IMAGE, "repository-permitted")).toMatchObject({
      status: "unknown",
      reason:
        "a policy that denies the pull, or that explain cannot judge, belongs or may belong to the repository or its registry",
    });
  });

  it.each<readonly [string, readonly Edit[], string]>([
    ["a denial of everything", [registryPolicy(deny)], "fail"],
    ["a denial in scope V2", [registryPolicy(deny), scope("V2")], "fail"],
    ["a denial in scope V1, which is not judged", [registryPolicy(deny), scope("V1")], "unknown"],
    ["a denial of other repositories", [registryPolicy({ ...deny, Resource: ofBase })], "pass"],
    ["a denial of another region's", [registryPolicy(deny, { region: "us-east-1" })], "pass"],
    [
      "a denial of a region known only after apply",
      [registryPolicy(deny, { region: "${var.r}" })],
      "unknown",
    ],
    ["one known only after apply", [registryPolicy({}, { policy: "${var.policy}" })], "unknown"],
    [
      "one that lets others replicate",
      [registryPolicy({ ...deny, Effect: "Allow", Action: "ecr:ReplicateImage" })],
      "pass",
    ],
  ])("%s: %j is %s", (_, edits, status) => {
    expect(judged([ofAccount, ...edits], IMAGE, "repository-permitted")).toMatchObject({ status });
  });
});

// No source says whether such a principal lets in web identities, so it is neither allowed nor denied.
it.each([
  ["every OIDC provider", '{\\"Federated\\":\\"*\\"}'],
  ["every account", '{\\"AWS\\":\\"*\\"}'],
  ["everybody", '\\"*\\"'],
])("a trust policy that lets in %s by a wildcard", (_, principal) => {
  const text = three.get([...three.keys()].find((path) => path.endsWith(TF)) ?? "") ?? "";
  const [written = ""] = /\{\\"Federated\\":[^}]*\}/.exec(text) ?? [];
  expect(judged([[TF, written, principal]], IMAGE, "issuer-trusted")).toMatchObject({
    status: "unknown",
    reason: expect.stringContaining("admits everyone through *"),
    remedy: "write the ARN of the OIDC provider as the Federated principal",
  });
});
