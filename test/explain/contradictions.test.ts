/*
 * Manifests that contradict each other, or what is recorded: which of them the cluster has, no file says.
 */

import { describe, expect, it } from "vitest";
import { Explainer, explain } from "../../lib/explain";
import { pass } from "../../lib/explain/answer";
import { TRUST_LINKS, type TrustFacts } from "../../lib/explain/jobs/links";
import { type Known, Reference, known, textOf } from "../../lib/model/known";
import { type Artefacts, explained, folderOf, synthesized } from "../fixtures/explain/artefacts";
import { cluster, plain } from "../fixtures/explain/plain";

const IMAGE = "111122223333.dkr.ecr.eu-west-1.amazonaws.com/shop/web";
const ROLE = "arn:aws:iam::111122223333:role/edge-1_shop_web";
const KEY = "eks.amazonaws.com/ecr-role-arn";
const three = synthesized("three-clouds");

const account = (name: string, annotations: object | undefined, more: object = {}): string =>
  JSON.stringify({
    apiVersion: "v1",
    kind: "ServiceAccount",
    metadata: { namespace: name === "web" ? "shop" : "team", name, ...(annotations && { annotations }) },
    ...more,
  });

/** The stack's artefacts with another document at the end of a manifest. */
function beside(ending: string, document: string): Artefacts {
  return new Map(
    [...three].map(([path, text]) => [path, path.endsWith(ending) ? `${text}---\n${document}\n` : text]),
  );
}

function verdict(artefacts: Artefacts | Readonly<Record<string, string>>, id: string): readonly unknown[] {
  const isPlain = !(artefacts instanceof Map);
  const [result] = explained(
    artefacts,
    isPlain
      ? {
          serviceAccount: "team/puller",
          image: "111122223333.dkr.ecr.eu-west-1.amazonaws.com/team/web:v1",
        }
      : { serviceAccount: "shop/web", image: IMAGE },
    isPlain ? { cluster } : {},
  );
  const check = result?.checks.find((each) => each.id === id);
  return [result?.verdict, check?.status];
}

describe("documents of one service account", () => {
  const written = { [KEY]: ROLE };

  it.each<[string, string, string, string]>([
    ["the same once more", account("web", written), "allowed", "pass"],
    ["without the annotation", account("web", undefined), "unknown", "unknown"],
    ["another role", account("web", { [KEY]: `${ROLE}2` }), "unknown", "unknown"],
    [
      "another annotation besides",
      account("web", { ...written, "acme.example/team": "a" }),
      "allowed",
      "pass",
    ],
    // What a chart owns whole keeps annotations that are applied with --server-side.
    ["someone's whole one without it", account("web", undefined, { secrets: [] }), "allowed", "pass"],
    [
      "someone's whole one with another role",
      account("web", { [KEY]: "x" }, { secrets: [] }),
      "unknown",
      "unknown",
    ],
  ])("in the stack's manifests, %s", (_, document, expected, status) => {
    expect(verdict(beside("20-service-accounts.yaml", document), "annotations-present")).toEqual([
      expected,
      status,
    ]);
  });

  const role = { [KEY]: "arn:aws:iam::111122223333:role/team/puller" };

  it.each<[string, string, string, string]>([
    ["the same once more", account("puller", role), "allowed", "pass"],
    ["without the annotation", account("puller", undefined), "unknown", "unknown"],
    ["another role", account("puller", { [KEY]: "x" }), "unknown", "unknown"],
    ["someone's whole one", account("puller", undefined, { imagePullSecrets: [] }), "allowed", "pass"],
  ])("in plain manifests, %s", (_, document, expected, status) => {
    for (const name of ["app/a.json", "app/z.json"])
      expect(verdict({ ...plain, [name]: document }, "annotations-present")).toEqual([expected, status]);
  });

  it("names the documents", () => {
    const [result] = explained(beside("20-service-accounts.yaml", account("web", undefined)), {
      serviceAccount: "shop/web",
      image: IMAGE,
    });
    const check = result?.checks.find(({ id }) => id === "annotations-present");
    expect(check?.reason).toMatch(
      /^documents of shop\/web contradict each other about the annotation eks\.amazonaws\.com\/ecr-role-arn \(.*20-service-accounts\.yaml#\d+, .*20-service-accounts\.yaml#\d+\): /,
    );
    expect(check?.evidence).toHaveLength(2);
  });

  it("a patch may delete it", () => {
    const patch = account("puller", undefined, { $patch: "delete" });
    expect(verdict({ ...plain, "app/patch.json": patch }, "service-account-present")).toEqual([
      "unknown",
      "unknown",
    ]);
  });

  it("those of a list of one kind need not say theirs", () => {
    const { ["app/deployment.yaml"]: _, ...others } = plain;
    const items = [{ metadata: { namespace: "team", name: "puller", annotations: role } }];
    const list = JSON.stringify({ apiVersion: "v1", kind: "ServiceAccountList", items });
    expect(verdict({ ...others, "app/list.json": list }, "service-account-present")).toEqual([
      "allowed",
      "pass",
    ]);
  });
});

describe("Authentication/cluster", () => {
  const authentication = (issuer: string, name = "cluster"): string =>
    JSON.stringify({
      apiVersion: "config.openshift.io/v1",
      kind: "Authentication",
      metadata: { name },
      spec: { serviceAccountIssuer: issuer },
    });

  it.each<[string, string, string, string]>([
    ["the recorded issuer", authentication("https://oidc.acme.example/edge-1"), "allowed", "pass"],
    ["another issuer", authentication("https://elsewhere.example"), "unknown", "unknown"],
    ["none, which is the API server's own", authentication(""), "unknown", "unknown"],
    ["another object", authentication("https://elsewhere.example", "other"), "allowed", "pass"],
  ])("says %s", (_, document, expected, status) => {
    expect(verdict(beside("20-service-accounts.yaml", document), "issuer-trusted")).toEqual([
      expected,
      status,
    ]);
  });
});

// openshift/api, config/v1/types_authentication.go: without serviceAccountIssuer it is https://kubernetes.default.svc.
it.each<[string, Known<string>]>([
  ["a text", known("https://oidc.acme.example/edge-1")],
  ["a reference", textOf(["https://", new Reference("aws_cloudfront_distribution.x.domain_name")])],
])("Authentication/cluster without issuer beside a recorded one, %s, says so", (_, issuer) => {
  const authentication = { issuer: known(undefined), source: { file: "a.yaml", path: "" } };
  const artefacts = { authentication, cluster: { issuer } } as TrustFacts["artefacts"];
  const trust = { issuer: pass("trusted"), audience: pass("accepted"), subject: pass("admitted") };
  const [link] = TRUST_LINKS;
  expect(link && "run" in link ? link.run({ artefacts, trust }) : undefined).toMatchObject({
    status: "unknown",
    reason: expect.stringContaining("was read without serviceAccountIssuer") as string,
  });
});

// openshift/api, config/v1/types_image.go: "Only one of BlockedRegistries or AllowedRegistries may be set."
describe("Image/cluster", () => {
  const HOST = "111122223333.dkr.ecr.eu-west-1.amazonaws.com";
  const image = (registrySources: object, apiVersion = "config.openshift.io/v1"): string =>
    JSON.stringify({ apiVersion, kind: "Image", metadata: { name: "cluster" }, spec: { registrySources } });

  it.each<[string, string, string, string]>([
    ["blocks the registry", image({ blockedRegistries: [HOST] }), "denied", "fail"],
    ["blocks its domain", image({ blockedRegistries: ["*.amazonaws.com"] }), "denied", "fail"],
    ["blocks the repository", image({ blockedRegistries: [`${HOST}/shop/web`] }), "denied", "fail"],
    ["blocks another one", image({ blockedRegistries: [`${HOST}/other`, "quay.io"] }), "allowed", "pass"],
    ["allows others", image({ allowedRegistries: ["quay.io", `${HOST}/base`] }), "denied", "fail"],
    ["allows it", image({ allowedRegistries: ["quay.io", HOST] }), "allowed", "pass"],
    ["has both lists", image({ allowedRegistries: [HOST], blockedRegistries: [HOST] }), "unknown", "unknown"],
    ["has neither", image({}), "allowed", "pass"],
    ["is of another API", image({ blockedRegistries: [HOST] }, "image.openshift.io/v1"), "allowed", "pass"],
  ])("%s", (_, document, expected, status) => {
    expect(verdict(beside("20-service-accounts.yaml", document), "provider-matches-image")).toEqual([
      expected,
      status,
    ]);
  });

  it("blocks a registry that has a mirror", () => {
    const mirror = JSON.stringify({
      apiVersion: "config.openshift.io/v1",
      kind: "ImageTagMirrorSet",
      metadata: { name: "m" },
      spec: { imageTagMirrors: [{ source: HOST, mirrors: ["mirror.example/m"] }] },
    });
    const documents = `${image({ blockedRegistries: [HOST] })}\n---\n${mirror}`;
    expect(verdict(beside("20-service-accounts.yaml", documents), "provider-matches-image")).toEqual([
      "unknown",
      "unknown",
    ]);
  });
});

const TOKENS = "KubeletServiceAccountTokenForCredentialProviders";

/** Objects of a cluster about kubelets; which kubelets read them is known of some alone. */
describe("beside nodes with files of their own", () => {
  const object = (apiVersion: string, kind: string, more: object): string =>
    JSON.stringify({ apiVersion, kind, metadata: { name: "x" }, ...more });
  const gates = { featureGates: { [TOKENS]: false } };
  const featureGate = (featureSet: string | undefined): object => ({
    spec: { featureSet, customNoUpgrade: { disabled: [TOKENS] } },
  });
  const providers = [{ name: "a", matchImages: ["*.dkr.ecr.*.amazonaws.com"] }];

  it.each<[string, string, string]>([
    [
      "a CredentialProviderConfig",
      object("kubelet.config.k8s.io/v1", "CredentialProviderConfig", { providers }),
      "pass",
    ],
    [
      "a CredentialProviderConfig that no kubelet takes",
      object("kubelet.config.k8s.io/v1", "CredentialProviderConfig", { providers: [] }),
      "pass",
    ],
    [
      "a KubeletConfiguration with the gate off",
      object("kubelet.config.k8s.io/v1beta1", "KubeletConfiguration", gates),
      "unknown",
    ],
    [
      "a KubeletConfiguration with other settings",
      object("kubelet.config.k8s.io/v1beta1", "KubeletConfiguration", { maxPods: 12 }),
      "pass",
    ],
    [
      "a KubeletConfig with the gate off",
      object("machineconfiguration.openshift.io/v1", "KubeletConfig", { spec: { kubeletConfig: gates } }),
      "unknown",
    ],
    [
      "a KubeletConfig of another API",
      object("acme.example/v1", "KubeletConfig", { spec: { kubeletConfig: gates } }),
      "pass",
    ],
    [
      "a FeatureGate with the gate off",
      object("config.openshift.io/v1", "FeatureGate", featureGate("CustomNoUpgrade")),
      "fail",
    ],
    [
      "a FeatureGate of another set",
      object("config.openshift.io/v1", "FeatureGate", featureGate("TechPreviewNoUpgrade")),
      "pass",
    ],
    [
      "a FeatureGate of no set",
      object("config.openshift.io/v1", "FeatureGate", featureGate(undefined)),
      "pass",
    ],
    [
      "a FeatureGate of another API",
      object("gates.acme.example/v1", "FeatureGate", featureGate("CustomNoUpgrade")),
      "pass",
    ],
  ])("%s", (_, document, status) => {
    const verdicts: Readonly<Record<string, string>> = { pass: "allowed", fail: "denied" };
    const artefacts = beside("20-service-accounts.yaml", document);
    expect(verdict(artefacts, "provider-on-node")).toEqual([verdicts[status] ?? "unknown", status]);
  });

  it("a CredentialProviderConfig is listed as not read", () => {
    const document = object("kubelet.config.k8s.io/v1", "CredentialProviderConfig", { providers });
    const { skipped } = Explainer.read([folderOf(beside("20-service-accounts.yaml", document))]);
    expect(skipped.map(({ reason }) => reason)).toEqual([
      expect.stringContaining("nothing says which nodes read this CredentialProviderConfig"),
    ]);
  });

  it("nodes without any are named", () => {
    const folder = folderOf(three);
    const group = folderOf({
      "gpu.yaml": 'files:\n  - {path: /etc/x, content: y}\nkubeletFlags: {max-pods: "10"}\n',
    });
    const [result] = explain([folder, group], { serviceAccount: "shop/web", image: IMAGE });
    expect(result?.checks.find(({ id }) => id === "provider-matches-image")).toMatchObject({
      status: "unknown",
      reason: "no CredentialProviderConfig of the nodes gpu was read",
    });
  });
});
