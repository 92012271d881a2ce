/*
 * HyperShift's own objects beside the output: they decide what the hosted cluster and its nodes do.
 * Source: openshift/hypershift, api/hypershift/v1beta1.
 */

import { describe, expect, it } from "vitest";
import { explained, synthesized } from "../../fixtures/explain/artefacts";

const artefacts = synthesized("aro-hcp");
const [MANIFEST = ""] = [...artefacts.keys()].filter((path) => path.endsWith("20-service-accounts.yaml"));

function judged(...objects: readonly object[]): readonly [verdict: string, reasons: string] {
  const texts = objects.map((object) => `---\n${JSON.stringify(object)}\n`);
  const [result] = explained(
    new Map(artefacts).set(MANIFEST, [`${artefacts.get(MANIFEST) ?? ""}\n`, ...texts].join("")),
  );
  const reasons = result?.checks.filter(({ status }) => status !== "pass").map(({ reason }) => reason);
  return [result?.verdict ?? "", reasons?.join("; ") ?? ""];
}

const apiVersion = "hypershift.openshift.io/v1beta1";
const hosted = (spec: object): object => ({
  apiVersion,
  kind: "HostedCluster",
  metadata: { name: "aro-hcp", namespace: "clusters" },
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

it.each<[string, readonly object[], string, string]>([
  ["no HostedCluster", [], "allowed", ""],
  ["one, which is not read", [hosted({})], "unknown", "HostedCluster aro-hcp, which is not read"],
])("%s", (_, objects, verdict, reason) => {
  const [actual, reasons] = judged(...objects);
  expect(reasons).toContain(reason);
  expect(actual).toBe(verdict);
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
