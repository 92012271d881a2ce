import { describe, expect, it } from "vitest";
import { validateClusterProfile } from "../../../lib/rules/fleet/cluster-profile-schema";

type Json = Record<string, unknown>;

interface Profile extends Json {
  spec: Json;
  status: { version: Json; properties: Json[]; conditions: Json[]; accessProviders: Json[] };
}

const profile = (): Profile => ({
  apiVersion: "multicluster.x-k8s.io/v1alpha1",
  kind: "ClusterProfile",
  metadata: { name: "spoke-a", namespace: "fleet", labels: { "x-k8s.io/cluster-manager": "platform-iac" } },
  spec: { displayName: "spoke-a", clusterManager: { name: "platform-iac" } },
  status: {
    version: { kubernetes: "v1.35.2" },
    properties: [{ name: "topology.kubernetes.io/region", value: "eu-west-1" }],
    conditions: [
      {
        type: "ControlPlaneHealthy",
        status: "True",
        reason: "Declared",
        message: "",
        lastTransitionTime: "2026-11-20T00:00:00Z",
      },
    ],
    accessProviders: [
      { name: "aws-spoke-a", cluster: { server: "https://a.example", "certificate-authority-data": "QQ==" } },
    ],
  },
});

const cluster = (document: Profile): Json => document.status.accessProviders[0]?.["cluster"] as Json;
const condition = (document: Profile): Json => document.status.conditions[0] ?? {};
const property = (document: Profile): Json => document.status.properties[0] ?? {};
const extended =
  (...extensions: readonly object[]) =>
  (document: Profile): unknown =>
    (cluster(document)["extensions"] = extensions);
const timed =
  (time: string) =>
  (document: Profile): unknown =>
    (condition(document)["lastTransitionTime"] = time);
const managed =
  (clusterManager: Json) =>
  (document: Profile): unknown =>
    (document.spec["clusterManager"] = clusterManager);
const twice = ["x", "x"].map((name) => ({ name, extension: {} }));
const C = "status.accessProviders[0].cluster";
const T = "status.conditions[0]";
const MANAGER = "spec.clusterManager.name";

/** Each row: what is done to a good profile, the fields that are dropped, the fields that are rejected. */
type Row = [string, (document: Profile) => unknown, readonly string[], readonly string[]];

// What apiextensions-apiserver 0.35.3 did with the CRD of kubernetes-sigs/cluster-inventory-api at 8375ac2.
const judged: readonly Row[] = [
  ["nothing", () => 0, [], []],
  [
    "camelCase in cluster",
    (d) => Object.assign(cluster(d), { certificateAuthorityData: "x", tlsServerName: "x" }),
    [`${C}.certificateAuthorityData`, `${C}.tlsServerName`],
    [],
  ],
  [
    "unknown fields",
    (d) => [(d["foo"] = 1), (d.spec["bar"] = 2), Object.assign(d.status, { baz: {} })],
    ["spec.bar", "status.baz", "foo"],
    [],
  ],
  ["no server", (d) => delete cluster(d)["server"], [], [`${C}.server`]],
  ["no cluster, which v1alpha1 takes", (d) => (d.status.accessProviders = [{ name: "a" }]), [], []],
  ["no spec", (d) => Reflect.deleteProperty(d, "spec"), [], ["spec"]],
  ["a spec that is null", (d) => Object.assign(d, { spec: null }), [], ["spec"]],
  [
    "a provider twice",
    (d) => d.status.accessProviders.push({ name: "aws-spoke-a", cluster: { server: "x" } }),
    [],
    ["status.accessProviders[1]"],
  ],
  ["a property twice", (d) => d.status.properties.push(property(d)), [], ["status.properties[1]"]],
  ["a condition twice", (d) => d.status.conditions.push(condition(d)), [], ["status.conditions[1]"]],
  [
    "an extension that is a list",
    extended({ name: "x", extension: ["a"] }),
    [],
    [`${C}.extensions[0].extension`],
  ],
  [
    "an extension that is null",
    extended({ name: "x", extension: null }),
    [],
    [`${C}.extensions[0].extension`],
  ],
  ["an extension without name", extended({ extension: {} }), [], [`${C}.extensions[0].name`]],
  [
    "anything within an extension, nothing beside it",
    extended({ name: "x", extension: { a: { b: [1] } }, c: 1 }),
    [`${C}.extensions[0].c`],
    [],
  ],
  ["an extension twice, which v1alpha1 takes", extended(...twice), [], []],
  ["a condition with a boolean", (d) => (condition(d)["status"] = true), [], [`${T}.status`]],
  ["a condition with true", (d) => (condition(d)["status"] = "true"), [], [`${T}.status`]],
  ["a condition without reason", (d) => delete condition(d)["reason"], [], [`${T}.reason`]],
  ["a condition with another domain", (d) => (condition(d)["type"] = "acme-corp.example/Ready"), [], []],
  ["a condition of a bad type", (d) => (condition(d)["type"] = "a b"), [], [`${T}.type`]],
  ["a date without time", timed("2026-11-20"), [], [`${T}.lastTransitionTime`]],
  ["a time with offset", timed("2026-11-20T00:00:00+01:00"), [], []],
  ["a leap day", timed("2028-02-29T00:00:00Z"), [], []],
  ["30 February", timed("2026-02-30T00:00:00Z"), [], [`${T}.lastTransitionTime`]],
  [
    "a negative generation",
    (d) => (condition(d)["observedGeneration"] = -1),
    [],
    [`${T}.observedGeneration`],
  ],
  ["half a generation", (d) => (condition(d)["observedGeneration"] = 1.5), [], [`${T}.observedGeneration`]],
  ...["%%%", "abc", "ab-_", "YWJj\nYWJj", ""].map((data): Row => [
    `a CA ${JSON.stringify(data)}`,
    (d) => (cluster(d)["certificate-authority-data"] = data),
    [],
    [`${C}.certificate-authority-data`],
  ]),
  ["a server that is not a URL, which v1alpha1 takes", (d) => (cluster(d)["server"] = "nope"), [], []],
  ["a manager's name that is a number", managed({ name: 1 }), [], [MANAGER]],
  ["a manager without name", managed({}), [], [MANAGER]],
  ["a manager's name with a blank, which v1alpha1 takes", managed({ name: "a b" }), [], []],
  ["an empty property", (d) => (property(d)["value"] = ""), [], ["status.properties[0].value"]],
  [
    "a property of 1025",
    (d) => (property(d)["value"] = "x".repeat(1025)),
    [],
    ["status.properties[0].value"],
  ],
  ["a property of 1024 umlauts", (d) => (property(d)["value"] = "ü".repeat(1024)), [], []],
  [
    "a version that is a number",
    (d) => (d.status.version["kubernetes"] = 1.35),
    [],
    ["status.version.kubernetes"],
  ],
  [
    "a switch in quotes",
    (d) => (cluster(d)["insecure-skip-tls-verify"] = "true"),
    [],
    [`${C}.insecure-skip-tls-verify`],
  ],
  ["the older list", (d) => Object.assign(d.status, { credentialProviders: [] }), [], []],
];

describe("validateClusterProfile, v1alpha1", () => {
  it.each(judged)("%s", (_, change, dropped, rejected) => {
    const document = profile();
    change(document);
    const result = validateClusterProfile(document, "v1alpha1");
    expect([...result.dropped].sort()).toEqual([...dropped].sort());
    expect(result.rejected.map(({ field }) => field)).toEqual(rejected);
  });

  it("uses the API server's words", () => {
    const document = profile();
    cluster(document)["extensions"] = [{ name: "x", extension: ["a"] }];
    delete cluster(document)["server"];
    document.status.accessProviders.push({ name: "aws-spoke-a", cluster: { server: "x" } });
    expect(validateClusterProfile(document, "v1alpha1").rejected).toEqual([
      { field: `${C}.extensions[0].extension`, message: 'must be of type object: "array"' },
      { field: `${C}.server`, message: "Required value" },
      { field: "status.accessProviders[1]", message: 'Duplicate value: {"name":"aws-spoke-a"}' },
    ]);
  });

  it.each([undefined, null, 1, "x", [], {}])("never throws for %j", (document) => {
    expect(validateClusterProfile(document, "v1alpha1").rejected).not.toEqual([]);
  });
});

// kubernetes-sigs/cluster-inventory-api:docs/api-versions.md and the CEL rules of apis/v1alpha2.
const later: readonly Row[] = [
  ["nothing", () => 0, [], []],
  [
    "the older list",
    (d) => Object.assign(d.status, { credentialProviders: [] }),
    ["status.credentialProviders"],
    [],
  ],
  ["a CA in a file", (d) => (cluster(d)["certificate-authority"] = "/x"), [`${C}.certificate-authority`], []],
  [
    "no cluster",
    (d) => (d.status.accessProviders = [{ name: "a" }]),
    [],
    ["status.accessProviders[0].cluster"],
  ],
  ["a server that is not a URL", (d) => (cluster(d)["server"] = "nope"), [], [`${C}.server`]],
  ["a manager's name with a blank", managed({ name: "a b" }), [], [MANAGER]],
  ["an extension twice", extended(...twice), [], [`${C}.extensions[1]`]],
  [
    "65 providers",
    (d) =>
      (d.status.accessProviders = Array.from({ length: 65 }, (_, index) => ({
        name: `p${index}`,
        cluster: { server: "https://a.example" },
      }))),
    [],
    ["status.accessProviders"],
  ],
];

describe("validateClusterProfile, v1alpha2", () => {
  it.each(later)("%s", (_, change, dropped, rejected) => {
    const document = profile();
    document["apiVersion"] = "multicluster.x-k8s.io/v1alpha2";
    change(document);
    const result = validateClusterProfile(document, "v1alpha2");
    expect(result.dropped).toEqual(dropped);
    expect(result.rejected.map(({ field }) => field)).toEqual(rejected);
  });

  it("is another version", () => {
    expect(validateClusterProfile(profile(), "v1alpha2").rejected).toEqual([
      { field: "apiVersion", message: "must be multicluster.x-k8s.io/v1alpha2" },
    ]);
    expect(() => validateClusterProfile(profile(), "v1beta1" as "v1alpha2")).toThrowError(
      expect.objectContaining({ code: "version-unknown" }),
    );
  });
});
