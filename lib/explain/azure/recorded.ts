/*
 * What the Azure CLI prints; every resource says its type and its id. Sources: Azure CLI reference, az identity, az role,
 * az aks and az acr; REST references of ManagedIdentity, Authorization, ContainerService and ContainerRegistry, whose
 * `properties` the command line prints beside the other fields.
 */

import { ASK } from "../../rules/azure/commands";
import { NOT_YET } from "../read/block";
import type {
  Recorded,
  RecordedCommand,
  RecordedCommands,
  RecordedItem,
  RecordedResource,
} from "../read/recorded";

const CREDENTIAL = /\/federatedIdentityCredentials\/[^/]*$/i;

/** If its credentials were not printed, it may have any. */
function identity({ answer, more }: RecordedItem, all: Recorded): readonly RecordedResource[] {
  const id = answer.at("id").stated();
  const values = {
    id,
    name: answer.at("name").stated(),
    resource_group_name: answer.at("resourceGroup").stated(),
    client_id: answer.at("clientId").stated(),
    principal_id: answer.at("principalId").stated(),
    tenant_id: answer.at("tenantId").text(),
    ...more,
  };
  const adopted = !all.isAnswered(ASK.credentials, id);
  return [{ type: "azurerm_user_assigned_identity", id, values, adopted }];
}

function credential({ key, answer, more }: RecordedItem): readonly RecordedResource[] {
  const name = answer.at("name").stated();
  const id = answer.at("id").text() ?? `${key}/federatedIdentityCredentials/${name}`;
  const values = {
    id,
    name,
    user_assigned_identity_id: id.replace(CREDENTIAL, ""),
    // An expression takes the place of a subject.
    subject: answer.at("subject").text() ?? NOT_YET,
    issuer: answer.at("issuer").stated(),
    audience: answer.at("audiences").texts(),
    ...more,
  };
  return [{ type: "azurerm_federated_identity_credential", id, values }];
}

function assignment({ answer, more }: RecordedItem): readonly RecordedResource[] {
  const id = answer.at("id").stated();
  const values = {
    id,
    scope: answer.at("scope").stated(),
    principal_id: answer.at("principalId").stated(),
    principal_type: answer.at("principalType").text(),
    role_definition_id: answer.at("roleDefinitionId").stated(),
    role_definition_name: answer.at("roleDefinitionName").text(),
    condition: answer.at("condition").text(),
    ...more,
  };
  return [{ type: "azurerm_role_assignment", id, values }];
}

function definition({ answer, more }: RecordedItem): readonly RecordedResource[] {
  const id = answer.at("id").stated();
  const permissions = answer.at("permissions");
  const scopes = answer.at("assignableScopes").texts();
  const lists = {
    actions: "actions",
    not_actions: "notActions",
    data_actions: "dataActions",
    not_data_actions: "notDataActions",
  };
  const values = {
    id,
    name: answer.at("roleName").stated(),
    role_definition_id: answer.at("name").stated(),
    role_definition_resource_id: id,
    scope: scopes[0],
    assignable_scopes: scopes,
    permissions: permissions.exists
      ? permissions
          .list()
          .map((each) =>
            Object.fromEntries(Object.entries(lists).map(([name, key]) => [name, each.at(key).texts()])),
          )
      : NOT_YET,
    ...more,
  };
  return [{ type: "azurerm_role_definition", id, values }];
}

function cluster({ answer, more }: RecordedItem): readonly RecordedResource[] {
  const name = answer.at("name").stated();
  const id = answer.at("id").text() ?? name;
  const entra = answer.at("aadProfile");
  const network = answer.at("apiServerAccessProfile", "enableVnetIntegration").value === true;
  const values = {
    id: answer.at("id").text(),
    name,
    resource_group_name: answer.at("resourceGroup").text(),
    kubernetes_version: answer.at("currentKubernetesVersion").text() ?? answer.at("kubernetesVersion").text(),
    oidc_issuer_enabled: answer.at("oidcIssuerProfile", "enabled").value === true,
    oidc_issuer_url: answer.at("oidcIssuerProfile", "issuerUrl").text() ?? NOT_YET,
    workload_identity_enabled: answer.at("securityProfile", "workloadIdentity", "enabled").value === true,
    api_server_access_profile: [{ virtual_network_integration_enabled: network }],
    azure_active_directory_role_based_access_control: entra.exists
      ? [
          {
            azure_rbac_enabled: entra.at("enableAzureRbac").value === true,
            admin_group_object_ids: entra.at("adminGroupObjectIDs").texts(),
          },
        ]
      : [],
    ...more,
  };
  return [{ type: "azurerm_kubernetes_cluster", id, values }];
}

/** Versions of the command line that do not print the mode say nothing about it, and azurerm may not be what made it. */
function registry({ answer, more }: RecordedItem): readonly RecordedResource[] {
  const id = answer.at("id").stated();
  const mode = answer.at("roleAssignmentMode").text();
  const values = {
    id,
    name: answer.at("name").stated(),
    resource_group_name: answer.at("resourceGroup").text(),
    login_server: answer.at("loginServer").text(),
    admin_enabled: answer.at("adminUserEnabled").value === true,
    anonymous_pull_enabled: answer.at("anonymousPullEnabled").value === true,
    role_assignment_mode: mode,
    ...more,
  };
  return [{ type: "azurerm_container_registry", id, values, adopted: mode === undefined }];
}

const of = (type: string): Readonly<Record<string, RegExp>> => ({
  type: new RegExp(`^microsoft\\.${type}$`, "i"),
});
const COMMON = "location tags systemData etag";
const AUDIT = "createdBy createdOn updatedBy updatedOn";

const IDENTITY: Omit<RecordedCommand, "command"> = {
  shape: of("managedidentity/userassignedidentities"),
  read: "id name resourceGroup clientId principalId tenantId type",
  harmless: `${COMMON} isolationScope clientSecretUrl`,
  resources: identity,
};
const REGISTRY: Omit<RecordedCommand, "command"> = {
  shape: of("containerregistry/registries"),
  read: "id name resourceGroup loginServer adminUserEnabled anonymousPullEnabled roleAssignmentMode type",
  harmless: `${COMMON} sku creationDate provisioningState status identity encryption dataEndpointEnabled dataEndpointHostNames privateEndpointConnections publicNetworkAccess networkRuleBypassOptions networkRuleBypassAllowedForTasks networkRuleSet zoneRedundancy storageAccount autoGeneratedDomainNameLabelScope metadataSearch endpointProtocol regionalEndpoints`,
  blocks: {
    policies: {
      harmless: "exportPolicy retentionPolicy softDeletePolicy trustPolicy",
      blocks: {
        quarantinePolicy: { only: { status: ["disabled"] } },
        azureAdAuthenticationAsArmPolicy: { only: { status: ["enabled"] } },
      },
    },
  },
  resources: registry,
};
const PERMISSION = { read: "actions notActions dataActions notDataActions" };

const rows: readonly RecordedCommand[] = [
  { command: ASK.identities, ...IDENTITY },
  { command: ASK.identity, isKeyed: true, ...IDENTITY },
  {
    command: ASK.credentials,
    isKeyed: true,
    shape: of("managedidentity/userassignedidentities/federatedidentitycredentials"),
    key: (answer) => answer.at("id").stated().replace(CREDENTIAL, ""),
    read: "id name issuer subject audiences type",
    harmless: "resourceGroup systemData",
    resources: credential,
  },
  {
    command: ASK.assignments,
    shape: of("authorization/roleassignments"),
    read: "id scope principalId principalType roleDefinitionId roleDefinitionName condition type",
    harmless: `${AUDIT} name canDelegate conditionVersion description principalName resourceGroup`,
    resources: assignment,
  },
  {
    command: ASK.definitions,
    shape: of("authorization/roledefinitions"),
    read: "id name roleName assignableScopes type",
    harmless: `${AUDIT} description roleType`,
    blocks: { permissions: PERMISSION },
    resources: definition,
  },
  {
    command: ASK.cluster,
    isKeyed: true,
    shape: of("containerservice/managedclusters"),
    read: "id name resourceGroup kubernetesVersion currentKubernetesVersion type",
    harmless: `${COMMON} addonProfiles agentPoolProfiles aiToolchainOperatorProfile autoScalerProfile autoUpgradeProfile azureMonitorProfile azurePortalFqdn bootstrapProfile creationData disableLocalAccounts diskEncryptionSetId dnsPrefix enablePodSecurityPolicy enableRbac enableNamespaceResources extendedLocation fqdn fqdnSubdomain hostedSystemProfile httpProxyConfig identity identityProfile ingressProfile kind linuxProfile maxAgentPools metricsProfile networkProfile nodeProvisioningProfile nodeResourceGroup nodeResourceGroupProfile podIdentityProfile powerState privateFqdn privateLinkResources provisioningState publicNetworkAccess resourceUid schedulerProfile serviceMeshProfile servicePrincipalProfile sku status storageProfile supportPlan upgradeSettings windowsProfile workloadAutoScalerProfile`,
    blocks: {
      oidcIssuerProfile: { read: "enabled issuerUrl" },
      aadProfile: {
        read: "enableAzureRbac adminGroupObjectIDs",
        harmless: "managed tenantID tenantId clientAppID clientAppId serverAppID serverAppId serverAppSecret",
      },
      apiServerAccessProfile: {
        read: "enableVnetIntegration",
        harmless:
          "authorizedIpRanges disableRunCommand enablePrivateCluster enablePrivateClusterPublicFqdn privateDnsZone privateDnsZoneMode subnetId",
      },
      securityProfile: {
        harmless:
          "azureKeyVaultKms customCaTrustCertificates defender imageCleaner imageIntegrity nodeRestriction kubernetesResourceObjectEncryptionProfile",
        blocks: { workloadIdentity: { read: "enabled" } },
      },
    },
    resources: cluster,
  },
  { command: ASK.registries, ...REGISTRY },
  { command: ASK.registry, isKeyed: true, ...REGISTRY },
  {
    command: ASK.account,
    read: "id tenantId",
    harmless:
      "name state isDefault user environmentName homeTenantId managedByTenants tenantDefaultDomain tenantDisplayName",
  },
];

export const recorded: RecordedCommands = { program: "az", rows, others: [ASK.storage] };
