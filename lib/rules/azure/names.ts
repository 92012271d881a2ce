/*
 * Names and resource ids, by "Naming rules and restrictions for Azure resources" of learn.microsoft.com.
 */

import { fail } from "../../errors";
import { isLate } from "../../model/late";

/** The parts of a resource id that this library uses. */
export interface AzureResourceId {
  /** GUID of the subscription. */
  readonly subscriptionId: string;
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

export function parseRegistryId(id: string): AzureResourceId {
  return parse(id, REGISTRY);
}

export function parseIdentityId(id: string): AzureResourceId {
  return parse(id, IDENTITY);
}

export function parseClusterId(id: string): AzureResourceId {
  return parse(id, CLUSTER);
}

export function isGuid(value: string): boolean {
  return GUID.test(value);
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

export function invalidName(what: string, value: unknown, allowed: string): never {
  const remedy = "use a name that the service allows";
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
  const allowed = "1 to 90 letters, digits and _ ( ) . -, not ending with a period";
  const isValid = isLate(value) || matches(RESOURCE_GROUP, value);
  return isValid ? value : invalidName("resourceGroupName", value, allowed);
}

/** Returns a location such as `westeurope` or a late value. */
export function location(value: string): string {
  const isValid = isLate(value) || matches(LOCATION, value);
  return isValid ? value : invalidName("location", value, "the name of a region, for example westeurope");
}

/** A pattern alone would match the text `undefined` for a missing value. */
function matches(pattern: RegExp, value: unknown): boolean {
  return typeof value === "string" && pattern.test(value);
}

function parse(id: string, { what, type, name, names }: ResourceType): AzureResourceId {
  const [empty, subscriptions, subscriptionId, groups, group, providers, space, kind, resourceName, ...rest] =
    String(id).split("/");
  const fixed = [empty, subscriptions, groups, providers, `${space}/${kind}`, ...rest].join(" ");
  const valid =
    fixed === ` subscriptions resourceGroups providers ${type}` &&
    GUID.test(subscriptionId ?? "") &&
    RESOURCE_GROUP.test(group ?? "") &&
    name.test(resourceName ?? "");
  if (!valid || subscriptionId === undefined || group === undefined || resourceName === undefined) {
    const form = `/subscriptions/<GUID>/resourceGroups/<name>/providers/${type}/<name>, the last name consisting of ${names}`;
    return fail("azure-invalid", {
      problem: `the resource id of ${what} is malformed`,
      value: id,
      allowed: form,
      remedy:
        "copy it from `az resource show --query id`; Terraform's azurerm compares the letter case of the fixed words",
    });
  }
  return { subscriptionId, resourceGroupName: group, name: resourceName };
}
