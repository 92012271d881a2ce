/*
 * Who is let into clusters of the clouds: what is near the right thing is not taken for it.
 */

import { describe, expect, it } from "vitest";
import {
  type Artefacts,
  type Edit,
  type ExampleName,
  edited,
  explained,
  statuses,
  synthesized,
} from "../../fixtures/explain/artefacts";
import { damaged, withoutDocument, withoutResource } from "../../fixtures/explain/fleet";

const HUB = "65-fleet-controller.yaml";
const TERRAFORM = "cdk.tf.json";
const RECORD = "workload-identity.json";
const AUTHENTICATION = "on-prem_control-plane.yaml";
const ARGO = synthesized("fleet-argocd");
const KUEUE = synthesized("fleet-multikueue");

/** What the hub's users have before their names. */
const [PREFIX = ""] =
  /prefix: .*/.exec([...KUEUE].find(([path]) => path.endsWith(AUTHENTICATION))?.[1] ?? "") ?? [];

const edits =
  (...list: readonly Edit[]) =>
  (artefacts: Artefacts): Artefacts =>
    edited(artefacts, list);

const terraform =
  (change: (resource: Resources, document: { data?: Resources }) => void) =>
  (artefacts: Artefacts): Artefacts =>
    damaged(artefacts, TERRAFORM, (text) => {
      const document = JSON.parse(text) as { resource: Resources; data?: Resources };
      change(document.resource, document);
      return JSON.stringify(document);
    });

type Resources = Record<string, Record<string, Record<string, unknown>>>;

const each = (resources: Resources, type: string): readonly Record<string, unknown>[] =>
  Object.values(resources[type] ?? {});

const OTHER_ROLE = "arn:aws:iam::111122223333:role/other";

/** Example, spoke, what is other than it was, admitted and authorized, and a part of the reason. */
const CASES: readonly (readonly [
  string,
  Artefacts,
  string,
  (artefacts: Artefacts) => Artefacts,
  readonly [string, string],
  string,
])[] = [
  [
    "EKS: another cluster at the profile's address",
    KUEUE,
    "cpu-1",
    edits([HUB, "- cpu-1\n", "- gpu-1\n"]),
    ["fail", "skipped"],
    "leads to cpu-1",
  ],
  [
    "EKS: a role that the plugin assumes",
    KUEUE,
    "cpu-1",
    edits([
      HUB,
      "- --cluster-id\n                - cpu-1\n",
      `- --cluster-id\n                - cpu-1\n                - --role\n                - ${OTHER_ROLE}\n`,
    ]),
    ["unknown", "unknown"],
    "assumes the role",
  ],
  [
    "EKS: the entry is in another region",
    KUEUE,
    "cpu-1",
    terraform((all) => {
      for (const entry of each(all, "aws_eks_access_entry")) entry["region"] = "eu-north-1";
    }),
    ["unknown", "unknown"],
    "no access entry",
  ],
  [
    "EKS: a cluster that reads no entries",
    KUEUE,
    "cpu-1",
    terraform((all) => {
      all["aws_eks_cluster"] = { x: { name: "cpu-1", access_config: { authentication_mode: "CONFIG_MAP" } } };
    }),
    ["fail", "skipped"],
    "CONFIG_MAP",
  ],
  [
    "EKS: a declared cluster without an entry",
    KUEUE,
    "cpu-1",
    (all) =>
      terraform((now) => {
        now["aws_eks_cluster"] = { x: { name: "cpu-1", access_config: { authentication_mode: "API" } } };
      })(withoutResource(all, "aws_eks_access_entry", "cpu-1")),
    ["fail", "skipped"],
    "has no access entry",
  ],
  [
    "EKS: a declared cluster without an entry, whose mode EKS chooses",
    KUEUE,
    "cpu-1",
    (all) =>
      terraform((now) => {
        now["aws_eks_cluster"] = { x: { name: "cpu-1" } };
      })(withoutResource(all, "aws_eks_access_entry", "cpu-1")),
    ["unknown", "unknown"],
    "also admits roles from the ConfigMap aws-auth",
  ],
  [
    "EKS: a declared cluster without an entry, which reads its ConfigMap too",
    KUEUE,
    "cpu-1",
    (all) =>
      terraform((now) => {
        now["aws_eks_cluster"] = {
          x: { name: "cpu-1", access_config: { authentication_mode: "API_AND_CONFIG_MAP" } },
        };
      })(withoutResource(all, "aws_eks_access_entry", "cpu-1")),
    ["unknown", "unknown"],
    "also admits roles from the ConfigMap aws-auth",
  ],
  // CreateAccessEntry and AssociateAccessPolicy in the EKS API reference
  [
    "EKS: a group that EKS keeps for itself, among others",
    KUEUE,
    "cpu-1",
    terraform((all) => {
      for (const entry of each(all, "aws_eks_access_entry"))
        entry["kubernetes_groups"] = ["multikueue", "system:masters"];
    }),
    ["fail", "skipped"],
    "system:masters begins",
  ],
  [
    "EKS: a user that EKS keeps for itself",
    KUEUE,
    "cpu-1",
    terraform((all) => {
      for (const entry of each(all, "aws_eks_access_entry")) entry["user_name"] = "eks:kueue";
    }),
    ["fail", "skipped"],
    "eks:kueue begins",
  ],
  [
    "EKS: a policy for no namespace",
    ARGO,
    "shop-aws",
    terraform((all) => {
      for (const policy of each(all, "aws_eks_access_policy_association"))
        policy["access_scope"] = { type: "namespace", namespaces: [] };
    }),
    ["pass", "unknown"],
    "is not known here",
  ],
  [
    "EKS: a policy for what EKS does not know",
    ARGO,
    "shop-aws",
    terraform((all) => {
      for (const policy of each(all, "aws_eks_access_policy_association"))
        policy["access_scope"] = { type: "Namespace", namespaces: ["shop"] };
    }),
    ["pass", "unknown"],
    "is not known here",
  ],
  [
    "EKS: a user, where the group is bound",
    KUEUE,
    "cpu-1",
    edits(["spokes/cpu-1.yaml", "kind: Group", "kind: User"]),
    ["pass", "fail"],
    "no binding of cpu-1 names multikueue",
  ],
  [
    "EKS: a policy of another region",
    ARGO,
    "shop-aws",
    terraform((all) => {
      for (const policy of each(all, "aws_eks_access_policy_association")) policy["region"] = "eu-north-1";
    }),
    ["pass", "fail"],
    "neither access policies nor groups",
  ],
  [
    "AKS: no one recorded it, and the cluster was not read",
    ARGO,
    "shop-azure",
    edits([RECORD, '"cloud": "azure",\n            "server"', '"cloud": "",\n            "server"']),
    ["unknown", "pass"],
    "integrated with Entra was not read",
  ],
  [
    "AKS: a role on a cluster whose name begins alike",
    ARGO,
    "shop-azure",
    edits([TERRAFORM, "managedClusters/shop-azure", "managedClusters/shop"]),
    ["pass", "unknown"],
    "no role of the identity on the cluster",
  ],
  [
    "AKS: a role that lets no one use the Kubernetes API",
    ARGO,
    "shop-azure",
    edits([
      TERRAFORM,
      "Azure Kubernetes Service RBAC Cluster Admin",
      "Azure Kubernetes Service Cluster User Role",
    ]),
    ["pass", "unknown"],
    "no role of the identity on the cluster",
  ],
  [
    "AKS: the plugin is told another identity",
    ARGO,
    "shop-azure",
    edits([
      HUB,
      '"azure"\n            ],',
      '"azure"\n            ],\n            "env": [{ "name": "AZURE_CLIENT_ID", "value": "11111111-2222-4333-8444-555555555555" }],',
    ]),
    ["unknown", "unknown"],
    "a different client id",
  ],
  [
    "GKE: the role is on another project",
    ARGO,
    "shop-google",
    terraform((all) => {
      for (const member of each(all, "google_project_iam_member")) member["project"] = "other";
    }),
    ["fail", "skipped"],
    "no role admits it to clusters of project",
  ],
  [
    "GKE: only under a condition",
    ARGO,
    "shop-google",
    terraform((all) => {
      for (const member of each(all, "google_project_iam_member"))
        member["condition"] = { title: "x", expression: "false" };
    }),
    ["unknown", "pass"],
    "no role that admits it to clusters of project",
  ],
  [
    "GKE: the spoke's RBAC names another account",
    ARGO,
    "shop-google",
    edits(["spokes/shop-google.yaml", "name: gitops-hub-", "name: other-"]),
    ["pass", "fail"],
    "no binding of shop-google names",
  ],
  [
    "GKE: IAM grants it rights, without RBAC",
    ARGO,
    "shop-google",
    (all) =>
      edits([TERRAFORM, "roles/container.clusterViewer", "roles/container.developer"])(
        withoutDocument(all, "spokes/shop-google.yaml", "kind: ClusterRoleBinding"),
      ),
    ["pass", "pass"],
    "IAM grants it rights in the cluster",
  ],
  [
    "self-managed: bound is a group of that name",
    KUEUE,
    "on-prem",
    edits(["spokes/on-prem.yaml", "kind: User", "kind: Group"]),
    ["pass", "fail"],
    "no binding of on-prem names",
  ],
];

describe.each(CASES)("%s", (_, artefacts, spoke, change, expected, reason) => {
  it(`is ${expected.join(", ")}: ${reason}`, () => {
    const [result] = explained(change(artefacts), { spoke });
    const found = result ? statuses(result) : {};
    expect([found["spoke-admits"], found["spoke-authorizes"]]).toEqual(expected);
    expect(result?.checks.map((check) => check.reason).join("\n")).toContain(reason);
    expect(result?.verdict === "allowed").toBe(expected.every((status) => status === "pass"));
  });
});

/** What an AuthenticationConfiguration says besides, and how the way in ends then. */
const AUTHENTICATIONS: readonly (readonly [string, Edit, string, string])[] = [
  [
    "a claim must have a value",
    [
      AUTHENTICATION,
      "userValidationRules:",
      "claimValidationRules:\n            - claim: team\n              requiredValue: other\n          userValidationRules:",
    ],
    "subject-admitted",
    "unknown",
  ],
  [
    "texts are put together",
    [AUTHENTICATION, "kueue-controller-manager'", "kueue-controller-manager' + user.uid"],
    "subject-admitted",
    "unknown",
  ],
  [
    "the name is of an expression",
    [AUTHENTICATION, `claim: sub\n              ${PREFIX}`, "expression: claims.sub"],
    "subject-admitted",
    "fail",
  ],
  ["another prefix", [AUTHENTICATION, PREFIX, 'prefix: "other:"'], "subject-admitted", "fail"],
  [
    "the issuer appears twice",
    [
      AUTHENTICATION,
      "      jwt:\n",
      "      jwt:\n        - issuer: { url: 'https://oidc.eks.eu-west-1.amazonaws.com/id/0123456789ABCDEF0123456789ABCDEF', audiences: [x] }\n",
    ],
    "issuer-trusted",
    "fail",
  ],
];

it.each(AUTHENTICATIONS)("self-managed: %s", (_, edit, id, status) => {
  const [result] = explained(edited(KUEUE, [edit]), { spoke: "on-prem" });
  expect([result ? statuses(result)[id] : "", result?.verdict]).toEqual([
    status,
    status === "fail" ? "denied" : "unknown",
  ]);
});

it("warns where every service account with the audience gets in", () => {
  const from = KUEUE.get([...KUEUE.keys()].find((path) => path.endsWith(AUTHENTICATION)) ?? "") ?? "";
  const rules = from.slice(from.indexOf("          userValidationRules:"), from.indexOf("kubeletFlags"));
  const [result] = explained(edited(KUEUE, [[AUTHENTICATION, rules, ""]]), { spoke: "on-prem" });
  expect([result?.verdict, result?.warnings?.map(({ id }) => id)]).toEqual(["allowed", ["subject-unpinned"]]);
});

it.each<[ExampleName, string, Edit, readonly string[]]>([
  [
    "fleet-multikueue",
    "cpu-1",
    [TERRAFORM, "replace_triggered_by", "create_before"],
    ["access-entry-untied"],
  ],
  [
    "fleet-multikueue",
    "cpu-1",
    ["61-cluster-profile-status.yaml", "name: aws-gpu-1", "name: aws-cpu-2"],
    ["access-provider-unused"],
  ],
  [
    "fleet-multikueue",
    "on-prem",
    [
      "61-cluster-profile-status.yaml",
      "server: https://on-prem",
      "tls-server-name: x\n        server: https://on-prem",
    ],
    ["cluster-setting-ignored"],
  ],
  [
    "fleet-argocd",
    "shop-google",
    [
      HUB,
      "            - name: GOOGLE",
      "            - name: HTTPS_PROXY\n              value: http://p\n            - name: GOOGLE",
    ],
    ["proxy-unused"],
  ],
  [
    "fleet-argocd",
    "shop-google",
    [
      HUB,
      '"name": "google-shop-google",',
      '"name": "google-shop-google",\n          "profileSourcedEnvVarsPolicy": "Replace",',
    ],
    ["profile-env-shared"],
  ],
])("%s, %s: warns of %j", (name, spoke, edit, ids) => {
  const [result] = explained(edited(synthesized(name), [edit]), { spoke });
  expect([result?.verdict, result?.warnings?.map(({ id }) => id)]).toEqual(["allowed", ids]);
});

// argoproj/argo-cd: docs/operator-manual/app-sync-using-impersonation.md; awsdocs/amazon-eks-user-guide: grant-k8s-access.adoc
it.each<readonly [string, string, readonly string[]]>([
  ["argocd", "true", ["policy-impersonated"]],
  ["argocd", "false", []],
  ["other", "true", []],
])("EKS: access policies beside a controller in %s that may act as others: %s", (namespace, value, ids) => {
  const configMap = `apiVersion: v1
kind: ConfigMap
metadata: { name: argocd-cm, namespace: ${namespace} }
data: { application.sync.impersonation.enabled: '${value}' }
---
`;
  const path = [...ARGO.keys()].find((each) => each.endsWith(HUB)) ?? "";
  const changed = new Map([...ARGO, [path, configMap + (ARGO.get(path) ?? "")]]);
  for (const [spoke, expected] of [
    ["shop-aws", ids],
    ["shop-google", []],
  ] as const) {
    const [result] = explained(changed, { spoke });
    const found = result?.warnings?.map(({ id }) => id).filter((id) => id === "policy-impersonated");
    expect([result?.verdict, found]).toEqual(["allowed", expected]);
  }
});
