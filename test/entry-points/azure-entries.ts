import * as azure from "../../lib/cloud/azure";
import { type Entry, apply, inStack, make, of } from "./entry";
import { declaresComponents, declaresPulls, declaresWorkloads } from "./makers";
import {
  ACR,
  AZURE_ACCESS,
  GUID,
  ISSUER,
  JOB,
  KEYS,
  REGISTRY,
  REQUESTS,
  SCOPE,
  WEB,
  type World,
} from "./world";

const TAGS = { team: "shop" };
const PLACE = { resourceGroupName: "shop", location: "westeurope" };
const ROLE = { role: "Storage Blob Data Reader", scope: SCOPE, reason: "reads images", condition: "true" };
const TRUST = { clusterName: "prod", issuer: ISSUER, serviceAccounts: ["shop/web"] };
const COMPONENTS = { subscriptionId: GUID, region: "westeurope", tags: TAGS };
const REQUEST = REQUESTS.azure.requests[0]?.name ?? "";
const provider = (world: World): object => ({ provider: world.others.azure });
const storage = (world: World): object => ({
  storageAccountName: "prodoidc",
  resourceGroupName: "shop",
  region: "westeurope",
  keys: KEYS,
  tags: TAGS,
  adopt: { subscriptionId: GUID },
  ...provider(world),
});
const STORAGE = ["storageAccountName", "resourceGroupName", "region", "keys"];

const registries = (): object => ({
  from: [azure.acr({ registry: REGISTRY, roleAssignmentMode: "LegacyRegistryPermissions" })],
});
const DNS_ZONE = `${SCOPE}/providers/Microsoft.Network/dnsZones/example.com`;

/** Entry points of `./azure`. */
export const azureEntries: Readonly<Record<string, Entry>> = {
  acr: of(azure.acr, ["registry", "roleAssignmentMode"], () => ({
    registry: REGISTRY,
    roleAssignmentMode: "AbacRepositoryPermissions",
    repositories: ["shop/*"],
  })),
  AzureAccess: {
    settings: () => [ROLE],
    required: [],
    call: (given) => make(azure.AzureAccess, given),
  },
  azureAccess: of(azure.azureAccess, ["roles"], () => ({ roles: [ROLE] })),
  externalDns: of(azure.externalDns, ["dnsZones", "resourceGroup"], () => ({
    dnsZones: [DNS_ZONE],
    resourceGroup: SCOPE,
  })),
  certManager: of(azure.certManager, ["dnsZones"], () => ({ dnsZones: [DNS_ZONE] })),
  fluxSourceController: of(azure.fluxSourceController, ["from"], registries),
  argoCdRepoServer: of(azure.argoCdRepoServer, ["from"], registries),
  externalSecrets: of(azure.externalSecrets, ["keyVaults"], () => ({
    keyVaults: [`${SCOPE}/providers/Microsoft.KeyVault/vaults/shop`],
  })),
  aks: of(azure.aks, [], () => ({
    name: "prod",
    issuer: "https://westeurope.oic.prod-aks.azure.com/11111111-2222-4333-8444-555555555555/1/",
  })),
  aksSpoke: {
    ...of(azure.aksSpoke, ["cluster"], (world) => ({
      cluster: {
        id: `${SCOPE}/providers/Microsoft.ContainerService/managedClusters/spoke-b`,
        server: "https://spoke-b.azmk8s.io:443",
        certificateAuthorityData: "LS0tLS1CRUdJTi4uLg==",
      },
      roles: [{ role: "Azure Kubernetes Service RBAC Reader", namespaces: ["shop"] }],
      ...provider(world),
    })),
    declare: (made, { stack }) =>
      (made as ReturnType<typeof azure.aksSpoke>).declare(stack, {
        hub: "hub",
        spoke: "spoke-b",
        controllers: [
          {
            subject: WEB,
            identity: GUID,
            principal: { name: GUID, dependencies: [] },
            annotations: {},
            pod: { labels: {}, env: [], volumeMounts: [], volumes: [] },
          },
        ],
      }),
  },
  ComponentIdentities: {
    ...inStack(
      azure.ComponentIdentities,
      ["subscriptionId", "region", "clusterName", "issuer", "requests"],
      (world) => ({
        ...COMPONENTS,
        ...JOB,
        requests: REQUESTS.azure.requests,
        overrides: { [REQUEST]: { reason: "needs it" } },
        ...provider(world),
      }),
    ),
    open: REQUESTS.azure.requests.flatMap((_, index) => [`requests[${index}]`]),
  },
  componentIdentities: {
    ...of(azure.componentIdentities, ["subscriptionId", "region"], (world) => ({
      ...COMPONENTS,
      overrides: { [REQUEST]: { reason: "needs it" } },
      ...provider(world),
    })),
    declare: declaresComponents("azure"),
  },
  ComponentIdentity: inStack(
    azure.ComponentIdentity,
    [
      "identityName",
      "resourceGroupName",
      "location",
      "subscriptionId",
      "clusterName",
      "issuer",
      "serviceAccounts",
      "scopes",
    ],
    (world) => ({
      ...PLACE,
      identityName: "acme",
      subscriptionId: GUID,
      clusterName: "prod",
      issuer: ISSUER,
      serviceAccounts: ["shop/web"],
      scopes: [SCOPE],
      roles: ["Reader"],
      actions: ["Microsoft.Compute/disks/read"],
      adopt: { serviceAccounts: [] },
      tags: TAGS,
      ...provider(world),
    }),
  ),
  IssuerContainer: inStack(azure.IssuerContainer, STORAGE, storage),
  IssuerWebsite: inStack(azure.IssuerWebsite, STORAGE, storage),
  PullIdentities: {
    ...inStack(azure.PullIdentities, ["clusterName", "issuer", "accounts"], (world) => ({
      ...PLACE,
      ...JOB,
      accounts: [{ subject: WEB, asks: [ACR] }],
      tags: TAGS,
      ...provider(world),
    })),
    open: ["cluster"],
  },
  pullIdentities: {
    ...of(azure.pullIdentities, [], (world) => ({ ...PLACE, tags: TAGS, ...provider(world) })),
    call: (given) => apply(azure.pullIdentities, given),
    declare: declaresPulls(ACR),
  },
  PullIdentity: inStack(azure.PullIdentity, ["identityName", "resourceGroupName", "location"], (world) => ({
    ...PLACE,
    identityName: "shop",
    trusts: [TRUST],
    tags: TAGS,
    ...provider(world),
  })),
  "PullIdentity.fromResourceId": {
    settings: (world) => ({
      resourceId: `${SCOPE}/providers/Microsoft.ManagedIdentity/userAssignedIdentities/shop`,
      ...provider(world),
    }),
    required: ["resourceId"],
    call: (given, { stack, id }) => azure.PullIdentity.fromResourceId(stack, id, given as never),
  },
  IdentityBinding: inStack(
    azure.IdentityBinding,
    ["cluster", "identity", "bindingName"],
    ({ stack, id }) => ({
      cluster: `${SCOPE}/providers/Microsoft.ContainerService/managedClusters/prod`,
      identity: azure.WorkloadIdentity.fromResourceId(stack, `${id}-bound`, {
        resourceId: `${SCOPE}/providers/Microsoft.ManagedIdentity/userAssignedIdentities/shop`,
      }),
      bindingName: "shop",
    }),
  ),
  "WorkloadIdentity.fromResourceId": {
    settings: (world) => ({
      resourceId: `${SCOPE}/providers/Microsoft.ManagedIdentity/userAssignedIdentities/shop`,
      ...provider(world),
    }),
    required: ["resourceId"],
    call: (given, { stack, id }) => azure.WorkloadIdentity.fromResourceId(stack, id, given as never),
  },
  WorkloadIdentities: {
    ...inStack(azure.WorkloadIdentities, ["clusterName", "issuer", "accounts"], (world) => ({
      ...PLACE,
      ...JOB,
      accounts: [{ subject: WEB, asks: [AZURE_ACCESS] }],
      tags: TAGS,
      ...provider(world),
    })),
    open: ["workloads[0]"],
  },
  workloadIdentities: {
    ...of(azure.workloadIdentities, [], (world) => ({
      ...PLACE,
      tags: TAGS,
      ...provider(world),
    })),
    declare: declaresWorkloads(AZURE_ACCESS),
  },
  WorkloadIdentity: inStack(
    azure.WorkloadIdentity,
    ["identityName", "resourceGroupName", "location", "trusts", "roles"],
    (world) => ({
      ...PLACE,
      identityName: "web",
      trusts: [TRUST],
      roles: [ROLE],
      tags: TAGS,
      ...provider(world),
    }),
  ),
};
