/*
 * What the API server refuses counts as absent. Sources: kubernetes:staging/src/k8s.io/apimachinery/pkg/api/validation,
 * pkg/apis/core/validation/validation.go and pkg/apis/rbac/validation/validation.go.
 */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { clusterOf, factsOf } from "../../fixtures/explain/read";
import { runsOf } from "../../support/sample";

type Object_ = Readonly<Record<string, unknown>>;

const RBAC = "rbac.authorization.k8s.io";
const object = (kind: string, more: Object_, metadata: Object_ = {}, apiVersion = "v1"): Object_ => ({
  apiVersion,
  kind,
  metadata: { namespace: "shop", name: "web", ...metadata },
  ...more,
});
const account = (metadata: Object_, more: Object_ = {}): Object_ => object("ServiceAccount", more, metadata);
const rbac = (kind: string, more: Object_): Object_ => object(kind, more, {}, `${RBAC}/v1`);
const rule = { verbs: ["get"], apiGroups: [""], resources: ["pods"] };
const ruled = (more: Object_): Object_ => rbac("Role", { rules: [rule, { ...rule, ...more }] });
const urls = { rules: [{ verbs: ["get"], nonResourceURLs: ["/x"] }] };
const roleRef = { apiGroup: RBAC, kind: "ClusterRole", name: "x" };
const binding = (...subjects: readonly Object_[]): Object_ => rbac("RoleBinding", { roleRef, subjects });
const group = { kind: "Group", name: "system:nodes", apiGroup: RBAC };
const pod = (spec: Object_): Object_ => object("Pod", { spec });
const mounting = (...volumeMounts: readonly (Object_ | null)[]): Object_ =>
  pod({ containers: [{ name: "a", volumeMounts }] });
const mounted = (name: string): Object_ => ({ name, volumeMounts: [{ name: "v", mountPath: "/v" }] });
const projected = { serviceAccountToken: { path: "token" } };
const file = { key: "k", path: "f" };
const listing = (type: string, ...items: readonly unknown[]): Object_ => ({ [type]: { name: "x", items } });
const projecting = (...sources: readonly unknown[]): Object_ =>
  pod({ volumes: [{ name: "v", projected: { sources } }] });

/** Why an object is refused; "read" where it is not. */
function refusal(value: Object_): string {
  const { skipped, clusters } = factsOf({ "m.json": [value] });
  const [first] = skipped;
  if (first === undefined) return "read";
  const { kind } = value as { kind: string };
  expect([...(clusters[0]?.refused.keys() ?? [])]).toEqual([expect.stringContaining(kind)]);
  expect(first.source.path).toBe("items[0]");
  return first.reason.replace("the API server refuses it: ", "");
}

describe("refused or read", () => {
  it.each<[string, Object_, string]>([
    ["a service account", account({}), "read"],
    ["metadata that is a list", { ...account({}), metadata: [1] }, "metadata is not a mapping"],
    ["no name", account({ name: undefined }), "metadata.name is missing"],
    ["an empty name", account({ name: "" }), "metadata.name is missing"],
    ["a name that is a number", account({ name: 7 }), "metadata.name 7 is not a valid name"],
    ["a name with capitals", account({ name: "Web" }), 'metadata.name "Web" is not a valid name'],
    ["a namespace with a dot", account({ namespace: "a.b" }), 'metadata.namespace "a.b" is not a valid name'],
    ["no namespace", account({ namespace: undefined }), "read"],
    ["a number", account({ annotations: { "a/b": 1 } }), 'annotations["a/b"] is a number, not a string'],
    ["a switch", account({ annotations: { a: true } }), "annotations.a is a boolean, not a string"],
    ["an annotation that is null", account({ annotations: { a: null } }), "read"],
    ["capitals in the prefix of an annotation", account({ annotations: { "Acme.example/a": "x" } }), "read"],
    ["two slashes", account({ annotations: { "a/b/c": "x" } }), 'annotations["a/b/c"] has an invalid key'],
    ["annotations that are a list", account({ annotations: ["a"] }), "annotations is not a mapping"],
    ["annotations of 256 KiB", account({ annotations: { a: "x".repeat(262_143) } }), "read"],
    ["more", account({ annotations: { a: "x".repeat(262_144) } }), "annotations has more than 262144 bytes"],
    ["a label that is a number", account({ labels: { a: 1 } }), "labels.a is a number, not a string"],
    ["a label with a blank", account({ labels: { a: "b c" } }), "labels.a is not a valid label"],
    ["a label of 64 characters", account({ labels: { a: "x".repeat(64) } }), "labels.a is not a valid label"],
    ["a late label", account({ labels: { a: "@late(x_y.z.id)@" } }), "read"],
    ["pull secrets, no list", account({}, { imagePullSecrets: {} }), "imagePullSecrets is not a list"],
    ["pull secrets, null", account({}, { imagePullSecrets: null }), "read"],

    ["a role", rbac("Role", { rules: [rule] }), "read"],
    [
      "a role of an older version",
      object("Role", { rules: [rule] }, {}, `${RBAC}/v1beta1`),
      `apiVersion is ${RBAC}/v1beta1, but the kind is served as ${RBAC}/v1`,
    ],
    ["a role without rules", rbac("Role", { rules: null }), "read"],
    ["a rule without verbs", ruled({ verbs: [] }), "rules[1] has no verbs"],
    ["a rule without resources", ruled({ resources: [] }), "rules[1] has no resources"],
    ["a rule without apiGroups", ruled({ apiGroups: undefined }), "rules[1] has no apiGroups"],
    ["verbs that are a text", ruled({ verbs: "get" }), "rules[1] does not have a list of strings as verbs"],
    [
      "nonResourceURLs in a Role",
      rbac("Role", urls),
      "rules[0] has nonResourceURLs, which only a ClusterRole can grant",
    ],
    ["nonResourceURLs in a ClusterRole", rbac("ClusterRole", urls), "read"],
    [
      "both in one rule",
      rbac("ClusterRole", { rules: [{ ...rule, nonResourceURLs: ["/x"] }] }),
      "rules[0] has both resources and nonResourceURLs",
    ],
    ["an empty aggregation", rbac("ClusterRole", { aggregationRule: {} }), "has no clusterRoleSelectors"],
    [
      "an aggregation",
      rbac("ClusterRole", { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: "b" } }] } }),
      "read",
    ],
    [
      "a name with colons",
      { ...rbac("ClusterRole", { rules: [rule] }), metadata: { name: "system:x" } },
      "read",
    ],
    [
      "a role's name with a slash",
      { ...rbac("ClusterRole", { rules: [rule] }), metadata: { name: "a/b" } },
      'metadata.name "a/b" is not a valid name',
    ],
    ["a binding", binding(group), "read"],
    ["a binding without subjects", rbac("RoleBinding", { roleRef }), "read"],
    [
      "a binding of another group's role",
      rbac("RoleBinding", { roleRef: { ...roleRef, apiGroup: "x" }, subjects: [group] }),
      `roleRef.apiGroup is not ${RBAC}`,
    ],
    [
      "a cluster's binding to a Role",
      rbac("ClusterRoleBinding", { roleRef: { ...roleRef, kind: "Role" } }),
      'roleRef.kind "Role" is not a kind that a ClusterRoleBinding can bind',
    ],
    [
      "a binding without role",
      rbac("RoleBinding", { roleRef: { ...roleRef, name: "" } }),
      "roleRef.name is not",
    ],
    ["a subject without name", binding({ ...group, name: "" }), "subjects[0] has no name"],
    [
      "a subject of another kind",
      binding(group, { ...group, kind: "Node" }),
      'subjects[1] has the kind "Node", which cannot be a subject',
    ],
    ["a group of no group", binding({ kind: "Group", name: "x" }), "read"],
    [
      "a service account of a group",
      binding({ kind: "ServiceAccount", name: "x", apiGroup: RBAC }),
      "subjects[0] is a ServiceAccount with an apiGroup",
    ],
    ["an account without namespace", binding({ kind: "ServiceAccount", name: "x" }), "read"],
    [
      "one in a cluster's binding",
      rbac("ClusterRoleBinding", { roleRef, subjects: [{ kind: "ServiceAccount", name: "x" }] }),
      "subjects[0] has no namespace",
    ],

    ["a Secret", object("Secret", { data: { a: "YQ==" }, stringData: { b: "x" } }), "read"],
    ["data that is not base64", object("Secret", { data: { a: "a b" } }), "data.a is not base64"],
    ["base64 in lines", object("Secret", { data: { a: "YWFh\nYWFh\n" } }), "read"],
    ["late data", object("Secret", { data: { a: "@late(base64.0123456789abcdef)@" } }), "read"],
    ["a number", object("Secret", { stringData: { a: 1 } }), "stringData.a is a number, not a string"],
    ["a key with a slash", object("Secret", { stringData: { "a/b": "" } }), 'data["a/b"] has an invalid key'],
    ["a key that ends with dots", object("ConfigMap", { data: { "a..": "" } }), "read"],
    ["two dots first", object("ConfigMap", { data: { "..a": "" } }), 'data["..a"] has an invalid key'],
    ["over 1 MiB", object("Secret", { stringData: { a: "x".repeat(1_048_576) } }), "more than 1048576 bytes"],
    ["a number in a ConfigMap", object("ConfigMap", { data: { a: 1 } }), "data.a is a number, not a string"],

    ["a pod", pod({ containers: [{ name: "a", image: "b" }] }), "read"],
    ["containers that are a number", pod({ containers: 7 }), "spec.containers is not a list"],
    [
      "a variable that is a number",
      pod({ containers: [{ name: "a", env: [{ name: "A", value: 1 }] }] }),
      "spec.containers[0].env[0] has a number as its value, not a string",
    ],
    [
      "an argument that is a number",
      pod({ containers: [{ name: "a", args: ["-v", 2] }] }),
      "spec.containers[0] does not have a list of strings as args",
    ],
    ["an account in capitals", pod({ serviceAccountName: "Web" }), "serviceAccountName is not a valid name"],
    [
      "a quoted switch of a pod",
      pod({ automountServiceAccountToken: "false" }),
      "spec.automountServiceAccountToken is a string, not a boolean",
    ],
    [
      "a quoted switch of a service account",
      account({}, { automountServiceAccountToken: "true" }),
      "automountServiceAccountToken is a string, not a boolean",
    ],
    ["a late switch", account({}, { automountServiceAccountToken: "@late(terraform.0)@" }), "read"],
    [
      "a pull policy with capitals missing",
      pod({ containers: [{ name: "a", imagePullPolicy: "never" }] }),
      "spec.containers[0] has the imagePullPolicy never",
    ],
    // validateContainers, validateInitContainers, ValidateVolumes, ValidateVolumeMounts of core/validation; a null in a
    // list is decoded as an empty object, which lacks its name.
    [
      "two containers of one name",
      pod({ containers: [{ name: "a" }, { name: "b" }, { name: "a" }] }),
      "spec has two containers with the name a",
    ],
    [
      "an init container with the name of another",
      pod({ initContainers: [{ name: "a" }], containers: [{ name: "a" }] }),
      "spec has two containers with the name a",
    ],
    [
      "two volumes of one name",
      pod({ volumes: [{ name: "v", emptyDir: {} }, { name: "v" }], containers: [{ name: "a" }] }),
      "spec has two volumes with the name v",
    ],
    [
      "two mounts at one path",
      mounting({ name: "v", mountPath: "/v" }, { name: "w", mountPath: "/v" }),
      "spec.containers[0] has two volumeMounts with the mountPath /v",
    ],
    [
      "two mounts of one volume",
      mounting({ name: "v", mountPath: "/v" }, { name: "v", mountPath: "/w" }),
      "read",
    ],
    [
      "paths that differ as texts",
      mounting({ name: "v", mountPath: "/v" }, { name: "v", mountPath: "/v/" }),
      "read",
    ],
    ["the same mount in two containers", pod({ containers: [mounted("a"), mounted("b")] }), "read"],
    ["a variable twice", pod({ containers: [{ name: "a", env: [{ name: "A" }, { name: "A" }] }] }), "read"],
    ["a null among mounts", mounting(null), "spec.containers[0].volumeMounts[0] is not a mapping"],
    ["a null among volumes", pod({ volumes: [null] }), "spec.volumes[0] is not a mapping"],
    // validateProjectionSources: a source of no type is one, and tokens do not take part in its search for pairs of paths.
    ["a null among projected sources", projecting(null, projected), "read"],
    ["two tokens at one path", projecting(projected, projected), "read"],
    [
      "two files at one path",
      projecting(listing("configMap", file), listing("secret", file)),
      "two files with the path f",
    ],
    [
      "a null among files",
      projecting(listing("configMap", null)),
      "spec.volumes[0] lists a file that is not a mapping",
    ],
    [
      "a generated name",
      object(
        "Job",
        { spec: { template: { spec: {} } } },
        { name: undefined, generateName: "a-" },
        "batch/v1",
      ),
      "read",
    ],
    [
      "a Deployment of extensions",
      object("Deployment", {}, {}, "apps/v1beta1"),
      "apiVersion is apps/v1beta1, but the kind is served as apps/v1",
    ],
  ])("%s", (_, value, expected) => {
    expect(refusal(value)).toEqual(expected === "read" ? expected : expect.stringContaining(expected));
  });
});

it("what is refused is no fact, and names the object that others miss", () => {
  const cluster = clusterOf({
    "m.json": [account({ annotations: { a: 1 } }), rbac("Role", { rules: [{}] })],
  });
  expect(cluster.serviceAccounts.size).toBe(0);
  expect(cluster.rbacSources.size).toBe(0);
  expect(cluster.refused.get("ServiceAccount shop/web")).toHaveLength(1);
});

it("the same holds for spokes", () => {
  const bindings = [
    rbac("ClusterRoleBinding", { roleRef, subjects: [{ kind: "User", name: "" }] }),
    rbac("ClusterRoleBinding", { roleRef, subjects: [{ kind: "User", name: "a" }] }),
  ];
  const { spokes } = clusterOf({ "spokes/one.json": bindings });
  expect(spokes.of("one").bound).toHaveLength(1);
});

/** Values that documents of others have where another form is expected. */
const odd = fc.oneof(
  fc.constantFrom<unknown>(null, 7, true, "", "x", [], {}, [null], [7], { a: null }, { __proto__: null }),
  fc.json().map((text) => JSON.parse(text) as unknown),
);

it("no value of any type at any place throws", () => {
  const kinds = [
    "ServiceAccount",
    "Role",
    "RoleBinding",
    "Secret",
    "ConfigMap",
    "Pod",
    "Deployment",
    "MachineConfig",
  ];
  const more = ["Image", "NodePool", "HostedCluster", "ClusterProfile", "KubeletConfig", "FeatureGate"];
  const apis: Readonly<Record<string, string>> = {
    ClusterProfile: "multicluster.x-k8s.io/v1alpha1",
    Deployment: "apps/v1",
    FeatureGate: "config.openshift.io/v1",
    HostedCluster: "hypershift.openshift.io/v1beta1",
    Image: "config.openshift.io/v1",
    KubeletConfig: "machineconfiguration.openshift.io/v1",
    MachineConfig: "machineconfiguration.openshift.io/v1",
    NodePool: "hypershift.openshift.io/v1beta1",
    Role: `${RBAC}/v1`,
    RoleBinding: `${RBAC}/v1`,
  };
  const fields = ["metadata", "spec", "data", "rules", "subjects", "roleRef", "status", "featureGates"];
  const value = fc.dictionary(fc.constantFrom(...fields, "config", "storage", "files", "template"), odd);
  fc.assert(
    fc.property(
      fc.constantFrom(...kinds, ...more),
      fc.dictionary(fc.constantFrom(...fields), fc.oneof(odd, value)),
      (kind, parts) => {
        const whole = { apiVersion: apis[kind] ?? "v1", kind, metadata: { name: "a" }, ...parts };
        const setup = { files: [parts, 1], kubeletFlags: parts };
        expect(() => clusterOf({ "a.json": [whole, setup], "b.json": setup }).spokes.of("a")).not.toThrow();
      },
    ),
    { numRuns: runsOf(150, 5) },
  );
});
