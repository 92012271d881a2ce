/*
 * Which OIDC providers and statements trust an issuer is in test/explain/aws/trust.test.ts.
 */

import { checks } from "../../../fixtures/explain/checks";
import { ISSUER, accounts, ecr, record, terraform } from "../../../fixtures/explain/three-clouds";

const ID = "issuer-trusted";
const NOT_READ = "is not among what was read";
const [, text = ""] = [...ecr.artefacts].find(([path]) => path.endsWith("cdk.tf.json")) ?? [];
const [principal = ""] = /\{\\"Federated\\":[^}]*\}/.exec(text) ?? [];
const namesake = { name: "edge-1_shop_web", provider: "aws.other", assume_role_policy: "{}" };

checks(ID, "the OIDC provider of the role's account", ecr, [
  ["as written", [], "pass", `the OIDC provider and the trust policy both name issuer ${ISSUER}`],
  [
    "a slash more in the cluster's issuer",
    record(`"issuer": "${ISSUER}"`, `"issuer": "${ISSUER}/"`),
    "fail",
    `${ISSUER} differs only in a trailing slash`,
    { log: "AccessDenied" },
  ],
  [
    "in another account",
    terraform("arn:aws:iam::111122223333:oidc-provider", "arn:aws:iam::999988887777:oidc-provider"),
    "fail",
    "STS looks for it only there",
    { log: "InvalidIdentityToken: No OpenIDConnect provider found in your account for https://" },
  ],
  [
    "in another partition than the role",
    accounts("arn:aws:iam::111122223333:role", "arn:aws-cn:iam::111122223333:role"),
    "fail",
    "the trust policy names an OIDC provider in partition aws, but the role is in aws-cn",
  ],
  [
    "elsewhere",
    terraform('"aws_iam_openid_connect_provider": {', '"aws_other": {'),
    "unknown",
    `the OIDC provider of ${ISSUER} ${NOT_READ}`,
  ],
  [
    "and the role elsewhere",
    terraform('"aws_iam_role": {', '"aws_other": {'),
    "unknown",
    `the IAM role arn:aws:iam::111122223333:role/edge-1_shop_web ${NOT_READ}`,
  ],
  [
    "and a second role of the name, whose account is not known",
    terraform('"aws_iam_role": {', `"aws_iam_role": {"other": ${JSON.stringify(namesake)},`),
    "unknown",
    `the IAM role arn:aws:iam::111122223333:role/edge-1_shop_web ${NOT_READ}; the nearest is edge-1_shop_web, whose account is not known`,
  ],
  [
    "and an issuer that is not recorded",
    record(`"issuer": "${ISSUER}",`, ""),
    "unknown",
    "the issuer of the cluster's tokens is not known",
  ],
  // No source says whether such a principal lets in web identities, so it is neither allowed nor denied.
  ...['{\\"Federated\\":\\"*\\"}', '{\\"AWS\\":\\"*\\"}', '\\"*\\"'].map(
    (wildcard) =>
      [
        `and a trust policy that lets in ${wildcard}`,
        terraform(principal, wildcard),
        "unknown",
        /admits everyone through \*, .*; write the ARN of the OIDC provider as the Federated principal/,
      ] as const,
  ),
]);
