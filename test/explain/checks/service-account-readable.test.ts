import { checks } from "../../fixtures/explain/checks";
import { ecr, record } from "../../fixtures/explain/three-clouds";

const apiServer = (version: string) => record('"apiServer": "1.35"', `"apiServer": "${version}"`);
const ofNodes = {
  apiVersion: "rbac.authorization.k8s.io/v1",
  metadata: { name: "accounts" },
};
const role = (...rules: readonly object[]): string =>
  JSON.stringify({ ...ofNodes, kind: "ClusterRole", rules });
const granting = {
  "role.json": role({ apiGroups: [""], resources: ["serviceaccounts"], verbs: ["get"] }),
  "binding.json": JSON.stringify({
    ...ofNodes,
    kind: "ClusterRoleBinding",
    subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "Group", name: "system:nodes" }],
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "accounts" },
  }),
};
const emptied = { "role.json": role() };
const old = apiServer("1.33.1");

checks("service-account-readable", "nodes and API servers", ecr, [
  ["an API server of 1.35", [], "pass", ""],
  [
    "an API server of 1.33 without the gate",
    old,
    "fail",
    "does not let nodes get service accounts",
    { log: 'cannot get resource "serviceaccounts"' },
  ],
  [
    "an API server of 1.33 that has the gate",
    old,
    "pass",
    "",
    { cluster: { featureGates: { KubeletServiceAccountTokenForCredentialProviders: true } } },
  ],
  [
    "an API server of a version that is not known",
    apiServer("1.99"),
    "unknown",
    "depends on the API server's version",
  ],
  ["a role that lets nodes get them", old, "pass", "", { others: [granting] }],
  ["a role without rules", old, "fail", "", { others: [emptied] }],
  ["a role that two folders declare differently", old, "unknown", "", { others: [granting, emptied] }],
]);
