/* Whom identities trust, whoever issues the tokens: each difference is said with its issuer, and its mirror image. */

import { describe, expect, it } from "vitest";
import { type Change, renderCompareText } from "../../../lib/explain";
import type { Artefacts } from "../../fixtures/explain/artefacts";
import {
  MIRRORED,
  type Resources,
  adding,
  changed,
  compared,
  policy,
  whole,
} from "../../fixtures/explain/changed";

const GITHUB = "https://token.actions.githubusercontent.com";
const GITLAB = "https://gitlab.com";
const OWN = "https://oidc.acme.example/edge-1";
const TENANT = "https://login.microsoftonline.com/0b1f6471-1bf0-4dda-aec3-cb9272f09590/v2.0";
const MAIN = "repo:acme/app:ref:refs/heads/main";
const ROLE = "edge-1_shop_web";
const ACCOUNT = "arn:aws:iam::111122223333";
const ENTRA = ["api://AzureADTokenExchange"];

type Edit = (resources: Resources) => void;
type Json = Record<string, unknown>;

/** The only block of a type. */
function only(resources: Resources, type: string): Json {
  return Object.values(resources[type] ?? {})[0] ?? {};
}

/** A statement that admits tokens of an issuer, under conditions on claims by operator. */
function tokensOf(issuer: string, conditions: Readonly<Record<string, Json>> = {}): Json {
  const host = issuer.replace("https://", "");
  const keyed = Object.entries(conditions).map(([operator, claims]) => [
    operator,
    Object.fromEntries(Object.entries(claims).map(([claim, value]) => [`${host}:${claim}`, value])),
  ]);
  return {
    Effect: "Allow",
    Principal: { Federated: `${ACCOUNT}:oidc-provider/${host}` },
    Action: "sts:AssumeRoleWithWebIdentity",
    Condition: Object.fromEntries(keyed) as Json,
  };
}

const STS = { aud: "sts.amazonaws.com" };

/** Statements more in the role's trust policy. */
const trusting =
  (...more: readonly Json[]): Edit =>
  (resources) => {
    const role = only(resources, "aws_iam_role");
    const { Statement } = JSON.parse(role["assume_role_policy"] as string) as { Statement: readonly Json[] };
    role["assume_role_policy"] = policy(...Statement, ...more);
  };

/** One more credential of the identity, or of another one. */
const credential = (values: Json): Edit =>
  adding([
    "azurerm_federated_identity_credential",
    {
      name: "more",
      resource_group_name: "edge-identities",
      audience: ENTRA,
      parent_id: "${azurerm_user_assigned_identity.pulls_azure_shop_web_F848252B.id}",
      ...values,
    },
  ]);

/** A pool provider more, in the pool. */
const provider = (values: Json): Edit =>
  adding([
    "google_iam_workload_identity_pool_provider",
    {
      project: "acme-images",
      workload_identity_pool_id: "k8s-edge-1",
      workload_identity_pool_provider_id: "more",
      attribute_mapping: { "google.subject": "assertion.sub" },
      ...values,
    },
  ]);

const NONE: Edit = () => undefined;
const TO_MAIN = tokensOf(GITHUB, { StringEquals: { ...STS, sub: MAIN } });
const DOMAIN = "cognito-identity.amazonaws.com";

const ROWS: readonly (readonly [string, before: Edit, after: Edit, expected: readonly string[]])[] = [
  ["a repository of GitHub", NONE, trusting(TO_MAIN), [`added | ${MAIN} | ${GITHUB} | ${ROLE}`]],
  [
    "any branch of it, once",
    trusting(TO_MAIN),
    trusting(tokensOf(GITHUB, { StringEquals: STS, StringLike: { sub: "repo:acme/app:*" } })),
    [`widened | repo:acme/app:* | ${GITHUB} | ${ROLE}`],
  ],
  [
    "the same in another spelling",
    trusting(tokensOf(GITHUB, { StringEquals: { ...STS, sub: [MAIN, MAIN] } })),
    trusting(tokensOf(GITHUB, { StringLike: { ...STS, sub: MAIN } })),
    [],
  ],
  [
    "whatever the subject",
    trusting(TO_MAIN),
    trusting(tokensOf(GITHUB, { StringEquals: STS })),
    [`widened | any other subject | ${GITHUB} | ${ROLE}`, `widened | shop/web | ${GITHUB} | ${ROLE}`],
  ],
  [
    "the same subject of another issuer",
    trusting(TO_MAIN),
    trusting(tokensOf(GITLAB, { StringEquals: { ...STS, sub: MAIN } })),
    [`removed | ${MAIN} | ${GITHUB} | ${ROLE}`, `added | ${MAIN} | ${GITLAB} | ${ROLE}`],
  ],
  [
    "any audience",
    trusting(TO_MAIN),
    trusting(tokensOf(GITHUB, { StringEquals: { sub: MAIN } })),
    [`widened | ${MAIN} with a token for any audience | ${GITHUB} | ${ROLE}`],
  ],
  [
    "another claim that decides",
    trusting(tokensOf(GITHUB, { StringEquals: { ...STS, repository: "acme/app" } })),
    trusting(tokensOf(GITHUB, { StringEquals: { ...STS, repository: "evil/app" } })),
    [`incomparable |  |  | ${ROLE}`],
  ],
  [
    "a subject that only apply tells",
    trusting(tokensOf(GITHUB, { StringEquals: { ...STS, sub: "${var.a}" } })),
    trusting(tokensOf(GITHUB, { StringEquals: { ...STS, sub: "${var.b}" } })),
    [`incomparable |  |  | ${ROLE}`],
  ],
  [
    "an issuer that only apply tells",
    NONE,
    trusting({
      ...TO_MAIN,
      Principal: { Federated: "${module.oidc.arn}" },
    }),
    ["added | <module.oidc.arn> |  | sts:AssumeRoleWithWebIdentity on the role"],
  ],
  [
    "Cognito",
    NONE,
    trusting({
      Effect: "Allow",
      Principal: { Federated: DOMAIN },
      Action: "sts:AssumeRoleWithWebIdentity",
      Condition: { StringEquals: { [`${DOMAIN}:aud`]: "eu-west-1:pool" } },
    }),
    [`added | ${DOMAIN} |  | sts:AssumeRoleWithWebIdentity on the role`],
  ],
  [
    "a provider of SAML",
    NONE,
    trusting({
      Effect: "Allow",
      Principal: { Federated: `${ACCOUNT}:saml-provider/okta` },
      Action: "sts:AssumeRoleWithSAML",
    }),
    [`added | ${ACCOUNT}:saml-provider/okta |  | sts:AssumeRoleWithSAML on the role`],
  ],
  [
    "a service of AWS",
    NONE,
    trusting({ Effect: "Allow", Principal: { Service: "ec2.amazonaws.com" }, Action: "sts:AssumeRole" }),
    ["added | ec2.amazonaws.com |  | sts:AssumeRole on the role"],
  ],
  [
    "a role that only GitHub may assume",
    NONE,
    adding(["aws_iam_role", { name: "ci", assume_role_policy: policy(TO_MAIN) }]),
    [`added | ${MAIN} | ${GITHUB} | ci`],
  ],
  [
    "another issuer of an identity on Azure",
    NONE,
    credential({ issuer: GITHUB, subject: MAIN }),
    [`added | ${MAIN} | ${GITHUB} | ${ROLE}`],
  ],
  [
    "Entra itself as the issuer, whose tokens Azure takes for some identities only",
    NONE,
    credential({ issuer: TENANT, subject: "99999999-9999-9999-9999-999999999999" }),
    [`incomparable |  |  | ${ROLE}`],
  ],
  [
    "one more service account of the same issuer on Azure",
    NONE,
    credential({ issuer: OWN, subject: "system:serviceaccount:shop:jobs" }),
    [`widened | shop/jobs | ${OWN} | ${ROLE}`],
  ],
  [
    "another name of a credential",
    NONE,
    (resources) => {
      only(resources, "azurerm_federated_identity_credential")["name"] = "other";
      const [[address, block] = []] = Object.entries(
        resources["azurerm_federated_identity_credential"] ?? {},
      );
      resources["azurerm_federated_identity_credential"] = { [`${address}-renamed`]: block ?? {} };
    },
    [],
  ],
  [
    "a pool provider for GitHub",
    NONE,
    provider({ oidc: { issuer_uri: GITHUB, allowed_audiences: [GITHUB] } }),
    [`added | any other subject | ${GITHUB} | more`],
  ],
  [
    "a pool provider for GitHub with a condition",
    NONE,
    provider({
      oidc: { issuer_uri: GITHUB, allowed_audiences: [GITHUB] },
      attribute_condition: "assertion.repository == 'acme/app'",
    }),
    ["incomparable |  |  | more"],
  ],
  [
    "a mapping of claims that service accounts' tokens do not have",
    NONE,
    provider({
      oidc: { issuer_uri: GITHUB, allowed_audiences: [GITHUB] },
      attribute_mapping: { "google.subject": "assertion.repository" },
    }),
    [`verdict | any other subject | ${GITHUB} | more`],
  ],
  [
    "an account of AWS",
    provider({ aws: { account_id: "111122223333" } }),
    provider({ aws: { account_id: "999988887777" } }),
    ["incomparable |  |  | google_iam_workload_identity_pool_provider.more.aws"],
  ],
];

function brief({ kind, subject, issuer = "", target }: Change): string {
  return [kind, subject, issuer, target.replace(/ on the role .*/, " on the role")].join(" | ");
}

function between(before: Artefacts, after: Artefacts): readonly string[] {
  return compared(before, after).changes.map(brief);
}

describe("trust", () => {
  it.each(ROWS)("%s", (_, before, after, expected) => {
    const [old, made] = [changed(before), changed(after)];
    const found = between(old, made);
    expect([...found].sort()).toEqual([...expected].sort());
    const mirrored = found.map((each) => each.replace(/^\w+/, (kind) => MIRRORED[kind as Change["kind"]]));
    expect([...between(made, old)].sort()).toEqual([...mirrored].sort());
  });

  it("is said with the issuer", () => {
    const { changes } = compared(whole, changed(trusting(TO_MAIN)));
    expect(renderCompareText({ changes })).toContain(
      `${MAIN} (new issuer ${GITHUB}) is newly trusted by ${ROLE}\n`,
    );
  });
});
