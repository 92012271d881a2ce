/*
 * Clouds ask an issuer for its keys, so that trust in one whose documents are wrong or closed is none.
 * Source: OpenID Connect Discovery 1.0, sections 4.1 and 4.3; "Blocking public access to your Amazon S3 storage" in the
 * S3 user guide; learn.microsoft.com, "Configure anonymous read access for containers and blobs".
 */

import { AwsProvider } from "@cdktf/provider-aws/lib/provider/index.js";
import { expect, it } from "vitest";
import { ecr } from "../../../../../lib/cloud/aws";
import { kubernetes } from "../../../../../lib/node";
import { ImagePulls } from "../../../../../lib/synth";
import { WORKLOAD } from "../../../../fixtures/explain/access";
import { explained, firstFailed, synthesizedStack } from "../../../../fixtures/explain/artefacts";
import { answer, checkOf, checks, damaged } from "../../../../fixtures/explain/checks";
import {
  type Change,
  type Configuration,
  argument,
  configured,
  only,
  without,
} from "../../../../fixtures/explain/configuration";
import {
  HOSTS,
  type Host,
  distributed,
  hosted,
  onAws,
  place,
  publicBucket,
  workloadAt,
} from "../../../../fixtures/explain/issuer-hosts";
import { terraform } from "../../../../fixtures/explain/three-clouds";

const ID = "issuer-trusted";
const BLOCK = "aws_s3_bucket_public_access_block";
const POLICY = "aws_s3_bucket_policy";

/** The type of the documents' resources, the argument with their paths, and that with their content. */
function objectsOf(host: Host): readonly [type: string, name: string, content: string] {
  if (host === "Cloud Storage") return ["google_storage_bucket_object", "name", "content"];
  return /^(?:container|website)/.test(host)
    ? ["azurerm_storage_blob", "name", "source_content"]
    : ["aws_s3_object", "key", "content"];
}

/** The key set or the discovery document changed; `undefined` takes it away. */
function documents(host: Host, isKeys: boolean, change: (text: string) => string | undefined): Change {
  const [type, name, content] = objectsOf(host);
  return (configuration) => {
    const objects = configuration.resource[type] ?? {};
    const { locals = {} } = configuration as Configuration & { locals?: Record<string, string> };
    for (const [id, object] of Object.entries(objects)) {
      if (String(object[name]).endsWith("openid-configuration") === isKeys) continue;
      const local = /^\$\{local\.(.+)\}$/.exec(String(object[content]))?.[1];
      const text = change(local === undefined ? String(object[content]) : (locals[local] ?? ""));
      if (text === undefined) delete objects[id];
      else object[content] = text;
    }
  };
}

const NO_KEYS = '{"keys":[]}';
const MISSING = "is missing: nothing declares";
const OTHER_KEYS = /(keys\.json|openid\/v1\/jwks)"/;
const ISSUER = /"issuer": "[^"\n]*(?:"\/"\)\})?"/;

for (const host of HOSTS) {
  const [type, , content] = objectsOf(host);
  const keySet = (change: (text: string) => string | undefined) => configured(documents(host, true, change));
  const discovery = (change: (text: string) => string | undefined) =>
    configured(documents(host, false, change));
  // Whether a document names an issuer that only apply tells is not known.
  const isLate = host === "CloudFront" || host.startsWith("website");
  checks(ID, `documents in ${host}`, workloadAt(host), [
    ["as written", [], "pass"],
    ["an empty key set", keySet(() => NO_KEYS), "fail", "are an empty list"],
    ["no key set", keySet(() => "keys"), "fail", "are not a JSON Web Key Set"],
    ["keys for encryption", keySet((text) => text.replace('"sig"', '"enc"')), "fail", "use is not sig"],
    [
      "a key under another id than the API server's",
      keySet((text) => text.replace(/"kid": "[^"]+"/, '"kid": "other"')),
      "unknown",
      "other is not the id that kube-apiserver derives",
    ],
    ["a missing key set", keySet(() => undefined), "fail", MISSING],
    ["a missing discovery document", discovery(() => undefined), "fail", MISSING],
    ["no issuer", discovery(() => '{"jwks_uri":"https://a.example.com/keys"}'), "fail", "names no issuer"],
    [
      "another issuer",
      discovery((text) => text.replace(ISSUER, '"issuer": "https://x.example"')),
      isLate ? "unknown" : "fail",
    ],
    ["no jwks_uri", discovery((text) => text.replace('"jwks_uri"', '"jwks"')), "fail", "has no jwks_uri"],
    [
      "keys at a path where none are",
      discovery((text) => text.replace(OTHER_KEYS, 'other"')),
      "fail",
      `${MISSING} other`,
    ],
    ["documents that were not read, so that the cloud alone is judged", configured(without(type)), "pass"],
    [
      "documents that Terraform leaves as they are",
      configured(
        argument(type, { lifecycle: { ignore_changes: [content] } }),
        documents(host, true, () => NO_KEYS),
      ),
      "unknown",
    ],
  ]);
}

/** The bucket is only looked up: its policy and its access block are in Terraform that is not read. */
const lookedUp: Change = (configuration) => {
  configuration.data = { aws_s3_bucket: configuration.resource["aws_s3_bucket"] ?? {} };
  argument("aws_s3_object", { bucket: "issuer-c1" })(configuration);
  for (const type of ["aws_s3_bucket", POLICY, BLOCK]) without(type)(configuration);
};
const deny = {
  Version: "2012-10-17",
  Statement: [{ Effect: "Deny", Principal: "*", Action: "s3:*", Resource: "*" }],
};
const ofAnother: Change = (all) => {
  const policy = only(all, POLICY);
  const arn = "arn:aws:cloudfront::1:distribution/A";
  policy["policy"] = String(policy["policy"]).replace(/\$\{[^}]*\.arn\}/, arn);
};
// "Blocking public access to your Amazon S3 storage": the most restrictive combination of account and bucket counts.
const ofAccount = (values: object) =>
  configured(
    ({ resource }) => void (resource["aws_s3_account_public_access_block"] = { all: { ...values } }),
  );
const closed = { block_public_policy: true, restrict_public_buckets: true };

checks(ID, "who may read S3, public", workloadAt("S3, public"), [
  [
    "no one, by the block of the bucket",
    configured(argument(BLOCK, { restrict_public_buckets: true })),
    "fail",
  ],
  ["a block of policies", configured(argument(BLOCK, { block_public_policy: true })), "unknown"],
  ["no block, which S3 makes", configured(without(BLOCK)), "unknown"],
  ["no policy", configured(without(POLICY)), "fail"],
  ["no policy of a bucket that is looked up", configured(lookedUp), "pass"],
  ["a denial", configured(argument(POLICY, { policy: JSON.stringify(deny) })), "fail"],
  [
    "no one, where the trust is not read",
    configured(
      without("aws_iam_openid_connect_provider"),
      argument(BLOCK, { restrict_public_buckets: true }),
    ),
    "fail",
  ],
  [
    "everyone, where the trust is not read",
    configured(without("aws_iam_openid_connect_provider")),
    "unknown",
  ],
  ["a block of the account", ofAccount(closed), "unknown"],
  ["an open block of the account", ofAccount({ restrict_public_buckets: false }), "pass"],
  ["a block that refuses public policies", ofAccount({ block_public_policy: true }), "unknown"],
  ["a block by a variable", ofAccount({ restrict_public_buckets: "${var.closed}" }), "unknown"],
  [
    "a block of the bucket's account, by another provider",
    ofAccount({ ...closed, account_id: place.account, provider: "aws.other" }),
    "unknown",
  ],
  ["a block of another account", ofAccount({ ...closed, account_id: "444455556666" }), "pass"],
  ["a block of a late account", ofAccount({ ...closed, account_id: "${var.account}" }), "unknown"],
]);

checks(ID, "who may read a bucket behind CloudFront", workloadAt("CloudFront"), [
  ["the distribution, by the block", configured(argument(BLOCK, { restrict_public_buckets: true })), "pass"],
  ["the distribution, by the account's block", ofAccount(closed), "pass"],
  ["no policy", configured(without(POLICY)), "fail"],
  ["no policy of a bucket that is looked up", configured(lookedUp), "pass"],
  ["another distribution", configured(ofAnother), "fail"],
]);

const of = (type: string, values: object) => configured(argument(type, values));

checks(ID, "who may read a container", workloadAt("container"), [
  ["no one", of("azurerm_storage_container", { container_access_type: "private" }), "fail"],
  [
    "no one, by the account",
    of("azurerm_storage_account", { allow_nested_items_to_be_public: false }),
    "fail",
  ],
]);
checks(ID, "who may read a website", workloadAt("website"), [
  ["no one", of("azurerm_storage_account", { public_network_access_enabled: false }), "fail"],
]);
checks(ID, "who may read Cloud Storage", workloadAt("Cloud Storage"), [
  ["no one", configured(without("google_storage_bucket_iam_member")), "fail"],
  ["no one, by the bucket", of("google_storage_bucket", { public_access_prevention: "enforced" }), "fail"],
]);

// boto/botocore, botocore/data/partitions.json: DNS suffixes.
for (const region of ["cn-north-1", "us-gov-west-1", "eusc-de-east-1", "us-iso-east-1", "us-isob-east-1"]) {
  const artefacts = onAws(publicBucket(region), region);
  checks(ID, `a bucket in ${region}, known by its host`, { artefacts, serviceAccount: WORKLOAD }, [
    ["as written", [], "pass"],
    ["without policy", configured(without(POLICY)), "fail"],
  ]);
}

it("judges the documents for components and pulls as well", () => {
  const empty = configured(documents("CloudFront", true, () => NO_KEYS));
  const components = explained(empty(hosted("CloudFront")));
  expect(components.length).toBeGreaterThan(5);
  expect(new Set(components.map(firstFailed))).toEqual(new Set([ID]));
  const pulls = synthesizedStack((stack) => {
    new AwsProvider(stack, "aws", { region: place.region, allowedAccountIds: [place.account] });
    const { issuer } = distributed(stack);
    new ImagePulls(stack, "pulls", {
      cluster: kubernetes({ name: "c1", version: "1.35", issuer, plugins: { ecr: "1.35.2" } }),
      pulls: [{ serviceAccount: "shop/web", from: ecr({ ...place, repositories: ["shop/web"] }) }],
    });
  });
  expect(explained(pulls).map(({ verdict }) => verdict)).toEqual(["allowed"]);
  expect(explained(empty(pulls)).map(firstFailed)).toEqual([ID]);
  const foreign = damaged(pulls, terraform("serviceaccount:shop:web", "serviceaccount:shop:other"));
  expect(explained(foreign).map(firstFailed)).toEqual(["subject-admitted"]);
});

it("shows an issuer that apply will tell as the reference that it is", () => {
  expect(checkOf(answer(workloadAt("CloudFront")), ID).reason).toMatch(
    /^the OIDC provider and the trust policy both name issuer https:\/\/<aws_cloudfront_distribution\.\w+\.domain_name>$/,
  );
});
