/*
 * Registries that map tokens to accounts of their own: what `quay()`, `artifactory()` and `cloudsmith()` write for their
 * owners is read back, and each damage of it is denied by the check that it is about, or is unknown where it is not judged.
 *
 * Source: quay/quay, endpoints/api/robot.py and util/security/federated_robot_auth.py (04035fb); docs/resources of
 * jfrog/terraform-provider-platform (c9cb421) and cloudsmith-io/terraform-provider-cloudsmith (4a4a506).
 */

import { TerraformStack } from "cdktf";
import { describe, expect, it } from "vitest";
import { explain } from "../../lib/explain";
import { kubernetes } from "../../lib/node";
import { artifactory, cloudsmith, quay } from "../../lib/registries";
import { ImagePulls } from "../../lib/synth";
import { edited, folderOf } from "../fixtures/explain/artefacts";
import { filesOf } from "../fixtures/synth/stack-fixture";
import { synthesized } from "../support/synthesized";

const ISSUER = "https://oidc.example.com/prod";
const ROLE = "arn:aws:iam::111122223333:role/puller";
const QUAY = "quay.example.com";
const JFROG = "acme.jfrog.io";
const AWS = "aws.jfrog.io";
const SMITH = "docker.cloudsmith.io";

const artefacts = new Map(
  Object.entries(
    filesOf(
      synthesized((app) => {
        new ImagePulls(new TerraformStack(app, "prod"), "pulls", {
          cluster: kubernetes({
            name: "prod",
            version: "1.35",
            issuer: ISSUER,
            plugins: { "jfrog-credentials-provider": "1.4.0" },
          }),
          pulls: [
            quay({ host: QUAY, robot: "acme+web", repositories: ["acme/web"] }),
            artifactory({ host: JFROG, user: "puller", repositories: ["oci/*"] }),
            artifactory({ host: AWS, user: "puller", roleArn: ROLE, executable: "jfrog-of-aws" }),
            cloudsmith({ host: SMITH, organization: "acme", service: "web", repositories: ["acme/oci/*"] }),
          ].map((from) => ({ serviceAccount: "shop/web", from })),
        });
      }),
    ),
  ),
);

type Change = readonly [from: string, to: string];

function written(host: string): string {
  return [...artefacts].find(([path]) => path.endsWith(`registries/${host}.json`))?.[1] ?? "";
}

/** The verdict and what decides it, if the registry's owner has this beside what is written for the cluster. */
function verdict(
  image: string,
  files: Readonly<Record<string, string>>,
  ...changes: readonly Change[]
): string {
  const [host = ""] = image.split("/");
  const all = new Map([["owner", JSON.stringify(files)]]);
  const changed = edited(
    all,
    changes.map(([from, to]) => [
      "owner",
      JSON.stringify(from).slice(1, -1),
      JSON.stringify(to).slice(1, -1),
    ]),
  );
  const owners = folderOf(JSON.parse(changed.get("owner") ?? "{}") as Record<string, string>);
  const without = new Map([...artefacts].filter(([path]) => !path.endsWith(`registries/${host}.json`)));
  const [result] = explain([folderOf(without), owners], { serviceAccount: "shop/web", image });
  const link = result?.checks.find(({ status }) => status === "fail" || status === "unknown");
  return `${result?.verdict ?? ""} ${result?.verdict === "allowed" ? (result.as ?? "") : (link?.id ?? "")}`;
}

const DENIED = {
  issuer: "denied issuer-trusted",
  audience: "denied audience-accepted",
  subject: "denied subject-admitted",
  unknown: "unknown issuer-trusted",
};

type Row = readonly [why: string, changes: readonly Change[], verdict: string];

describe("Quay's federation of robot accounts", () => {
  const files = { "quay.json": written(QUAY) };
  const binding = `"issuer": "${ISSUER}",`;
  const audiences = `"audiences": [\n            "${QUAY}"\n          ]`;
  it.each<Row>([
    ["as it is written", [], "allowed acme+web, as stated"],
    [
      "as the API prints it",
      [[binding, `"id": "1", "api_scopes": "", ${binding}`]],
      "allowed acme+web, as stated",
    ],
    ["an issuer with a slash", [[`${ISSUER}"`, `${ISSUER}/"`]], DENIED.issuer],
    ["another subject", [["shop:web", "shop:jobs"]], DENIED.subject],
    ["another audience", [[audiences, '"audiences": ["quay"]']], DENIED.audience],
    [
      "audiences, of which one is the token's",
      [[audiences, `"audiences": ["quay", "${QUAY}"]`]],
      "allowed acme+web, as stated",
    ],
    // Without audiences Quay does not compare them.
    ["no audience", [[`,\n          ${audiences}`, ""]], "allowed acme+web, as stated"],
    // The last binding of an issuer that has audiences says them for all bindings of it.
    [
      "the audiences of another binding",
      [
        [binding, `"issuer": "${ISSUER}", "subject": "x", "audiences": ["${QUAY}"] }, { ${binding}`],
        [audiences, '"audiences": ["quay"]'],
      ],
      DENIED.audience,
    ],
    ["no federation", [['"federation": [', '"federation": [], "x": [']], DENIED.subject],
    ["another robot", [["acme+web", "acme+jobs"]], DENIED.subject],
    [
      "another registry, so that the statement decides",
      [[`"registry": "${QUAY}"`, '"registry": "quay.io"']],
      "allowed acme+web, as stated",
    ],
    ["a field that is not judged", [[binding, `"disabled": true, ${binding}`]], DENIED.unknown],
  ])("%s", (_, changes, expected) => {
    expect(verdict(`${QUAY}/acme/web`, files, ...changes)).toBe(expected);
  });
});

describe("Artifactory's mappings of identities", () => {
  const files = { "main.tf.json": written(JFROG) };
  const second = `"other": { "name": "o", "priority": 9, "provider_name": "kubernetes", "claims_json": "{}", "token_spec": { "username": "u", "scope": "applied-permissions/user" } }, "shop_web": {`;
  it.each<Row>([
    ["as it is written", [], "allowed puller, as stated"],
    ["an issuer with a slash", [[`"issuer_url": "${ISSUER}"`, `"issuer_url": "${ISSUER}/"`]], DENIED.issuer],
    ["a claim of the issuer with a slash", [[`${ISSUER}\\"`, `${ISSUER}/\\"`]], DENIED.issuer],
    ["another subject", [["shop:web", "shop:jobs"]], DENIED.subject],
    ["another audience", [[`\\"aud\\":\\"${JFROG}\\"`, '\\"aud\\":\\"x\\"']], DENIED.audience],
    ["no claim of the audience", [[`,\\"aud\\":\\"${JFROG}\\"`, ""]], "allowed puller, as stated"],
    ["another user", [['"username": "puller"', '"username": "u"']], DENIED.unknown],
    [
      "another user, of another subject",
      [
        ['"username": "puller"', '"username": "u"'],
        ["shop:web", "shop:x"],
      ],
      DENIED.subject,
    ],
    ["a mapping of every token to another user", [['"shop_web": {', second]], DENIED.unknown],
    ["a pattern", [["shop:web", "shop:*"]], "unknown subject-admitted"],
    ["another claim", [['{\\"iss\\"', '{\\"jti\\":\\"x\\",\\"iss\\"']], DENIED.unknown],
    ["rights of groups", [["applied-permissions/user", "applied-permissions/groups:x"]], DENIED.unknown],
    [
      "another issuer of tokens",
      [['"provider_type": "generic"', '"provider_type": "generic", "token_issuer": "x"']],
      DENIED.unknown,
    ],
    ["no integration", [['"name": "kubernetes"', '"name": "other"']], DENIED.unknown],
    [
      "another integration, so that the statement decides",
      [['"provider_name": "kubernetes"', '"provider_name": "x"']],
      "allowed puller, as stated",
    ],
  ])("%s", (_, changes, expected) => {
    expect(verdict(`${JFROG}/oci/web`, files, ...changes)).toBe(expected);
  });
});

describe("Artifactory's roles of AWS", () => {
  it.each<Row>([
    ["as they are written", [], "allowed puller, as stated"],
    ["another role", [["role/puller", "role/other"]], DENIED.subject],
    ["another user", [['"username": "puller"', '"username": "u"']], DENIED.subject],
  ])("%s", (_, changes, expected) => {
    expect(verdict(`${AWS}/oci/web`, { "main.tf.json": written(AWS) }, ...changes)).toBe(expected);
  });
});

describe("Cloudsmith's OIDC settings", () => {
  it.each<Row>([
    ["as they are written", [], "allowed web, as stated"],
    ["an issuer with a slash", [[`${ISSUER}"`, `${ISSUER}/"`]], DENIED.issuer],
    ["another subject", [["shop:web", "shop:jobs"]], DENIED.subject],
    ["another audience", [['"aud": "cloudsmith"', '"aud": "x"']], DENIED.audience],
    ["another service", [['"web"\n', '"jobs"\n']], DENIED.subject],
    ["switched off", [['"enabled": true', '"enabled": false']], DENIED.subject],
    ["mappings of a claim", [['"enabled": true', '"enabled": true, "mapping_claim": "sub"']], DENIED.unknown],
    [
      "the id of the organization",
      [['"namespace": "acme"', '"namespace": "${data.cloudsmith_organization.a.slug_perm}"']],
      DENIED.unknown,
    ],
    [
      "another organization, so that the statement decides",
      [['"namespace": "acme"', '"namespace": "x"']],
      "allowed web, as stated",
    ],
  ])("%s", (_, changes, expected) => {
    expect(verdict(`${SMITH}/acme/oci/web`, { "main.tf.json": written(SMITH) }, ...changes)).toBe(expected);
  });
});
