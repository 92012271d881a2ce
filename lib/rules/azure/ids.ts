/*
 * Names and resource ids, scopes of role assignments, and ids under which azurerm imports what exists. Sources:
 * learn.microsoft.com, "Naming rules and restrictions for Azure resources" and "Understand scope for Azure RBAC";
 * hashicorp/terraform-provider-azurerm, the section "Import" of each resource's page.
 */

import { fail } from "../../errors";
import { isLate, literal } from "../../model/late";

/** The parts of a resource id that this library uses. */
export interface AzureResourceId {
  /** GUID of the subscription. */
  readonly subscriptionId: string;
  /** Name of the resource group. */
  readonly resourceGroupName: string;
  /** Name of the resource itself, in the letter case given. */
  readonly name: string;
}

interface ResourceType {
  readonly what: string;
  readonly type: string;
  readonly name: RegExp;
  readonly names: string;
}

const REGISTRY: ResourceType = {
  what: "a container registry",
  type: "Microsoft.ContainerRegistry/registries",
  name: /^[A-Za-z0-9]{5,50}$/,
  names: "5 to 50 letters and digits",
};
const IDENTITY: ResourceType = {
  what: "a user-assigned identity",
  type: "Microsoft.ManagedIdentity/userAssignedIdentities",
  name: /^[A-Za-z0-9][A-Za-z0-9_-]{2,127}$/,
  names: "3 to 128 letters, digits, _ and -",
};
const CLUSTER: ResourceType = {
  what: "an AKS cluster",
  type: "Microsoft.ContainerService/managedClusters",
  name: /^[A-Za-z0-9](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9])?$/,
  names: "1 to 63 letters, digits, _ and -",
};
const GUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const RESOURCE_GROUP = /^[\p{L}\p{N}_().-]{0,89}[\p{L}\p{N}_()-]$/u;
const LOCATION = /^[A-Za-z0-9 ]+$/;

/** Reads the resource id of a container registry. */
export function parseRegistryId(id: string): AzureResourceId {
  return parse(id, REGISTRY);
}

/** Reads the resource id of a user-assigned identity. */
export function parseIdentityId(id: string): AzureResourceId {
  return parse(id, IDENTITY);
}

/** Reads the resource id of an AKS cluster. */
export function parseClusterId(id: string): AzureResourceId {
  return parse(id, CLUSTER);
}

/** Returns a GUID or a late value. */
export function guid(what: string, value: string): string {
  if (isLate(value) || matches(GUID, value)) return value;
  return fail("azure-invalid", {
    problem: `${what} is not a GUID`,
    value,
    allowed: "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx, hexadecimal",
    remedy: "copy it from `az account show` or `az identity show`",
  });
}

/** Refuses a name that Azure does not take. */
export function invalidName(what: string, value: unknown, allowed: string): never {
  const remedy = "give a name within the rules of the service";
  return fail("azure-invalid", { problem: `${what} is not a valid name`, value, allowed, remedy });
}

/** Returns the name of a user-assigned identity or a late value. */
export function identityName(value: string): string {
  const allowed = "3 to 128 of A-Z, a-z, 0-9, _ and -, beginning with a letter or digit";
  const isValid = isLate(value) || matches(IDENTITY.name, value);
  return isValid ? value : invalidName("identityName", value, allowed);
}

/** Returns the name of a resource group or a late value. */
export function resourceGroupName(value: string): string {
  const allowed = "1 to 90 letters, digits and _ ( ) . -, not ending with a full stop";
  const isValid = isLate(value) || matches(RESOURCE_GROUP, value);
  return isValid ? value : invalidName("resourceGroupName", value, allowed);
}

/** Returns a location such as `westeurope` or a late value. */
export function location(value: string): string {
  const isValid = isLate(value) || matches(LOCATION, value);
  return isValid ? value : invalidName("location", value, "the name of a region, for example westeurope");
}

/** A pattern alone would take a missing value for the text `undefined`. */
function matches(pattern: RegExp, value: unknown): boolean {
  return typeof value === "string" && pattern.test(value);
}

function parse(id: string, { what, type, name, names }: ResourceType): AzureResourceId {
  const [empty, subscriptions, subscriptionId, groups, group, providers, space, kind, own, ...rest] =
    String(id).split("/");
  const fixed = [empty, subscriptions, groups, providers, `${space}/${kind}`, ...rest].join(" ");
  const valid =
    fixed === ` subscriptions resourceGroups providers ${type}` &&
    GUID.test(subscriptionId ?? "") &&
    RESOURCE_GROUP.test(group ?? "") &&
    name.test(own ?? "");
  if (!valid || subscriptionId === undefined || group === undefined || own === undefined) {
    const form = `/subscriptions/<GUID>/resourceGroups/<name>/providers/${type}/<name>, the last name of ${names}`;
    return fail("azure-invalid", {
      problem: `resource id of ${what} is malformed`,
      value: id,
      allowed: form,
      remedy:
        "copy it from `az resource show --query id`; Terraform's azurerm compares the fixed words with their letter case",
    });
  }
  return { subscriptionId, resourceGroupName: group, name: own };
}

/** Resource id of a subscription, of a literal GUID. */
export function subscriptionScope(subscriptionId: string): string {
  return `/subscriptions/${guid("subscriptionId", literal(subscriptionId, "subscriptionId"))}`;
}

/** Resource id of a resource group. */
export function resourceGroupId(subscriptionId: string, name: string): string {
  return resourceGroupScope(subscriptionId, resourceGroupName(literal(name, "resourceGroupName")));
}

/** The same for a name that is part of a checked id. */
export function resourceGroupScope(subscriptionId: string, name: string): string {
  return `${subscriptionScope(subscriptionId)}/resourceGroups/${name}`;
}

const RESOURCE = "(?:/providers/[a-z0-9.]+(?:/[^/\\s]+/[^/\\s]+)+)*";
const SUBSCRIPTION = `/subscriptions/[0-9a-f-]{36}(?:/resourceGroups/[^/\\s]+)?${RESOURCE}`;
const MANAGEMENT_GROUP = "/providers/Microsoft\\.Management/managementGroups/[^/\\s]+";
const SCOPE = new RegExp(`^(?:${SUBSCRIPTION}|${MANAGEMENT_GROUP})$`, "i");
const IN_MANAGEMENT_GROUP = new RegExp(`^${MANAGEMENT_GROUP}$`, "i");
const LIMITED = /^\/subscriptions\/[^/]+\/resourceGroups\/([^/]+)/i;

/** Terraform would read these as the beginning of a template; no resource id has them. */
const TEMPLATE = /[$%]\{/;

const WORDS: readonly (readonly [RegExp, string])[] = [
  [/^\/subscriptions\//i, "/subscriptions/"],
  [/^(\/subscriptions\/[^/]+)\/resourceGroups\//i, "$1/resourceGroups/"],
  [/\/providers\//gi, "/providers/"],
  [
    /^\/providers\/Microsoft\.Management\/managementGroups\//i,
    "/providers/Microsoft.Management/managementGroups/",
  ],
];

/** Returns a literal scope with the fixed words in azurerm's letter case. */
export function statedScope(scope: string): string {
  if (!SCOPE.test(literal(scope, "scope")) || TEMPLATE.test(scope)) return invalidScope(scope);
  return WORDS.reduce((text, [pattern, word]) => text.replace(pattern, word), scope);
}

/** Returns literal scopes, at least one, each once as it was written first. */
export function statedScopes(scopes: readonly string[]): readonly string[] {
  if (!Array.isArray(scopes) || scopes.length === 0) return invalidScope(scopes);
  return oncePerScope(scopes.map(statedScope));
}

function invalidScope(value: unknown): never {
  return fail("azure-invalid", {
    problem: "scope is not a resource id",
    value,
    allowed:
      "/subscriptions/<GUID>, a resource group or resource below it, or /providers/Microsoft.Management/managementGroups/<name>",
    remedy: "copy it from `az resource show --query id` or `az group show --query id`",
  });
}

/** Ids are compared without regard to letter case; the first spelling is kept. */
export function oncePerScope(scopes: readonly string[]): readonly string[] {
  const seen = new Set<string>();
  return scopes.filter((scope) => !seen.has(scope.toLowerCase()) && seen.add(scope.toLowerCase()));
}

/** True for a scope that holds more than one resource group; a late one may. */
export function isBroadScope(scope: string): boolean {
  return isLate(scope) || !LIMITED.test(scope);
}

export function isManagementGroup(scope: string): boolean {
  return IN_MANAGEMENT_GROUP.test(scope);
}

/** The resource group of a literal scope, where that is one of the subscription, or within one. */
export function scopeResourceGroup(scope: string, subscriptionId: string): string | undefined {
  const own = scope.toLowerCase().startsWith(`${subscriptionScope(subscriptionId).toLowerCase()}/`);
  return own ? LIMITED.exec(scope)?.[1] : undefined;
}

/** How a refusal shows a scope. */
export function shownScope(scope: string): string {
  return isLate(scope) ? "a scope that is known only after apply" : scope;
}

/** Where resources of a resource group are. */
export interface ImportPlace {
  /** Literal GUID of the subscription. */
  readonly subscriptionId: string;
  /** Literal name of the resource group. */
  readonly resourceGroupName: string;
}

/** Id of a storage account; its static website has the same one. */
export function storageAccountId({ subscriptionId, resourceGroupName }: ImportPlace, name: string): string {
  return `${resourceGroupId(subscriptionId, resourceGroupName)}/providers/Microsoft.Storage/storageAccounts/${name}`;
}

/**
 * Id of a blob container.
 *
 * azurerm 4 reads this form and the container's URL; with the URL the import states the account by its name, and
 * `storage_account_id` would then show a difference.
 */
export function storageContainerId(place: ImportPlace, account: string, name: string): string {
  return containerIn(storageAccountId(place, account), name);
}

/** Id of a blob container in the account of an id, which may be late. */
export function containerIn(accountId: string, name: string): string {
  return `${accountId}/blobServices/default/containers/${name}`;
}

/** Id of a user-assigned identity. */
export function userAssignedIdentityId(
  { subscriptionId, resourceGroupName }: ImportPlace,
  name: string,
): string {
  const group = resourceGroupId(subscriptionId, resourceGroupName);
  return `${group}/providers/Microsoft.ManagedIdentity/userAssignedIdentities/${name}`;
}

/** Id of a federated identity credential below its identity's. */
export function federatedCredentialId(identityId: string, name: string): string {
  return `${identityId}/federatedIdentityCredentials/${name}`;
}

/**
 * Id of a custom role: its resource id, a bar and the scope that it was made at.
 */
export function roleDefinitionImportId(subscriptionId: string, name: string): string {
  const scope = subscriptionScope(subscriptionId);
  const definition = guid("role definition", name);
  return `${scope}/providers/Microsoft.Authorization/roleDefinitions/${definition}|${scope}`;
}

/** Id of a role assignment at a scope. */
export function roleAssignmentId(scope: string, name: string): string {
  return `${scope}/providers/Microsoft.Authorization/roleAssignments/${guid("role assignment", name)}`;
}
