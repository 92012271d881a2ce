import type { Problem } from "./problem";

/** Refusals of the Azure rules and constructs: registries, identities, federated identity credentials, role assignments. */
export const azureMessages = {
  "azure-cloud-unknown": (value: unknown, known: string): Problem => ({
    problem: "azure cloud is not one that the acr plugin has built in",
    value,
    allowed: known,
    remedy:
      "name one of them; Azure Stack takes its endpoints from a file on the node and is not supported here",
  }),
  "azure-cloud-mismatch": (what: string, value: string, expected: string): Problem => ({
    problem: `${what} is of another azure cloud than the rest`,
    value,
    allowed: expected,
    remedy: "pull from one azure cloud per cluster: the plugin's azure.json names one cloud",
  }),
  "azure-tenant-mismatch": (what: string, value: string, expected: string): Problem => ({
    problem: `${what} is of another tenant than the rest`,
    value,
    allowed: expected,
    remedy:
      "use identities and registries of one tenant: the plugin exchanges every token in the one tenant of its azure.json",
  }),
  "azure-guid-invalid": (what: string, value: unknown): Problem => ({
    problem: `${what} is not a GUID`,
    value,
    allowed: "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx, hexadecimal",
    remedy: "copy it from `az account show` or `az identity show`",
  }),
  "azure-name-invalid": (what: string, value: unknown, allowed: string): Problem => ({
    problem: `${what} is not a valid name`,
    value,
    allowed,
    remedy: "give a name within the rules of the service",
  }),
  "azure-resource-id-invalid": (what: string, value: unknown, allowed: string): Problem => ({
    problem: `resource id of ${what} is malformed`,
    value,
    allowed,
    remedy:
      "copy it from `az resource show --query id`; Terraform's azurerm compares the fixed words with their letter case",
  }),
  "azure-identities-needed": (): Problem => ({
    problem:
      "pulls from a container registry need a managed identity, and Azure has no default place for one",
    remedy:
      "give `identities: [pullIdentities({ resourceGroupName, location })]` of the /azure subpath, or adopt identities with `pullIdentities({ identities })`",
  }),
  "azure-identity-settings-needed": (serviceAccount: string, missing: string): Problem => ({
    problem: `the identity of ${serviceAccount} has to be declared, but ${missing} is not given`,
    remedy: `give pullIdentities ${missing}, or adopt an identity for the service account in \`identities\``,
  }),
  "azure-identity-incomplete": (missing: string): Problem => ({
    problem: `the resource id of the identity is known only after apply, and ${missing} cannot be read from it`,
    allowed: "a literal resource id, or resourceGroupName, clientId, principalId and tenantId beside it",
    remedy: `give ${missing}`,
  }),
  "azure-identity-unused": (key: string, known: string): Problem => ({
    problem: "an identity is given for a service account that pulls nothing",
    value: key,
    allowed: known,
    remedy: "correct the key, which is namespace/name, or remove the entry",
  }),
  "azure-identity-shared": (serviceAccount: string, other: string): Problem => ({
    problem: `${serviceAccount} and ${other} share an identity but not their registries, so each would get the other's`,
    remedy: "give each its own identity, or give both the same registries and repositories",
  }),
  "azure-identity-name-taken": (name: string, resourceGroup: string, path: string): Problem => ({
    problem: `${path} already declares a user-assigned identity of this name in resource group ${resourceGroup}`,
    value: name,
    allowed: "one identity per name and resource group, letter case aside",
    remedy:
      "give one of the two another identityName (with pullIdentities another namePrefix or resourceGroupName), or adopt the identity with PullIdentity.fromResourceId",
  }),
  "azure-shards-invalid": (value: unknown): Problem => ({
    problem: "shards is not a whole number of at least 1",
    value,
    allowed: "1 to 65536",
    remedy: "leave it out for one identity per service account, or give the number of buckets",
  }),
  "azure-source-foreign": (images: readonly string[]): Problem => ({
    problem: "a pull source of cloud azure was not made by acr()",
    value: images,
    remedy: "make it with acr() of the /azure subpath",
  }),
  "azure-pulls-empty": (): Problem => ({
    problem: "no service account pulls anything",
    remedy: "give at least one pull, or leave the construct out",
  }),
  "azure-issuer-refused": (issuer: string): Problem => ({
    problem: "issuer is Microsoft Entra itself, which federated identity credentials refuse (AADSTS700222)",
    value: issuer,
    allowed: "the issuer of the cluster's service account tokens",
    remedy: "use the `issuer` of the cluster's /.well-known/openid-configuration",
  }),
  "azure-credential-too-long": (what: string, value: string, max: number): Problem => ({
    problem: `${what} of a federated identity credential has ${value.length} characters`,
    value,
    allowed: `at most ${max} characters`,
    remedy: "use a shorter one; Azure keeps these texts whole",
  }),
  "azure-credential-duplicate": (identity: string, issuer: string, subject: string): Problem => ({
    problem: `identity ${identity} already trusts this issuer and subject`,
    value: `${issuer} ${subject}`,
    allowed: "each pair of issuer and subject once per identity",
    remedy: "remove one of the two",
  }),
  "azure-credentials-too-many": (identity: string, count: number, max: number, remedy: string): Problem => ({
    problem: `identity ${identity} would hold ${count} federated identity credentials`,
    value: count,
    allowed: `at most ${max} per identity`,
    remedy,
  }),
  "acr-login-server-needed": (): Problem => ({
    problem: "the registry's resource id is known only after apply, so its login server cannot be derived",
    allowed: "a literal resource id, or loginServer beside it",
    remedy: "give loginServer, for example myteam.azurecr.io: images and matchImages are written with it",
  }),
  "acr-login-server-invalid": (value: unknown, reason: string): Problem => ({
    problem: `login server ${reason}`,
    value,
    allowed: "<name>.<suffix>, <name>-<hash>.<suffix> or <name>.<region>.geo.<suffix>, in lower case",
    remedy: "copy it from `az acr show --query loginServer`",
  }),
  "acr-login-server-mismatch": (value: string, registry: string): Problem => ({
    problem: `login server does not belong to the registry ${registry}`,
    value,
    allowed: `a host that begins with ${registry.toLowerCase()}`,
    remedy: "give resource id and login server of the same registry",
  }),
  "acr-role-assignment-mode-unknown": (value: unknown, known: string): Problem => ({
    problem: "roleAssignmentMode is not a mode of container registries",
    value,
    allowed: known,
    remedy: "copy it from `az acr show --query roleAssignmentMode`; the two modes honour different roles",
  }),
  "acr-repository-invalid": (value: unknown, reason: string): Problem => ({
    problem: `repository ${reason}`,
    value,
    allowed: "a repository such as shop/web, or a prefix that ends in /* such as shop/*",
    remedy: "write the repository without registry, tag and digest",
  }),
  "acr-repositories-not-honoured": (repositories: readonly string[]): Problem => ({
    problem:
      "repositories cannot be limited in a registry of mode LegacyRegistryPermissions: AcrPull covers the whole registry",
    value: repositories,
    remedy:
      "leave repositories out to grant the whole registry, or change the registry to AbacRepositoryPermissions",
  }),
  "acr-registry-contradiction": (loginServer: string, what: string, one: string, other: string): Problem => ({
    problem: `two sources of the registry ${loginServer} state a different ${what}`,
    value: other,
    allowed: one,
    remedy: `state the same ${what} in every acr() of this registry`,
  }),
  "acr-condition-too-long": (loginServer: string, bytes: number, max: number): Problem => ({
    problem: `the condition that limits the repositories of ${loginServer} has ${bytes} bytes`,
    value: bytes,
    allowed: `at most ${max} bytes per role assignment`,
    remedy:
      "name common prefixes such as team/* instead of single repositories, or split the pulls over more service accounts",
  }),
  "azure-scope-invalid": (value: unknown): Problem => ({
    problem: "scope is not a resource id",
    value,
    allowed:
      "/subscriptions/<GUID>, a resource group or resource below it, or /providers/Microsoft.Management/managementGroups/<name>",
    remedy: "copy it from `az resource show --query id` or `az group show --query id`",
  }),
  "azure-role-invalid": (value: unknown): Problem => ({
    problem: "role is neither a name nor the id of a role definition",
    value,
    allowed:
      "a name such as Storage Blob Data Reader, or an id that ends with /providers/Microsoft.Authorization/roleDefinitions/<GUID>",
    remedy: "copy it from `az role definition list --query [].roleName`",
  }),
  "azure-role-broad": (role: string, scope: string): Problem => ({
    problem: `role ${role} would reach everything in ${scope}, and no reason is stated`,
    value: role,
    allowed:
      "a role of the service that is used, this role at a resource group or below, or a written `reason`",
    remedy:
      "name a narrower role or scope; otherwise state the reason, which is written beside the assignment",
  }),
  "azure-reason-invalid": (value: unknown, max: number): Problem => ({
    problem: "reason says nothing, or is too long",
    value,
    allowed: `1 to ${max} characters, known at synth`,
    remedy: "write in a sentence why the role is needed there",
  }),
  "azure-tag-invalid": (value: unknown): Problem => ({
    problem: "tag is not one that Azure takes",
    value,
    allowed: "names of 1 to 512 characters without < > % & \\ ? /, each with a text of at most 256",
    remedy: "correct the tag",
  }),
  "azure-roles-empty": (): Problem => ({
    problem: "azureAccess() names no role, so the service account could do nothing",
    allowed: "at least one role with its scope",
    remedy: "name the roles that the workload needs, or leave the access out",
  }),
  "azure-access-foreign": (rights: unknown): Problem => ({
    problem: "an access of cloud azure was not made by azureAccess()",
    value: rights,
    remedy: "make it with azureAccess() of the /azure subpath",
  }),
  "azure-workload-identities-needed": (): Problem => ({
    problem: "workloads need managed identities, and Azure has no default place for one",
    remedy: "give `workloadIdentities({ resourceGroupName, location })` of the /azure subpath",
  }),
  "azure-aks-role-unknown": (value: unknown, known: readonly string[]): Problem => ({
    problem: "role allows nothing within an AKS cluster that this library knows of",
    value,
    allowed: `${known.join(", ")}, or the id of a role definition of your own with dataActions`,
    remedy:
      "use an RBAC role; Azure Kubernetes Service Cluster User Role and its like only hand out kubeconfig files",
  }),
  "azure-aks-namespaces-empty": (value: string): Problem => ({
    problem: "role is limited to an empty list of namespaces",
    value,
    allowed: "at least one namespace; without `namespaces` it counts in the whole cluster",
    remedy: "name the namespaces, or leave the role out",
  }),
  "azure-aks-entra-missing": (cluster: string): Problem => ({
    problem: "AKS cluster does not accept tokens of Microsoft Entra",
    value: cluster,
    allowed: "a cluster with azure_active_directory_role_based_access_control",
    remedy: "add that block to the cluster; the tokens of managed identities come from Entra",
  }),
  "azure-aks-rbac-off": (cluster: string): Problem => ({
    problem: "roles are given on an AKS cluster that does not ask Azure for permissions",
    value: cluster,
    allowed: "azure_rbac_enabled = true; or no roles, and RBAC on the cluster",
    remedy: "set azure_rbac_enabled, or leave `roles` out and bind the controllers' users on the cluster",
  }),
  "azure-aks-principal-missing": (subject: string): Problem => ({
    problem: "object id of the controller's identity is not known, and AKS knows principals by nothing else",
    value: subject,
    allowed: "an identity made by workloadIdentities(), or a grant with `principal`",
    remedy: "give the object id as `principal.name`: `az identity show --query principalId`",
  }),
};
