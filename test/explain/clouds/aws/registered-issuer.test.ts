import { expect, it } from "vitest";
import type { OidcProviderFact } from "../../../../lib/explain/clouds/aws/iam";
import { awsTrust } from "../../../../lib/explain/clouds/aws/trust";

const ACCOUNT = "111122223333";
const OTHER = "444455556666";
const ISSUER = "https://oidc.example.com/id";
const AUDIENCE = "sts.amazonaws.com";
const SUBJECT = "system:serviceaccount:shop:web";
const source = { file: "cdk.tf.json", path: "" };

const provider = (account: string, clientIds: readonly string[] | undefined): OidcProviderFact => ({
  url: ISSUER,
  arn: "",
  account,
  address: "aws_iam_openid_connect_provider.issuer",
  clientIds,
  source,
});

function answers(
  oidcProviders: readonly OidcProviderFact[],
  subjects: readonly string[] = [SUBJECT],
  aud = AUDIENCE,
): string[] {
  const trustPolicy = JSON.stringify({
    Version: "2012-10-17",
    Statement: {
      Effect: "Allow",
      Principal: { Federated: `arn:aws:iam::${ACCOUNT}:oidc-provider/oidc.example.com/id` },
      Action: "sts:AssumeRoleWithWebIdentity",
      Condition: { StringEquals: { "oidc.example.com/id:aud": aud, "oidc.example.com/id:sub": subjects } },
    },
  });
  const role = {
    pathName: "web",
    account: ACCOUNT,
    trustPolicy,
    policies: [],
    perhaps: [],
    boundary: undefined,
    adopted: false,
    source,
  };
  return awsTrust({
    role,
    account: ACCOUNT,
    partition: "aws",
    issuer: ISSUER,
    subject: SUBJECT,
    audience: AUDIENCE,
    oidcProviders,
  }).map(({ status }) => status);
}

const many = (count: number): string[] => [
  AUDIENCE,
  ...Array.from({ length: count - 1 }, (_, n) => `aud-${n}`),
];

// "Create an OpenID Connect (OIDC) identity provider in IAM": one of each URL in an account; 100 audiences at most.
it.each<[string, readonly OidcProviderFact[], string]>([
  ["one that accepts it", [provider(ACCOUNT, [AUDIENCE])], "pass"],
  ["one that does not", [provider(ACCOUNT, ["other"])], "fail"],
  ["two that accept it", [provider(ACCOUNT, [AUDIENCE]), provider(ACCOUNT, [AUDIENCE, "other"])], "pass"],
  ["two that do not", [provider(ACCOUNT, ["a"]), provider(ACCOUNT, ["b"])], "fail"],
  ["two that differ", [provider(ACCOUNT, [AUDIENCE]), provider(ACCOUNT, ["other"])], "unknown"],
  [
    "two that differ the other way round",
    [provider(ACCOUNT, ["b"]), provider(ACCOUNT, [AUDIENCE])],
    "unknown",
  ],
  [
    "two that differ, in accounts that are not known",
    [provider("", [AUDIENCE]), provider("", ["b"])],
    "unknown",
  ],
  ["one that does not, in another account", [provider(OTHER, ["b"]), provider(ACCOUNT, [AUDIENCE])], "pass"],
  ["one that does not, perhaps elsewhere", [provider("", ["b"]), provider(ACCOUNT, [AUDIENCE])], "pass"],
  ["one that is looked up besides", [provider(ACCOUNT, undefined), provider("", [AUDIENCE])], "pass"],
  ["one that only apply tells besides", [provider(ACCOUNT, [AUDIENCE]), provider(ACCOUNT, ["${x}"])], "pass"],
  ["one of 100 audiences", [provider(ACCOUNT, many(100))], "pass"],
  ["one of 101 audiences", [provider(ACCOUNT, many(101))], "unknown"],
])("an audience, of OIDC providers %s", (_, oidcProviders, status) => {
  expect(answers(oidcProviders)).toEqual(["pass", status, "pass"]);
});

it("an audience that the trust policy refuses is refused, whatever the OIDC provider accepts", () => {
  const two = [provider(ACCOUNT, [AUDIENCE]), provider(ACCOUNT, ["other"])];
  expect(answers(two, [SUBJECT], "other")[1]).toBe("fail");
});

// Quota L-C07B4B0D ("Role trust policy length") of IAM: 2048 characters, 4096 on request.
it.each([
  [60, "pass"],
  [130, "unknown"],
])("a trust policy for %d service accounts", (count, status) => {
  const subjects = [
    SUBJECT,
    ...Array.from({ length: count }, (_, n) => `system:serviceaccount:shop:w${n + 100}`),
  ];
  expect(answers([provider(ACCOUNT, [AUDIENCE])], subjects)).toEqual([status, status, status]);
});
