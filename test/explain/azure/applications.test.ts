import { describe, expect, it } from "vitest";
import type { JudgedPull } from "../../../lib/explain/jobs/pull";
import { firstFailed } from "../../fixtures/explain/artefacts";
import { azureFacts, pullOf } from "../../support/azure-explained";

const ID =
  "/subscriptions/0b1f6471-1bf0-4dda-aec3-cb9272f09590/resourceGroups/images/providers/Microsoft.ContainerRegistry/registries/acmeshop";
const CLIENT = "11111111-2222-3333-4444-555555555555";
const TENANT = "72f988bf-86f1-41af-91ab-2d7cd011db47";
const cluster = {
  issuer: "https://oidc.example.com/c1",
  kubelet: "1.35",
  apiServer: "1.35",
  plugins: { acr: { version: "1.36.5" } },
  registries: { "acmeshop.azurecr.io": { roleAssignmentMode: "LegacyRegistryPermissions" } },
};
const audience = "api://AzureADTokenExchange";

/** An application written with the attributes of azuread 3 and, where `old`, those of azuread 2. */
function terraform(old: boolean, subject = "system:serviceaccount:shop:web"): object {
  const client = old ? "application_id" : "client_id";
  return {
    azuread_application: { puller: { display_name: "puller", [client]: CLIENT } },
    azuread_service_principal: { puller: { [client]: `\${azuread_application.puller.${client}}` } },
    azuread_application_federated_identity_credential: {
      web: {
        [old ? "application_object_id" : "application_id"]:
          `\${azuread_application.puller.${old ? "object_id" : "id"}}`,
        display_name: "web",
        issuer: cluster.issuer,
        subject,
        audiences: [audience],
      },
    },
    azurerm_role_assignment: {
      pull: {
        scope: ID,
        role_definition_name: "AcrPull",
        principal_id: "${azuread_service_principal.puller.object_id}",
      },
    },
  };
}

const manifests = [
  {
    apiVersion: "v1",
    kind: "ServiceAccount",
    metadata: {
      name: "web",
      namespace: "shop",
      annotations: {
        "kubernetes.azure.com/acr-client-id": CLIENT,
        "kubernetes.azure.com/acr-tenant-id": TENANT,
      },
    },
  },
  {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRole",
    metadata: { name: "a" },
    rules: [{ apiGroups: [""], resources: [audience], verbs: ["request-serviceaccounts-token-audience"] }],
  },
  {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRoleBinding",
    metadata: { name: "a" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "a" },
    subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "Group", name: "system:nodes" }],
  },
];

const nodes = {
  files: [
    {
      path: "/etc/kubernetes/azure.json",
      content: JSON.stringify({
        cloud: "AzurePublicCloud",
        tenantId: TENANT,
        useManagedIdentityExtension: true,
      }),
    },
    {
      path: "/etc/kubernetes/providers.json",
      content: JSON.stringify({
        apiVersion: "kubelet.config.k8s.io/v1",
        kind: "CredentialProviderConfig",
        providers: [
          {
            name: "acr-credential-provider",
            apiVersion: "credentialprovider.kubelet.k8s.io/v1",
            matchImages: ["*.azurecr.io"],
            defaultCacheDuration: "10m",
            args: ["/etc/kubernetes/azure.json"],
            tokenAttributes: {
              serviceAccountTokenAudience: audience,
              cacheType: "ServiceAccount",
              requireServiceAccount: true,
              requiredServiceAccountAnnotationKeys: [
                "kubernetes.azure.com/acr-client-id",
                "kubernetes.azure.com/acr-tenant-id",
              ],
            },
          },
        ],
      }),
    },
  ],
  kubeletFlags: {
    "image-credential-provider-config": "/etc/kubernetes/providers.json",
    "image-credential-provider-bin-dir": "/opt/bin",
  },
};

function ask(resource: object): JudgedPull {
  const files = {
    "main.tf.json": JSON.stringify({ resource }),
    "manifests.yaml": manifests.map((each) => JSON.stringify(each)).join("\n---\n"),
    "nodes.yaml": JSON.stringify(nodes),
  };
  return pullOf(azureFacts(files, cluster), "shop/web", "acmeshop.azurecr.io/web:1");
}

describe("an application of Entra", () => {
  it.each([
    ["azuread 3", false],
    ["azuread 2", true],
  ])("is followed as %s writes it", (_, old) => {
    expect(ask(terraform(old))).toMatchObject({ verdict: "allowed", as: `client id ${CLIENT}` });
  });

  it.each([
    ["azuread_application_federated_identity_credential", "issuer-trusted"],
    ["azuread_service_principal", "login-permitted"],
    ["azurerm_role_assignment", "login-permitted"],
  ])("is of no use without %s", (type, failed) => {
    const rest = Object.fromEntries(Object.entries(terraform(false)).filter(([each]) => each !== type));
    expect(firstFailed(ask(rest))).toBe(failed);
  });

  it("admits its own subjects alone", () => {
    expect(firstFailed(ask(terraform(false, "system:serviceaccount:shop:api")))).toBe("subject-admitted");
  });
});
