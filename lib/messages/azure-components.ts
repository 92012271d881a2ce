import type { Problem } from "./problem";

/** Refusals of what `ccoctl azure` does otherwise: identities of OpenShift's components, resource groups, issuers. */
export const azureComponentsMessages = {
  "azure-scope-broad": (scope: string): Problem => ({
    problem: "roles of a component would count beyond resource groups, and no reason is stated",
    value: scope,
    allowed: "/subscriptions/<GUID>/resourceGroups/<name> and what is in one, or a written `reason`",
    remedy: "name the resource groups; otherwise state the reason, which is written beside the assignments",
  }),
  "azure-role-assignable": (scopes: readonly string[], allowed: string): Problem => ({
    problem: "Azure lets no custom role be assignable at these scopes together",
    value: scopes,
    allowed,
    remedy:
      "give the component scopes in subscriptions, or split it over several roles with ComponentIdentity",
  }),
  "azure-request-kind": (kind: string): Problem => ({
    problem: "request is not for Azure",
    value: kind,
    allowed: "spec.providerSpec.kind: AzureProviderSpec",
    remedy: "leave the requests of other clouds out, or filter them by cloud",
  }),
  "azure-request-field": (field: string, known: readonly string[]): Problem => ({
    problem: "spec.providerSpec has a field that no release of OpenShift knows for Azure",
    value: field,
    allowed: known.join(", "),
    remedy: "correct the field's name; use a newer release of this library if OpenShift has added it",
  }),
  "azure-request-brokered": (field: string): Problem => ({
    problem: `spec.providerSpec.${field} is set, so the cloud-credential-operator writes the Secret itself`,
    value: field,
    allowed: "a request without azureClientID, azureRegion, azureSubscriptionID and azureTenantID",
    remedy: "leave the request out here, and declare its identity with ComponentIdentity",
  }),
  "azure-request-list": (what: string, value: unknown, allowed: string): Problem => ({
    problem: `${what} is malformed`,
    value,
    allowed,
    remedy: "write the request as `oc adm release extract --credentials-requests` does",
  }),
  "azure-request-permission": (value: unknown): Problem => ({
    problem: "permission is not an operation of one named Azure resource provider",
    value,
    allowed:
      "<resource provider>/<resource type>/<operation>, for example Microsoft.Compute/disks/read; * in place of what follows the provider",
    remedy: "name the provider; copy the operation from `az provider operation list`",
  }),
  "azure-request-empty": (): Problem => ({
    problem: "request asks for no permission and no role, so its identity could do nothing",
    allowed: "permissions, dataPermissions or roleBindings in spec.providerSpec",
    remedy: "leave the request out, or withhold less of it",
  }),
  "azure-permission-unasked": (permission: string): Problem => ({
    problem: "withoutPermissions withholds a permission that the request does not ask for",
    value: permission,
    allowed: "permissions and dataPermissions of the request, letter case aside",
    remedy: "correct it or remove it; after an upgrade the request may ask for other permissions",
  }),
  "azure-request-unknown": (setting: string, name: string, known: readonly string[]): Problem => ({
    problem: `${setting} names a CredentialsRequest that is not among the requests`,
    value: name,
    allowed: known.join(", "),
    remedy: "use metadata.name of a request, or remove the entry",
  }),
  "azure-component-name-taken": (name: string, one: string, other: string): Problem => ({
    problem: `${one} and ${other} would have the same identity`,
    value: name,
    allowed: "an identity of its own for each request, letter case aside",
    remedy:
      'leave `naming: "ccoctl"` out, which cuts names at 128 characters, shorten the cluster name, or leave out the request that is there twice',
  }),
  "azure-role-name-taken": (name: string, path: string): Problem => ({
    problem: `${path} already declares a custom role of this name, and a tenant has one of a name over all its subscriptions`,
    value: name,
    allowed: "one custom role per name and tenant, letter case aside",
    remedy:
      "give the clusters different names, or with ComponentIdentity another roleName; for two tenants state tenantId on both",
  }),
  "azure-ccoctl-name": (what: string, name: string): Problem => ({
    problem: `the name that ccoctl would give ${what} is not one that Azure takes`,
    value: name,
    allowed: "3 to 128 of A-Z, a-z, 0-9, _ and -, for a credential at most 120",
    remedy:
      'leave `naming: "ccoctl"` out; a request that ccoctl could not make an identity for has nothing to adopt',
  }),
  "azure-service-accounts-empty": (): Problem => ({
    problem: "no service account may act as the identity",
    allowed: "1 to 20 service accounts, namespace/name each",
    remedy: "name the service accounts of the component",
  }),
  "azure-adopt-surplus": (what: string, surplus: readonly string[], known: readonly string[]): Problem => ({
    problem: `adopt names ${what} that are not declared, and would import nothing by it`,
    value: surplus,
    allowed: known.join(", "),
    remedy: "correct the names, or remove the entries",
  }),
  "azure-adopt-contradicts": (name: string, why: string): Problem => ({
    problem: `adopt contradicts itself: ${why}`,
    value: name,
    allowed: 'GUIDs for what exists, "absent" for what does not',
    remedy: "state of the request either what exists, or that it does not exist yet",
  }),
  "azure-resource-groups-equal": (name: string): Problem => ({
    problem: "one resource group is to hold both the identities and the cluster",
    value: name,
    allowed: "an installation resource group of its own, empty before the installation",
    remedy: "give oidcResourceGroupName and installationResourceGroupName different names",
  }),
  "azure-subscription-mismatch": (what: string, value: string, provider: string): Problem => ({
    problem: `${what} is of another subscription than the azurerm provider, in whose subscription azurerm puts identities and credentials, whatever their ids say`,
    value,
    allowed: provider,
    remedy:
      "give an azurerm provider of that subscription, with an alias, as `provider`; or state the same subscription in both",
  }),
  "azure-environment-mismatch": (value: string, environment: string, cloud: string): Problem => ({
    problem: `the issuer's cloud is another one than that of the azurerm provider, whose environment is ${environment}`,
    value,
    allowed: cloud,
    remedy: "state the same cloud in both, or give the azurerm provider of this cloud as `provider`",
  }),
  "azure-adopt-missing": (what: string, missing: readonly string[], remedy: string): Problem => ({
    problem: `adopt lacks ${what}, whose names are random and cannot be computed`,
    value: missing,
    allowed: "one entry for each, or the request's name in adopt.absent where nothing exists yet",
    remedy,
  }),
  "azure-adopt-naming": (naming: string): Problem => ({
    problem: "adopt takes over what ccoctl made, so the names must be those of ccoctl",
    value: naming,
    allowed: 'naming: "ccoctl", or left out',
    remedy: "remove naming, or remove adopt",
  }),
  "azure-resource-group-moved": (name: string, location: string, known: string): Problem => ({
    problem: `resource group ${name} is declared in this stack already, in another region`,
    value: location,
    allowed: known,
    remedy: "state one region for the group, or give another group for one of the two",
  }),
  "azure-resource-group-tags": (name: string, tag: string, path: string): Problem => ({
    problem: `${path} declares resource group ${name} with another value of a tag`,
    value: tag,
    allowed: "one value for each tag of a group",
    remedy: "state the same tags in both places",
  }),
  "azure-installation-group-used": (name: string, path: string): Problem => ({
    problem: `one resource group is to hold a cluster and something else, which ${path} puts there`,
    value: name,
    allowed:
      "an installation resource group of its own: the installer wants it empty, and destroys all of it",
    remedy: "give the issuer and the identities another resource group, or the cluster",
  }),
  "azure-documents-kept": (count: number): Problem => ({
    problem: `adopt keeps the documents' content as it is, so ${count} keys would not be published`,
    value: "keep",
    allowed: "exactly one key, the current one, while the documents are kept",
    remedy: 'state documents: "replace" in adopt before a rotation begins',
  }),
  "azure-storage-account-taken": (name: string, path: string): Problem => ({
    problem: `${path} already declares the storage account, whose name is one in all of Azure`,
    value: name,
    allowed: "one issuer host per storage account",
    remedy: "give each issuer a storage account of its own, or remove one of the two",
  }),
  "azure-cache-control-invalid": (value: unknown): Problem => ({
    problem: "cacheControl is not the value of a Cache-Control header",
    value,
    allowed: "visible ASCII characters and blanks, for example public, max-age=300",
    remedy: "correct it, or leave it out",
  }),
  "azure-container-private": (): Problem => ({
    problem: "nobody could read the documents of the issuer in a private container",
    value: "private",
    allowed: "blob or container; private together with issuerUrl",
    remedy:
      "leave containerAccessType out, or give issuerUrl, the URL of what reads the container and serves it",
  }),
  "azure-website-slash": (issuerUrl: string): Problem => ({
    problem: "trailingSlash is about the URL of the website, and issuerUrl states another issuer",
    value: issuerUrl,
    allowed: "one of the two",
    remedy: "remove trailingSlash, or remove issuerUrl",
  }),
};
