/*
 * What clouds say of who enters a spoke: what is not read is unknown, what is missing for certain fails, and whatever
 * grants the same in another way is as good.
 */

import { expect, it } from "vitest";
import type { Status } from "../../../lib/explain";
import { allSpokes } from "../../fixtures/explain/all-spokes";
import { type Artefacts, explained, statuses } from "../../fixtures/explain/artefacts";
import { inDocument, inTerraform, put } from "../../fixtures/explain/documents";
import { type Damage, HUB, both, resource, workload } from "../../fixtures/explain/fleet-damages";
import { damaged, withoutDocument } from "../../fixtures/explain/fleet";

type Case = readonly [string, string, Damage, readonly [Status, Status], string];

const artefacts = allSpokes("eks", "kueue");

const added =
  (type: string, values: object): Damage =>
  (all) =>
    inTerraform(all, put(["resource", type], { added: values }));

const MEMBER = "google_project_iam_member";
const role = (name: string): Damage => resource(MEMBER, "role", name);
const customRole = (values: object): Damage =>
  both(
    added("google_project_iam_custom_role", { role_id: "entry", title: "Entry", ...values }),
    role("${google_project_iam_custom_role.added.id}"),
  );
/** The same grants, of another resource. */
const grantedBy =
  (type: string, where: object): Damage =>
  (all) =>
    inTerraform(all, (document) => {
      const { [MEMBER]: members = {}, ...others } = (document as { resource: Record<string, object> })
        .resource;
      const moved = Object.entries(members).map(([name, { project: _, ...rest }]: [string, Members]) => [
        name,
        { ...rest, ...where },
      ]);
      return { ...(document as object), resource: { ...others, [type]: Object.fromEntries(moved) } };
    });
type Members = { readonly project?: unknown };
const unbound =
  (spoke: string): Damage =>
  (all) =>
    withoutDocument(all, `spokes/${spoke}.yaml`, "kind: ClusterRoleBinding");
const denying = (permission: string): Damage =>
  added("google_iam_deny_policy", {
    parent: "cloudresourcemanager.googleapis.com%2Fprojects%2Facme-prod",
    name: "d",
    rules: [
      {
        deny_rule: [
          { denied_principals: ["principalSet://goog/public:all"], denied_permissions: [permission] },
        ],
      },
    ],
  });

/** Source: cloud.google.com/iam/docs/permissions-reference, container.clusters.get and gkehub.gateway.get. */
const GOOGLE: readonly Case[] = [
  [
    "gke-d",
    "a custom role that is not read",
    role("projects/acme-prod/roles/entry"),
    ["unknown", "pass"],
    "a role whose permissions were not read",
  ],
  [
    "gke-d",
    "a custom role of the organization",
    role("organizations/1/roles/entry"),
    ["unknown", "pass"],
    "a role whose permissions were not read",
  ],
  [
    "gke-d",
    "a custom role",
    customRole({ permissions: ["container.clusters.get"] }),
    ["pass", "pass"],
    "IAM admits it",
  ],
  [
    "gke-d",
    "a custom role that lets it work",
    both(customRole({ permissions: ["container.clusters.get", "container.jobs.create"] }), unbound("gke-d")),
    ["pass", "pass"],
    "IAM grants it rights in the cluster",
  ],
  [
    "gke-d",
    "a custom role that lets it in alone, without RBAC",
    both(
      customRole({ permissions: ["container.clusters.get", "container.clusters.list"] }),
      unbound("gke-d"),
    ),
    ["pass", "unknown"],
    "no binding",
  ],
  [
    "gke-d",
    "a custom role without the permission",
    customRole({ permissions: ["container.pods.list"] }),
    ["fail", "skipped"],
    "no role admits it to clusters of project",
  ],
  [
    "gke-d",
    "a custom role that is disabled",
    customRole({ permissions: ["container.clusters.get"], stage: "DISABLED" }),
    ["fail", "skipped"],
    "no role admits it to clusters of project",
  ],
  ["gke-d", "a basic role", role("roles/viewer"), ["pass", "pass"], "roles/viewer on project acme-prod"],
  [
    "gke-d",
    "a basic role, without RBAC",
    both(role("roles/editor"), unbound("gke-d")),
    ["pass", "pass"],
    "IAM grants it rights in the cluster",
  ],
  [
    "gke-d",
    "a role of another service",
    role("roles/logging.viewer"),
    ["fail", "skipped"],
    "no role admits it to clusters of project",
  ],
  [
    "gke-d",
    "a predefined role that is not known here",
    role("roles/composer.worker"),
    ["unknown", "pass"],
    "a role whose permissions were not read",
  ],
  [
    "gke-d",
    "on the folder",
    grantedBy("google_folder_iam_member", { folder: "folders/1" }),
    ["unknown", "pass"],
    "whose reach is not known",
  ],
  [
    "gke-d",
    "on the organization",
    grantedBy("google_organization_iam_member", { org_id: "1" }),
    ["unknown", "pass"],
    "whose reach is not known",
  ],
  [
    "gke-d",
    "on the project by its number",
    resource(MEMBER, "project", "123456789012"),
    ["unknown", "pass"],
    "whose reach is not known",
  ],
  [
    "gke-d",
    "on a bucket",
    grantedBy("google_storage_bucket_iam_member", { bucket: "b" }),
    ["fail", "skipped"],
    "no role admits it to clusters of project",
  ],
  [
    "gw",
    "a custom role for the gateway",
    customRole({ permissions: ["gkehub.gateway.get"] }),
    ["pass", "pass"],
    "IAM admits it",
  ],
  [
    "gw",
    "a custom role of clusters",
    customRole({ permissions: ["container.clusters.get"] }),
    ["fail", "skipped"],
    "no role admits it to clusters of project",
  ],
  [
    "gw",
    "a custom role for the gateway that is not read",
    role("projects/acme-prod/roles/entry"),
    ["unknown", "pass"],
    "a role whose permissions were not read",
  ],
  [
    "gw",
    "a basic role for the gateway",
    role("roles/editor"),
    ["unknown", "pass"],
    "a role whose permissions were not read",
  ],
  [
    "gw",
    "a role of clusters for the gateway",
    role("roles/container.admin"),
    ["fail", "skipped"],
    "no role admits it to clusters of project",
  ],
  [
    "gw",
    "a role on the membership",
    grantedBy("google_gke_hub_membership_iam_member", { membership_id: "gw", location: "europe-west1" }),
    ["unknown", "pass"],
    "whose reach is not known",
  ],
  // registry.terraform.io: google_project_iam, authoritative resources
  [
    "gke-d",
    "a binding of the role without the identity",
    added("google_project_iam_binding", {
      project: "acme-prod",
      role: "roles/container.clusterViewer",
      members: ["user:a@b.c"],
    }),
    ["unknown", "pass"],
    "another resource owns the same policy",
  ],
  [
    "gke-d",
    "a binding of another role",
    added("google_project_iam_binding", {
      project: "acme-prod",
      role: "roles/owner",
      members: ["user:a@b.c"],
    }),
    ["pass", "pass"],
    "IAM admits it",
  ],
  [
    "gke-d",
    "a policy without the identity",
    added("google_project_iam_policy", { project: "acme-prod", policy_data: '{"bindings":[]}' }),
    ["unknown", "pass"],
    "another resource owns the same policy",
  ],
  [
    "gke-d",
    "a deny policy",
    denying("container.googleapis.com/clusters.get"),
    ["unknown", "pass"],
    "an unjudged deny policy may take it away",
  ],
  [
    "gke-d",
    "a deny policy about something else",
    denying("storage.googleapis.com/objects.get"),
    ["pass", "pass"],
    "IAM admits it",
  ],
  [
    "gw",
    "a deny policy for the gateway",
    denying("gkehub.googleapis.com/gateway.get"),
    ["unknown", "pass"],
    "an unjudged deny policy may take it away",
  ],
  [
    "gke-d",
    "a deny policy about what IAM lets it do",
    both(role("roles/container.viewer"), unbound("gke-d"), denying("container.googleapis.com/pods.list")),
    ["unknown", "unknown"],
    "an unjudged deny policy may take it away",
  ],
];

const SUBSCRIPTION = "/subscriptions/0b1f6471-1bf0-4dda-aec3-cb9272f09590";
const GROUP = `${SUBSCRIPTION}/resourceGroups/rg`;
const CLUSTER = `${GROUP}/providers/Microsoft.ContainerService/managedClusters/aksc`;
const DEFINITIONS = `${SUBSCRIPTION}/providers/Microsoft.Authorization/roleDefinitions/`;
const assigned = (key: string, value: unknown): Damage => resource("azurerm_role_assignment", key, value);
const at = (scope: string): Damage => assigned("scope", scope);
const ofId = (id: string): Damage =>
  both(assigned("role_definition_name", undefined), assigned("role_definition_id", id));
/** The cluster is declared, not looked up. */
const declaredAks =
  (entra: object = {}): Damage =>
  (all) =>
    both(
      added("azurerm_kubernetes_cluster", {}),
      added("azurerm_resource_group", { name: "rg", location: "westeurope" }),
      (now) =>
        inTerraform(
          now,
          put(["resource", "azurerm_kubernetes_cluster"], {
            aksc: {
              name: "aksc",
              location: "westeurope",
              resource_group_name: "${azurerm_resource_group.added.name}",
              azure_active_directory_role_based_access_control: [{ azure_rbac_enabled: true, ...entra }],
            },
          }),
        ),
    )(
      new Map(
        [...all].map(([path, text]) => [
          path,
          text.replaceAll("data.azurerm_kubernetes_cluster", "azurerm_kubernetes_cluster"),
        ]),
      ),
    );
const customAks = (dataActions: readonly string[]): Damage =>
  both(
    declaredAks(),
    added("azurerm_role_definition", {
      name: "Deployer",
      scope: GROUP,
      permissions: [{ data_actions: dataActions }],
    }),
    ofId("${azurerm_role_definition.added.role_definition_resource_id}"),
  );

/** Sources: learn.microsoft.com, "Understand scope for Azure RBAC" and "Azure built-in roles for Containers". */
const AZURE: readonly Case[] = [
  ["aks-r", "a declared cluster", declaredAks(), ["pass", "pass"], "RBAC Writer of the cluster"],
  [
    "aks-r",
    "a role by its id",
    ofId(`${DEFINITIONS}b1ff04bb-8a4e-4dc4-8eb5-8693973ce19b`),
    ["pass", "pass"],
    "RBAC Cluster Admin of the cluster",
  ],
  [
    "aks-r",
    "a role by its id, of no subscription",
    ofId("/providers/Microsoft.Authorization/roleDefinitions/7f6c6a51-bcf8-42ba-9220-52d62157d7db"),
    ["pass", "pass"],
    "RBAC Reader of the cluster",
  ],
  [
    "aks-r",
    "a role by an id that is not known here",
    ofId(`${DEFINITIONS}11111111-2222-4333-8444-555555555555`),
    ["pass", "unknown"],
    "no role of the identity",
  ],
  [
    "aks-r",
    "at the group",
    both(declaredAks(), at("${azurerm_resource_group.added.id}")),
    ["pass", "pass"],
    "RBAC Writer of the cluster",
  ],
  [
    "aks-r",
    "at the group's id",
    both(declaredAks(), at(GROUP)),
    ["pass", "pass"],
    "RBAC Writer of the cluster",
  ],
  [
    "aks-r",
    "at the group's id, of a cluster that is looked up",
    at(GROUP),
    ["pass", "pass"],
    "RBAC Writer of the cluster",
  ],
  [
    "aks-r",
    "at the cluster's id in other letters",
    both(declaredAks(), at(CLUSTER.toLowerCase())),
    ["pass", "pass"],
    "RBAC Writer of the cluster",
  ],
  [
    "aks-r",
    "at the subscription",
    both(declaredAks(), at(SUBSCRIPTION)),
    ["pass", "pass"],
    "RBAC Writer of the cluster",
  ],
  [
    "aks-r",
    "at a management group",
    both(declaredAks(), at("/providers/Microsoft.Management/managementGroups/x")),
    ["pass", "unknown"],
    "no role of the identity",
  ],
  [
    "aks-r",
    "at another group",
    both(declaredAks(), at(`${SUBSCRIPTION}/resourceGroups/r`)),
    ["pass", "fail"],
    "has no role for the Kubernetes API",
  ],
  [
    "aks-r",
    "at a cluster whose name begins alike",
    both(declaredAks(), at(`${CLUSTER}2`)),
    ["pass", "fail"],
    "has no role for the Kubernetes API",
  ],
  [
    "aks-r",
    "a custom role",
    customAks(["Microsoft.ContainerService/managedClusters/apps/deployments/*"]),
    ["pass", "pass"],
    "of a custom role of the cluster",
  ],
  [
    "aks-r",
    "a custom role of other data",
    customAks(["Microsoft.Storage/*"]),
    ["pass", "fail"],
    "has no role for the Kubernetes API",
  ],
  [
    "aks-r",
    "a custom role that is not read",
    both(declaredAks(), assigned("role_definition_name", "Acme AKS Deployer")),
    ["pass", "unknown"],
    "no role of the identity",
  ],
  [
    "aks-r",
    "the owner",
    both(declaredAks(), assigned("role_definition_name", "Owner")),
    ["pass", "fail"],
    "has no role for the Kubernetes API",
  ],
  [
    "aks-r",
    "an admin group",
    both(declaredAks({ admin_group_object_ids: ["1"] }), at(`${CLUSTER}2`)),
    ["pass", "unknown"],
    "admin group",
  ],
  [
    "aks-r",
    "roles of Azure are on by text",
    declaredAks({ azure_rbac_enabled: "true" }),
    ["pass", "pass"],
    "RBAC Writer of the cluster",
  ],
  [
    "aks-r",
    "roles of Azure are on or not",
    declaredAks({ azure_rbac_enabled: "${var.x}" }),
    ["pass", "unknown"],
    "no role of the identity",
  ],
  [
    "aks-r",
    "roles of Azure are off",
    declaredAks({ azure_rbac_enabled: false }),
    ["pass", "unknown"],
    "no binding",
  ],
];

/** A volume of the workload, and a field of its token. */
const token = (volume: string, key: string, value: unknown): Damage =>
  workload(["volumes", `=${volume}`, "projected", "sources", 0, "serviceAccountToken", key], value);

/** Source: kubernetes/kubernetes, pkg/apis/core/validation, ServiceAccountTokenProjection. */
it.each<readonly [string, Damage, string]>([
  ["aks", token("azure-token", "expirationSeconds", 60), "issues none under 600"],
  ["aks", token("azure-token", "path", "/token"), "only a path within the volume"],
  ["gke-d", token("google-credentials", "expirationSeconds", 599), "issues none under 600"],
  ["own", token("spoke-tokens", "expirationSeconds", 100), "issues none under 600"],
  ["own", token("spoke-tokens", "expirationSeconds", 99_999_999_999), "issues none over 4294967296"],
  ["own", token("spoke-tokens", "expirationSeconds", "3600"), "accepts only whole numbers of seconds"],
  ["own", token("spoke-tokens", "path", "../own"), "only a path within the volume"],
  ["eks-p", token("spoke-tokens", "expirationSeconds", 100), "issues none under 600"],
])("%s: a pod with a token that Kubernetes refuses (%#)", (spoke, damage, reason) => {
  const [result] = explained(damage(artefacts), { spoke });
  const check = result?.checks.find(({ id }) => id === "token-mounted");
  expect([result?.verdict, check?.status, check?.reason]).toEqual([
    "denied",
    "fail",
    expect.stringContaining(reason),
  ]);
});

it("a token of ten minutes, or of no stated lifetime, is as good", () => {
  for (const seconds of [600, undefined])
    expect(
      explained(token("spoke-tokens", "expirationSeconds", seconds)(artefacts), { spoke: "own" })[0]?.verdict,
    ).toBe("allowed");
});

it.each([...GOOGLE, ...AZURE])("%s: %s", (spoke, _, damage, expected, reason) => {
  const [result] = explained(damage(artefacts), { spoke });
  const found = result ? statuses(result) : {};
  expect([found["spoke-admits"], found["spoke-authorizes"]]).toEqual(expected);
  expect(result?.checks.map((check) => check.reason).join("\n")).toContain(reason);
  expect(result?.verdict === "allowed").toBe(expected.every((status) => status === "pass"));
});

/** No one recorded who enters. */
const undeclared: Damage = (all) =>
  damaged(all, "workload-identity.json", (text) => {
    const { clusters, ...others } = JSON.parse(text) as { clusters: { fleet?: unknown }[] };
    return JSON.stringify({ ...others, clusters: clusters.map(({ fleet: _, ...rest }) => rest) });
  });
const annotations =
  (value: object): Damage =>
  (all) =>
    inDocument(
      all,
      HUB,
      ["ServiceAccount", "kueue-controller-manager"],
      put(["metadata", "annotations"], value),
    );
const association = added("aws_eks_pod_identity_association", {
  cluster_name: "hub",
  namespace: "kueue-system",
  service_account: "kueue-controller-manager",
  role_arn: "arn:aws:iam::111122223333:role/kueue",
});

/** Identities that the clouds of hubs give of themselves are not judged, and it is said what to do. */
it.each<readonly [string, string, Damage, string, string]>([
  [
    "eks-p",
    "EKS Pod Identity",
    association,
    "EKS Pod Identity gives kueue-system/kueue-controller-manager a role",
    "trusts pods.eks.amazonaws.com",
  ],
  [
    "eks-p",
    "nothing at all",
    (all) => all,
    "nothing that was read says as whom",
    "give explain the manifests",
  ],
  [
    "gke-d",
    "GKE Workload Identity",
    both(
      withoutGoogleFile,
      annotations({ "iam.gke.io/gcp-service-account": "k@acme-prod.iam.gserviceaccount.com" }),
    ),
    "lets kueue-system/kueue-controller-manager act as k@acme-prod.iam.gserviceaccount.com",
    "roles/iam.workloadIdentityUser",
  ],
])("%s: %s", (spoke, _, damage, reason, remedy) => {
  const [result] = explained(both(undeclared, annotations({}), damage)(artefacts), { spoke });
  const check = result?.checks.find(({ id }) => id === "identity-named");
  expect([result?.verdict, check?.status, check?.reason, check?.remedy]).toEqual([
    "unknown",
    "unknown",
    expect.stringContaining(reason),
    expect.stringContaining(remedy),
  ]);
});

function withoutGoogleFile(all: Artefacts): Artefacts {
  return withoutDocument(all, HUB, "kind: ConfigMap", "external_account");
}
