/*
 * Workloads that use an AKS identity binding, in a state and objects of a cluster. Sources: AKS documentation, "Identity
 * bindings concepts" and "Set up identity bindings"; Azure/azure-workload-identity 1.6, pkg/webhook/webhook.go.
 */

import { describe, expect, it } from "vitest";
import { explain } from "../../../lib/explain";
import { heldFolder } from "../../fixtures/explain/artefacts";
import { type Resources, found, running } from "../../fixtures/explain/states";

const [TENANT, CLIENT] = ["0b1f6471-1bf0-4dda-aec3-cb9272f09590", "5c3a1d7e-8f21-4b6d-9c0e-1a2b3c4d5e6f"];
const GROUP = `/subscriptions/${TENANT}/resourceGroups/shop`;
const AKS = `${GROUP}/providers/Microsoft.ContainerService/managedClusters/prod`;
const IDENTITY = `${GROUP}/providers/Microsoft.ManagedIdentity/userAssignedIdentities/web`;
const TYPE = "Microsoft.ContainerService/managedClusters/identityBindings@2026-04-01";
const ISSUER = `https://westeurope.oic.prod-aks.azure.com/${TENANT}/1/`;
const ANNOTATION = "azure.workload.identity/use-identity-binding";
const USE = { "azure.workload.identity/use": "true" };

const cluster = (more: object = {}): Record<string, unknown> => ({
  id: AKS,
  name: "prod",
  resource_group_name: "shop",
  oidc_issuer_enabled: true,
  workload_identity_enabled: true,
  oidc_issuer_url: ISSUER,
  ...more,
});
const bound = (more: object = {}): Record<string, unknown> => ({
  id: `${AKS}/identityBindings/web`,
  type: TYPE,
  name: "web",
  parent_id: AKS,
  body: { properties: { managedIdentity: { resourceId: IDENTITY } } },
  ...more,
});
const RESOURCES: Resources = {
  "azurerm_kubernetes_cluster.prod": cluster(),
  "azurerm_user_assigned_identity.web": {
    id: IDENTITY,
    name: "web",
    resource_group_name: "shop",
    client_id: CLIENT,
    principal_id: TENANT,
    tenant_id: TENANT,
  },
  "azurerm_role_assignment.web": {
    id: `${GROUP}/providers/Microsoft.Authorization/roleAssignments/1`,
    scope: GROUP,
    principal_id: TENANT,
    role_definition_name: "Storage Blob Data Reader",
  },
  "azapi_resource.web": bound(),
};

interface Rbac {
  readonly rule?: object;
  readonly account?: string;
  /** A RoleBinding instead of a ClusterRoleBinding. */
  readonly isWithin?: true;
}

function rbac({ rule = {}, account = "web", isWithin }: Rbac = {}): object[] {
  const apiVersion = "rbac.authorization.k8s.io/v1";
  const rules = [
    { apiGroups: ["cid.wi.aks.azure.com"], resources: [CLIENT], verbs: ["use-managed-identity"], ...rule },
  ];
  const where = isWithin && { namespace: "shop" };
  return [
    { apiVersion, kind: "ClusterRole", metadata: { name: "use" }, rules },
    {
      apiVersion,
      kind: isWithin ? "RoleBinding" : "ClusterRoleBinding",
      metadata: { name: "use", ...where },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "use" },
      subjects: [{ kind: "ServiceAccount", namespace: "shop", name: account }],
    },
  ];
}

interface Pods {
  readonly annotations?: object;
  readonly labels?: object;
  readonly env?: readonly object[];
}

/** The service account and its Deployment. */
function workload({ annotations = { [ANNOTATION]: "true" }, labels = USE, env = [] }: Pods = {}): object[] {
  const [account = {}, deployment] = running(
    "shop",
    "web",
    { "azure.workload.identity/client-id": CLIENT, "azure.workload.identity/tenant-id": TENANT },
    labels,
  ) as [object, { spec: { template: { metadata: object; spec: { containers: object[] } } } }];
  const { metadata, spec } = deployment.spec.template;
  Object.assign(metadata, { annotations });
  for (const container of spec.containers) Object.assign(container, { env });
  return [account, deployment];
}

interface Found {
  readonly resources?: Resources;
  readonly pods?: Pods;
  readonly rbac?: Rbac | "none";
}

function judged({ resources, pods, rbac: granted = {} }: Found): readonly [string, string] {
  const objects = [...workload(pods), ...(granted === "none" ? [] : rbac(granted))];
  const folder = heldFolder(found({ ...RESOURCES, ...resources }, objects));
  const [result] = explain([folder], { serviceAccount: "shop/web", job: "workload" });
  const wrong = (result?.checks ?? []).filter(({ status }) => status === "fail" || status === "unknown");
  return [result?.verdict ?? "none", wrong.map(({ id, reason }) => `${id}: ${reason}`).join("\n")];
}

const azapi = (more: object): Found => ({ resources: { "azapi_resource.web": bound(more) } });

describe("a workload with an identity binding", () => {
  it.each<[string, Found]>([
    ["as declared", {}],
    ["the annotation in other letters", { pods: { annotations: { [ANNOTATION]: "True" } } }],
    ["ids in other letters", azapi({ parent_id: AKS.toLowerCase(), type: TYPE.toUpperCase() })],
    ["all client ids", { rbac: { rule: { resources: ["*"] } } }],
  ])("is allowed: %s", (_, given) => {
    expect(judged(given)).toEqual(["allowed", ""]);
  });

  it.each<[string, Found, string]>([
    ["another verb", { rbac: { rule: { verbs: ["use"] } } }, "subject-admitted: nothing allows"],
    ["another client id", { rbac: { rule: { resources: [TENANT] } } }, "subject-admitted: nothing allows"],
    ["another service account", { rbac: { account: "api" } }, "subject-admitted: nothing allows"],
    [
      "a name of the resource",
      { rbac: { rule: { resourceNames: ["x"] } } },
      "subject-admitted: nothing allows",
    ],
    ["no label", { pods: { labels: {} } }, "pods-configured: Deployment shop/web lacks the label"],
    [
      "no annotation, and no credential",
      { pods: { annotations: {} } },
      "has no federated identity credential",
    ],
    [
      "another value of the annotation",
      { pods: { annotations: { [ANNOTATION]: "yes" } } },
      "has no federated identity credential",
    ],
  ])("is denied: %s", (_, given, words) => {
    expect(judged(given)).toEqual(["denied", expect.stringContaining(words)]);
  });

  it.each<[string, Found, string]>([
    ["no RBAC that was read", { rbac: "none" }, "subject-admitted: no ClusterRole for the API group"],
    ["only a RoleBinding", { rbac: { isWithin: true } }, "subject-admitted: only a RoleBinding"],
    ["no binding", { resources: { "azapi_resource.web": undefined } }, "issuer-trusted: no identity binding"],
    ["a binding of another identity", azapi({ body: {} }), "issuer-trusted: "],
    [
      "a binding of another cluster",
      azapi({ parent_id: `${AKS}-2` }),
      "issuer-trusted: no identity binding of azurerm_user_assigned_identity.web with the cluster was read; azapi_resource.web binds it to another cluster",
    ],
    ["another resource", azapi({ type: "Microsoft.Other/x@2026-04-01" }), "all-understood: "],
    [
      "a body as text, as in azapi 1",
      azapi({ body: "{}" }),
      "all-understood: azapi_resource.web, which is not read",
    ],
    [
      "an argument that is not read",
      azapi({ sensitive_body: { a: 1 } }),
      "all-understood: azapi_resource.web",
    ],
    [
      "a change of the binding",
      {
        resources: { "azapi_update_resource.x": { type: TYPE, resource_id: `${AKS}/identityBindings/web` } },
      },
      "all-understood: azapi_update_resource.x, which is not read",
    ],
    [
      "API server VNet integration",
      {
        resources: {
          "azurerm_kubernetes_cluster.prod": cluster({
            api_server_access_profile: [{ virtual_network_integration_enabled: true }],
          }),
        },
      },
      "issuer-trusted: AKS does not support",
    ],
    [
      "a variable that the webhook does not overwrite",
      { pods: { env: [{ name: "AZURE_KUBERNETES_TOKEN_PROXY", value: "https://proxy" }] } },
      "pods-configured: the container web of Deployment shop/web sets AZURE_KUBERNETES_TOKEN_PROXY",
    ],
  ])("is not known: %s", (_, given, words) => {
    expect(judged(given)).toEqual(["unknown", expect.stringContaining(words)]);
  });
});
