/* What is granted beyond `may`, and to those who are bound in clusters and spokes. */

import { describe, expect, it } from "vitest";
import { renderCompareText } from "../../../lib/explain";
import type { RequestCloud } from "../../support/credentials-requests";
import { accessArtefacts, subscriptionId } from "../../fixtures/explain/access";
import { type Edit, edited, synthesized } from "../../fixtures/explain/artefacts";
import { type Block, adding, changed, compared, policy } from "../../fixtures/explain/changed";

const SCOPE = `/subscriptions/${subscriptionId}/resourceGroups`;
const BEYOND = "this is more than `may` declares";

/** Adds a resource of a type that copies the first one's other arguments. */
const again =
  (type: string, pick: (block: Block) => boolean, change: Block) =>
  (resources: Parameters<Parameters<typeof changed>[0]>[0]): void => {
    const own = Object.values(resources[type] ?? {}).find(pick);
    adding([type, { ...own, ...change }])(resources);
  };
const ofWorkload = (block: Block): boolean => JSON.stringify(block).includes("reports");
const granting = (Action: string, Resource: string): ReturnType<typeof again> =>
  again("aws_iam_role_policy", ofWorkload, {
    name: "more",
    policy: policy({ Effect: "Allow", Action, Resource }),
  });
const assigning = (role_definition_name: string, scope: string): ReturnType<typeof again> =>
  again("azurerm_role_assignment", ofWorkload, { role_definition_name, scope });
const binding = (role: string, bucket: string): ReturnType<typeof again> =>
  again("google_storage_bucket_iam_member", ofWorkload, { role, bucket });

describe("rights of a workload", () => {
  it.each<[RequestCloud, string, ReturnType<typeof again>, readonly string[]]>([
    ["aws", "another bucket", granting("s3:GetObject", "arn:aws:s3:::other/*"), ["undeclared"]],
    ["aws", "other actions", granting("s3:PutObject", "arn:aws:s3:::reports/*"), ["undeclared"]],
    ["aws", "part of what is declared", granting("s3:GetObject", "arn:aws:s3:::reports/a"), []],
    ["aws", "admin rights", granting("iam:*", "*"), ["admin"]],
    ["azure", "another role", assigning("Storage Blob Data Owner", `${SCOPE}/reports`), ["undeclared"]],
    ["azure", "another scope", assigning("Storage Blob Data Reader", `${SCOPE}/other`), ["undeclared"]],
    [
      "azure",
      "a scope above",
      assigning("Storage Blob Data Reader", `/subscriptions/${subscriptionId}`),
      ["undeclared"],
    ],
    [
      "azure",
      "a scope below",
      assigning("Storage Blob Data Reader", `${SCOPE}/reports/providers/Microsoft.Storage/storageAccounts/a`),
      ["wider"],
    ],
    ["google", "another bucket", binding("roles/storage.objectViewer", "other"), ["undeclared"]],
    ["google", "another role", binding("roles/storage.admin", "reports"), ["undeclared"]],
  ])("%s: %s", (cloud, _, edit, expected) => {
    const before = accessArtefacts(cloud);
    const comparison = compared(before, changed(edit, before));
    expect(comparison.changes.map(({ danger }) => danger)).toEqual(expected);
    const isBeyond = expected.some((danger) => danger !== "wider");
    expect(renderCompareText(comparison).includes(BEYOND)).toBe(isBeyond);
  });
});

describe("RBAC", () => {
  const fleet = synthesized("fleet-multikueue");
  const bound = (role: string): Edit => [
    "spokes/cpu-1.yaml",
    "kind: ClusterRole\n  name: multikueue-worker",
    `kind: ClusterRole\n  name: ${role}`,
  ];
  const rule = (verbs: string, group: string, resource: string): Edit => [
    "spokes/cpu-1.yaml",
    "apiVersion: rbac",
    `apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: multikueue-worker}\nrules: [{verbs: [${verbs}], apiGroups: ["${group}"], resources: ["${resource}"]}]\n---\napiVersion: rbac`,
  ];

  it.each<[string, Edit, string, string]>([
    ["cluster-admin", bound("cluster-admin"), "admin", "it may do everything in the cluster"],
    ["everything", rule('"*"', "*", "*"), "admin", "it may do everything in the cluster"],
    ["binding roles", rule("bind, get", "rbac.authorization.k8s.io", "clusterroles"), "admin", "any right"],
    ["impersonating", rule("impersonate", "", "users"), "others", "act as others"],
    ["tokens", rule("create", "", "serviceaccounts/token"), "others", "act as service accounts"],
    ["reading", rule("get, list", "apps", "deployments"), "wider", "get, list on apps/deployments"],
  ])("of a spoke: %s", (_, edit, danger, said) => {
    const comparison = compared(fleet, edited(fleet, [edit]));
    const [first] = comparison.changes.filter(({ about, kind }) => about === "right" && kind === "added");
    expect(first).toMatchObject({ danger, subject: "Group multikueue" });
    expect(renderCompareText(comparison)).toContain(said);
  });

  it("of the cluster itself: cluster-admin", () => {
    const own = synthesized("openshift-aws");
    const text = `\n---\napiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: eve}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: eve}]
`;
    const made = [...own].map(([path, each]): [string, string] => [
      path,
      path.endsWith("20-service-accounts.yaml") ? each + text : each,
    ]);
    const { changes } = compared(own, new Map(made));
    expect(changes[0]).toMatchObject({ danger: "admin", subject: "User eve" });
  });
});
