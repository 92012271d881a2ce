/*
 * AKS identity bindings: what is declared, refused, and judged. Sources: AKS documentation, "Identity bindings concepts"
 * and "Set up identity bindings"; Azure REST API, Microsoft.ContainerService 2026-04-01, IdentityBindings;
 * Azure/azure-workload-identity 1.6, pkg/webhook/webhook.go.
 */

import { KubernetesCluster } from "@cdktf/provider-azurerm/lib/kubernetes-cluster/index.js";
import { AzurermProvider } from "@cdktf/provider-azurerm/lib/provider/index.js";
import { TerraformStack } from "cdktf";
import { describe, expect, it } from "vitest";
import {
  type WorkloadIdentitiesSettings,
  WorkloadIdentity,
  aks,
  azureAccess,
  workloadIdentities,
} from "../../../lib/cloud/azure";
import { explain } from "../../../lib/explain";
import { type WorkloadCluster, WorkloadAccess } from "../../../lib/synth";
import { refusal } from "../../support/refusal";
import { synthesized } from "../../support/synthesized";
import { SUBSCRIPTION, TENANT } from "./components";
import { newStack, resources } from "./synth";

const GROUP = `/subscriptions/${SUBSCRIPTION}/resourceGroups/shop`;
const CLUSTER_ID = `${GROUP}/providers/Microsoft.ContainerService/managedClusters/prod`;
const ISSUER = "https://westeurope.oic.prod-aks.azure.com/0b1f6471-1bf0-4dda-aec3-cb9272f09590/1/";
const TYPE = "Microsoft.ContainerService/managedClusters/identityBindings@2026-04-01";
const AZAPI = "azapi_resource";
const CREDENTIAL = "azurerm_federated_identity_credential";
const place = { resourceGroupName: "shop", location: "westeurope", tenantId: TENANT };

function cluster(stack: TerraformStack, more: object = {}): KubernetesCluster {
  return new KubernetesCluster(stack, "aks", {
    name: "prod",
    resourceGroupName: "shop",
    location: "westeurope",
    identity: { type: "SystemAssigned" },
    defaultNodePool: { name: "system", vmSize: "Standard_D4s_v5" },
    oidcIssuerEnabled: true,
    workloadIdentityEnabled: true,
    ...more,
  });
}

interface Stated {
  readonly cluster?: WorkloadCluster;
  readonly settings?: Partial<WorkloadIdentitiesSettings>;
}

function declared(stack: TerraformStack, { cluster: stated, settings }: Stated = {}): WorkloadAccess {
  return new WorkloadAccess(stack, "workloads", {
    cluster: stated ?? { name: "prod", issuer: ISSUER, podIdentityWebhooks: ["azure"] },
    workloads: [
      {
        serviceAccount: "shop/web",
        may: azureAccess({ roles: [{ role: "Storage Blob Data Reader", scope: GROUP }] }),
      },
    ],
    identities: [workloadIdentities({ ...place, identityBinding: CLUSTER_ID, ...settings })],
  });
}

describe("workloadIdentities with identityBinding", () => {
  it("declares the binding instead of a credential", () => {
    const stack = newStack();
    declared(stack);
    const [binding] = Object.values(resources(stack, AZAPI));
    expect(binding).toEqual({
      type: TYPE,
      name: expect.stringMatching(/^ibprodshopweb[0-9a-f]{8}$/) as string,
      parent_id: CLUSTER_ID,
      body: {
        properties: {
          managedIdentity: {
            resourceId: expect.stringMatching(/^\$\{azurerm_user_assigned_identity\..*\.id\}$/) as string,
          },
        },
      },
    });
    expect(resources(stack, CREDENTIAL)).toEqual({});
    const { terraform } = stack.toTerraform() as { terraform: { required_providers: object } };
    expect(terraform.required_providers).toMatchObject({ azapi: { source: "Azure/azapi" } });
  });

  it("tells pods to ask for it, and nothing more", () => {
    expect(declared(newStack()).podFor("shop/web")).toEqual({
      labels: { "azure.workload.identity/use": "true" },
      annotations: { "azure.workload.identity/use-identity-binding": "true" },
      env: [],
      volumeMounts: [],
      volumes: [],
    });
  });

  it("keeps the credential, before the binding, where pods still use it", () => {
    const stack = newStack();
    declared(stack, {
      settings: { identityBinding: { cluster: CLUSTER_ID, federatedCredentials: true } },
    });
    const [credential = ""] = Object.keys(resources(stack, CREDENTIAL));
    expect(Object.values(resources(stack, AZAPI))).toEqual([
      expect.objectContaining({ depends_on: [`${CREDENTIAL}.${credential}`] }),
    ]);
  });

  it("declares one binding for an identity that several service accounts use, and none that exists", () => {
    const resourceId = `${GROUP}/providers/Microsoft.ManagedIdentity/userAssignedIdentities/web`;
    const count = (declareTrust: boolean): number => {
      const stack = newStack();
      const as = WorkloadIdentity.fromResourceId(stack, "web", { resourceId, declareTrust });
      new WorkloadAccess(stack, "workloads", {
        cluster: { name: "prod", issuer: ISSUER },
        workloads: ["shop/web", "shop/api"].map((serviceAccount) => ({ serviceAccount, as })),
        identities: [workloadIdentities({ identityBinding: CLUSTER_ID })],
      });
      expect(resources(stack, CREDENTIAL)).toEqual({});
      return Object.keys(resources(stack, AZAPI)).length;
    };
    expect([count(true), count(false)]).toEqual([1, 0]);
  });

  it.each<[string, (stack: TerraformStack) => Stated, string, string]>([
    [
      "a cluster that is not AKS's",
      () => ({ cluster: { name: "prod", issuer: "https://oidc.example.com" } }),
      "azure-unsupported",
      "only on AKS clusters",
    ],
    [
      "Azure Government",
      () => ({ settings: { cloud: "AzureUSGovernmentCloud" } }),
      "azure-unsupported",
      "only in Azure's public cloud",
    ],
    [
      "an issuer of Azure in China",
      () => ({ cluster: { name: "prod", issuer: "https://chinanorth3.oic.prod-aks.azure.cn/t/1/" } }),
      "azure-unsupported",
      "only in Azure's public cloud",
    ],
    [
      "a cluster without the webhook",
      (stack) => {
        const identityBinding = cluster(stack, { workloadIdentityEnabled: false });
        return { cluster: aks({ cluster: identityBinding }), settings: { identityBinding } };
      },
      "azure-unsupported",
      "does not switch on",
    ],
    [
      "API server VNet integration",
      (stack) => {
        const apiServerAccessProfile = { virtualNetworkIntegrationEnabled: true };
        const identityBinding = cluster(stack, { apiServerAccessProfile });
        return { cluster: aks({ cluster: identityBinding }), settings: { identityBinding } };
      },
      "azure-unsupported",
      "VNet integration",
    ],
    [
      "an audience",
      () => ({ settings: { audience: "api://x" } }),
      "azure-unused",
      "`audience` has no effect",
    ],
    [
      "an id of something else",
      () => ({ settings: { identityBinding: GROUP } }),
      "azure-invalid",
      "malformed",
    ],
  ])("refuses %s", (_, stated, code, words) => {
    const stack = newStack();
    const given = stated(stack);
    expect(() => declared(stack, given)).toThrow(refusal(`${code}: ${words}`) as Error);
  });
});

it("is allowed as written, though its issuer and client id are known only after apply", () => {
  const out = synthesized((app) => {
    const stack = new TerraformStack(app, "prod");
    new AzurermProvider(stack, "azurerm", { features: [{}], subscriptionId: SUBSCRIPTION });
    const own = cluster(stack);
    declared(stack, { cluster: aks({ cluster: own }), settings: { identityBinding: own } });
  });
  const [result] = explain([out], {});
  const open = result?.checks.filter(({ status }) => status !== "pass" && status !== "skipped");
  expect([result?.verdict, open]).toEqual(["allowed", []]);
});
