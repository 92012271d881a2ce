/*
 * Pools and pool providers of Google, and the pools of GKE. Issuers that almost fit, projects and organization policies are in test/explain/google/trust.test.ts.
 */

import { generateKeyPairSync } from "node:crypto";
import { jwksFromPublicKeys } from "../../../../lib/rules/openid/jwks";
import { INGRESS, WORKLOAD, accessArtefacts, issuer } from "../../../fixtures/explain/access";
import { checks } from "../../../fixtures/explain/checks";
import { type Change, configured } from "../../../fixtures/explain/configuration";
import { gke } from "../../../fixtures/explain/gke";
import { ISSUER, terraform, tools } from "../../../fixtures/explain/three-clouds";

const ID = "issuer-trusted";
const POOLS = '"google_iam_workload_identity_pool": {';
const PROVIDERS = "google_iam_workload_identity_pool_provider";
const NAME = '"workload-identity-pool_acme-images_k8s-edge-1_CB62CA17": {';
const pool = (more: string) => terraform(`${POOLS}\n      ${NAME}`, `${POOLS}\n      ${NAME}${more},`);
const poolProvider = (more: string) =>
  terraform('"attribute_condition"', `${more},\n        "attribute_condition"`);
const SUBJECT = '"google.subject": "assertion.sub"';
const numbered = (count: number, text: (number: number) => string): string =>
  Array.from({ length: count }, (_, number) => text(number)).join(", ");
const attributes = (count: number) =>
  terraform(SUBJECT, `${numbered(count, (n) => `"attribute.a${n}": "assertion.sub"`)}, ${SUBJECT}`);
const sameNames =
  '"workload_identity_pool_id": "k8s-edge-1", "workload_identity_pool_provider_id": "k8s-edge-1"';
const otherPool = '{"project": "other", "workload_identity_pool_id": "k8s-edge-1", "disabled": true}';

checks(ID, "pools and pool providers", tools, [
  ["as written", [], "pass", "trusts"],
  [
    "another issuer",
    terraform('"issuer_uri": "https://oidc', '"issuer_uri": "https://old'),
    "fail",
    "the pool provider trusts https://old.acme.example/edge-1",
  ],
  [
    "a pool provider elsewhere",
    terraform(`"${PROVIDERS}": {`, '"google_other": {'),
    "unknown",
    "the pool provider k8s-edge-1/k8s-edge-1 is not among what was read",
  ],
  [
    "two pool providers of one name",
    terraform(`"${PROVIDERS}": {`, `"${PROVIDERS}": {"other": {${sameNames}},`),
    "unknown",
    "is not among what was read",
  ],
  ["a disabled pool provider", poolProvider('"disabled": true'), "fail", "is disabled"],
  ["a deleted pool provider", poolProvider('"state": "DELETED"'), "fail", "the pool provider is deleted"],
  [
    "a pool provider for credentials of AWS",
    terraform('"oidc": {', '"aws": {"account_id": "111122223333"},\n        "other": {'),
    "fail",
    "accepts no OpenID Connect tokens",
  ],
  ["a disabled pool", pool('"disabled": true'), "fail", "the pool is disabled"],
  ["a deleted pool", pool('"state": "DELETED"'), "fail", "the pool is deleted"],
  // Provider documentation, `mode`: in TRUST_DOMAIN no pool provider can be created.
  [
    "a pool of another mode",
    pool('"mode": "TRUST_DOMAIN"'),
    "unknown",
    "in a pool with the mode TRUST_DOMAIN",
  ],
  ["a pool of the usual mode", pool('"mode": "FEDERATION_ONLY"'), "pass"],
  ["a pool of a late mode", pool('"mode": "${var.mode}"'), "unknown", "in a pool with the mode not known"],
  [
    "another project's disabled pool of the same name",
    terraform(POOLS, `${POOLS}"other": ${otherPool},`),
    "pass",
  ],
  // REST reference of projects.locations.workloadIdentityPools.providers, `attributeMapping` and `allowedAudiences`.
  ["50 custom attributes", attributes(48), "pass"],
  ["51 custom attributes", attributes(49), "fail", "more than 50 custom attributes"],
  [
    "11 audiences",
    terraform('"allowed_audiences": [', `"allowed_audiences": [${numbered(10, (n) => `"a${n}"`)},`),
    "fail",
    "or 10 allowed audiences",
  ],
]);

const CLUSTER = "https://container.googleapis.com/v1/projects/p/locations/europe-west1/clusters/c1";
const membership = (host: string): string =>
  `https://gkehub.googleapis.com/projects/${host}/locations/global/memberships/c1`;
const KNOWS = "knows the cluster by";
const OWN_PROJECT = "the project of the GKE cluster, or to its fleet";
const inProject = (project: string): string => CLUSTER.replace("/p/", `/${project}/`);

checks(ID, "the pool of GKE", tools, [
  ["of another cluster", gke(`${CLUSTER}0`, CLUSTER), "fail", "is not the cluster"],
  ["of a fleet", gke(ISSUER, membership("acme-images")), "pass", KNOWS],
  [
    "of another project's fleet",
    gke(ISSUER, membership("acme-fleet")),
    "unknown",
    "the project of the fleet membership",
  ],
  [
    "of a fleet whose project is a number",
    gke(ISSUER, membership("123456789012")),
    "unknown",
    "the project of the fleet membership",
  ],
  // A GKE cluster is in the pool of its own project, and in that of its fleet's host project.
  ["of a cluster in the pool's project", gke(inProject("acme-images")), "pass", KNOWS],
  ["of a cluster in another project", gke(CLUSTER), "unknown", OWN_PROJECT],
  ["of a cluster whose project is a number", gke(inProject("123456789012")), "unknown", OWN_PROJECT],
]);

type Jwk = Readonly<Record<string, string>>;
type Jwks = { keys: Jwk[] };

/** A key that Google takes. */
function newKey(): Jwk {
  const { publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const [key = {}] = jwksFromPublicKeys([publicKey.export({ type: "spki", format: "pem" }) as string]).keys;
  return { ...(key as Jwk) };
}

/** The keys that the components' pool provider was handed, changed. */
const keys = (change: (jwks: Jwks) => void): Change => {
  return ({ resource }) => {
    const providers = Object.values(resource[PROVIDERS] ?? {}) as {
      attribute_condition: string;
      oidc: { jwks_json: string };
    }[];
    for (const { attribute_condition: condition, oidc } of providers) {
      if (!condition.includes("openshift")) continue;
      const jwks = JSON.parse(oidc.jwks_json) as Jwks;
      change(jwks);
      oidc.jwks_json = JSON.stringify(jwks);
    }
  };
};
const key =
  (values: object) =>
  ({ keys: [first] }: Jwks): void =>
    void Object.assign(first ?? {}, values);
const [a, b] = [newKey(), newKey()];
const another = (use: string) => (jwks: Jwks) => jwks.keys.push({ ...a, use });
/** What every pool provider was handed. */
const written =
  (jwks: string): Change =>
  ({ resource }) =>
    Object.values(resource[PROVIDERS] ?? {}).forEach((each) =>
      Object.assign(each["oidc"] as object, { jwks_json: jwks }),
    );
/** Every pool provider was handed these keys. */
const handed = (...all: readonly Jwk[]): Change => written(JSON.stringify({ keys: all }));
/** The issuer publishes these keys. */
const published =
  (...all: readonly Jwk[]): Change =>
  ({ resource }) => {
    const object = (name: string, content: object): Record<string, unknown> => ({
      bucket: "b",
      name,
      content: JSON.stringify(content),
    });
    resource["google_storage_bucket_object"] = {
      discovery: object(".well-known/openid-configuration", { issuer, jwks_uri: `${issuer}/keys.json` }),
      keys: object("keys.json", { keys: all }),
    };
  };
const PUBLISHED = { evidence: "published keys" };

// A pool provider that was handed keys verifies tokens by these alone.
// Source: cloud.google.com/iam/docs/workload-identity-federation-with-kubernetes; RFC 7517 section 4.2.
checks(ID, "keys that were handed over", { artefacts: accessArtefacts("google"), serviceAccount: INGRESS }, [
  ["as written", [], "pass", "trusts"],
  ["for encryption", configured(keys(key({ use: "enc" }))), "fail", "use is not sig"],
  ["in a file", configured(written('${file("jwks.json")}')), "unknown", "it is not known what they are"],
  ["none", configured(keys((jwks) => void (jwks.keys = []))), "fail", "are an empty list"],
  ["of another id", configured(keys(key({ kid: "k1" }))), "unknown", "k1 is not the id"],
  ["one of two for encryption", configured(keys(another("enc"))), "pass", "trusts"],
  [
    "another set than that of the other pool provider",
    configured(keys(another("sig"))),
    "unknown",
    "another one for the same issuer",
  ],
  [
    "the same, of the other pool provider",
    configured(keys(another("sig"))),
    "unknown",
    "",
    { serviceAccount: WORKLOAD },
  ],
  [
    "other keys than are published",
    configured(handed(a), published(b)),
    "fail",
    `the issuer publishes ${b["kid"]}`,
    PUBLISHED,
  ],
  [
    "some of the published keys",
    configured(handed(a), published(a, b)),
    "unknown",
    `${b["kid"]} is published`,
    PUBLISHED,
  ],
  ["the published keys", configured(handed(a, b), published(b)), "pass", "trusts"],
]);
