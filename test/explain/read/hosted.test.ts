/*
 * HyperShift's own objects beside the output: they decide what the hosted cluster and its nodes do.
 * Source: openshift/hypershift, api/hypershift/v1beta1.
 */

import { describe, expect, it } from "vitest";
import { explained, synthesized } from "../../fixtures/explain/artefacts";

const artefacts = synthesized("aro-hcp");
const [MANIFEST = ""] = [...artefacts.keys()].filter((path) => path.endsWith("20-service-accounts.yaml"));
const HOST = "aroimages.azurecr.io";
const GATE = "KubeletServiceAccountTokenForCredentialProviders";

function judged(...objects: readonly object[]): readonly [verdict: string, reasons: string, all: string] {
  const texts = objects.map((object) => `---\n${JSON.stringify(object)}\n`);
  const [result] = explained(
    new Map(artefacts).set(MANIFEST, [`${artefacts.get(MANIFEST) ?? ""}\n`, ...texts].join("")),
  );
  const reasons = result?.checks.filter(({ status }) => status !== "pass").map(({ reason }) => reason);
  const all = result?.checks.map(({ reason }) => reason);
  return [result?.verdict ?? "", reasons?.join("; ") ?? "", all?.join("; ") ?? ""];
}

const apiVersion = "hypershift.openshift.io/v1beta1";
const hosted = (spec: object, name = "aro-hcp"): object => ({
  apiVersion,
  kind: "HostedCluster",
  metadata: { name, namespace: "clusters" },
  spec,
});
const CONFIG = [{ name: "workers-kubelet-credential-provider" }];
const nodePool = (spec: object, name = "workers", namespace = "clusters"): object => ({
  apiVersion,
  kind: "NodePool",
  metadata: { name, namespace },
  spec: { clusterName: "aro-hcp", config: CONFIG, ...spec },
});
const release = (tag: string): object => ({
  release: { image: `quay.io/openshift-release-dev/ocp-release${tag}` },
});
const blocked = { configuration: { image: { registrySources: { blockedRegistries: [HOST] } } } };

describe("HostedCluster", () => {
  it.each<[string, readonly object[], string, string]>([
    ["none", [], "allowed", ""],
    ["nothing of pulls", [hosted({ configuration: { ingress: {} } })], "allowed", ""],
    ["a blocked registry", [hosted(blocked)], "unknown", "limits or blocks registries"],
    [
      "that of another cluster",
      [hosted({ ...blocked, issuerURL: "https://other.example" }, "b")],
      "allowed",
      "",
    ],
    ["the only one, of another name", [hosted(blocked, "b")], "unknown", "limits or blocks registries"],
    ["two of other names", [hosted(blocked, "b"), hosted(blocked, "c")], "allowed", ""],
    [
      "a disabled gate",
      [
        hosted({
          configuration: {
            featureGate: { featureSet: "CustomNoUpgrade", customNoUpgrade: { disabled: [GATE] } },
          },
        }),
      ],
      "denied",
      GATE,
    ],
    ["one that is paused", [hosted({ pausedUntil: "true" })], "unknown", "spec.pausedUntil of HostedCluster"],
    [
      "another that is paused",
      [hosted({ pausedUntil: "true", issuerURL: "https://b.example" }, "b")],
      "allowed",
      "",
    ],
    ["another issuer", [hosted({ issuerURL: "https://other.example" })], "unknown", "https://other.example"],
  ])("%s", (_, objects, verdict, reason) => {
    const [actual, reasons] = judged(...objects);
    expect(reasons).toContain(reason);
    expect(actual).toBe(verdict);
  });

  it("are read as objects of the hosted cluster, from where they stand", () => {
    const objects = `\n---\n${JSON.stringify(hosted({ issuerURL: "https://other.example" }))}\n`;
    const [result] = explained(
      new Map(artefacts).set(MANIFEST, `${artefacts.get(MANIFEST) ?? ""}${objects}`),
    );
    const sources = result?.checks.flatMap(({ evidence }) => evidence.map(({ source }) => source));
    const own = sources?.find((source) =>
      source?.path.startsWith("spec.issuerURL (as Authentication/cluster)"),
    );
    expect(own?.file.endsWith(MANIFEST)).toBe(true);
  });

  it("mirrors are told", () => {
    const mirrors = [{ source: HOST, mirrors: ["mirror.example"] }];
    const rule = { imageDigestMirrors: mirrors };
    const inside = {
      apiVersion: "config.openshift.io/v1",
      kind: "ImageDigestMirrorSet",
      metadata: { name: "a" },
    };
    const told = judged(hosted({ imageContentSources: mirrors }));
    expect(told).toEqual(judged({ ...inside, spec: rule }));
    expect(told[2]).toContain("tries the mirror mirror.example first");
  });
});

describe("NodePool", () => {
  it.each<[string, readonly object[], string, string]>([
    ["lists the ConfigMap", [nodePool({})], "allowed", ""],
    ["lists none", [nodePool({ config: [] })], "denied", "NodePool workers does not list"],
    [
      "lists another",
      [nodePool({ config: [{ name: "other" }] })],
      "denied",
      "NodePool workers does not list",
    ],
    ["of another namespace", [nodePool({}, "workers", "other")], "denied", "NodePool workers does not list"],
    ["of another name beside it", [nodePool({}), nodePool({ config: [] }, "gpu")], "allowed", ""],
    ["of another name alone", [nodePool({ config: [] }, "gpu")], "allowed", ""],
    [
      "of another cluster beside it",
      [nodePool({}), nodePool({ clusterName: "b", config: [] }, "workers", "b")],
      "allowed",
      "",
    ],
    ["of the recorded release", [nodePool(release(":4.22.3-x86_64"))], "allowed", ""],
    ["of a release by digest", [nodePool(release("@sha256:0"))], "allowed", ""],
    ["of another release", [nodePool(release(":4.18.0-x86_64"))], "unknown", "runs the release 4.18"],
  ])("%s", (_, objects, verdict, reason) => {
    const [actual, reasons] = judged(...objects);
    expect(reasons).toContain(reason);
    expect(actual).toBe(verdict);
  });
});
