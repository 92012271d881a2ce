/*
 * Clouds ask an issuer for its keys, so that trust in one whose documents are wrong is none.
 * Source: OpenID Connect Discovery 1.0, sections 4.1 and 4.3.
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
const CURL = /curl \S+\/\.well-known\/openid-configuration`.*`curl \S+`$/;
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
      "keys at another host",
      discovery((text) =>
        text.replace(/"jwks_uri": "https:[^"]*(?:"\/"\)\})?/, '"jwks_uri": "https://k.example'),
      ),
      "unknown",
      CURL,
    ],
    [
      "content from a file",
      configured(argument(type, { [content]: undefined, source: "./x" })),
      "unknown",
      CURL,
    ],
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

// boto/botocore, botocore/data/partitions.json: DNS suffixes.
for (const region of ["cn-north-1", "us-gov-west-1", "eusc-de-east-1", "us-iso-east-1", "us-isob-east-1"]) {
  const artefacts = onAws(publicBucket(region), region);
  checks(ID, `a bucket in ${region}, known by its host`, { artefacts, serviceAccount: WORKLOAD }, [
    ["as written", [], "pass"],
    ["without keys", configured(documents("S3, public", true, () => undefined)), "fail", MISSING],
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
