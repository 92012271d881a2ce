/*
 * Resource ids, and the ids with which azurerm imports existing resources. Source:
 * hashicorp/terraform-provider-azurerm, the section "Import" of each resource's page, and the resource's own parser of
 * ids if that section is too short.
 */

import { literal } from "../../model/late";
import { guid, resourceGroupName } from "./names";

/** Resource id of a subscription with a literal GUID. */
export function subscriptionScope(subscriptionId: string): string {
  return `/subscriptions/${guid("subscriptionId", literal(subscriptionId, "subscriptionId"))}`;
}

export function resourceGroupId(subscriptionId: string, name: string): string {
  return resourceGroupScope(subscriptionId, resourceGroupName(literal(name, "resourceGroupName")));
}

/** Like {@link subscriptionScope}, with a resource group whose name comes from a checked id. */
export function resourceGroupScope(subscriptionId: string, name: string): string {
  return `${subscriptionScope(subscriptionId)}/resourceGroups/${name}`;
}

export interface ImportPlace {
  readonly subscriptionId: string;
  readonly resourceGroupName: string;
}

/** Id of a storage account; its static website has the same id. */
export function storageAccountId({ subscriptionId, resourceGroupName }: ImportPlace, name: string): string {
  return `${resourceGroupId(subscriptionId, resourceGroupName)}/providers/Microsoft.Storage/storageAccounts/${name}`;
}

/**
 * Id of a blob container.
 *
 * azurerm 4 accepts this form and the container's URL; after an import by URL the state contains the account's name,
 * and `storage_account_id` would show a difference.
 */
export function storageContainerId(place: ImportPlace, account: string, name: string): string {
  return containerIn(storageAccountId(place, account), name);
}

/** Id of a blob container in the account with this id, which may be late. */
export function containerIn(accountId: string, name: string): string {
  return `${accountId}/blobServices/default/containers/${name}`;
}

export function userAssignedIdentityId(
  { subscriptionId, resourceGroupName }: ImportPlace,
  name: string,
): string {
  const group = resourceGroupId(subscriptionId, resourceGroupName);
  return `${group}/providers/Microsoft.ManagedIdentity/userAssignedIdentities/${name}`;
}

/** Id of a federated identity credential, below its identity's id. */
export function federatedCredentialId(identityId: string, name: string): string {
  return `${identityId}/federatedIdentityCredentials/${name}`;
}

/** Id of a custom role: its resource id, a vertical bar and the scope at which it was created. */
export function roleDefinitionImportId(subscriptionId: string, name: string): string {
  const scope = subscriptionScope(subscriptionId);
  const definition = guid("role definition", name);
  return `${scope}/providers/Microsoft.Authorization/roleDefinitions/${definition}|${scope}`;
}

export function roleAssignmentId(scope: string, name: string): string {
  return `${scope}/providers/Microsoft.Authorization/roleAssignments/${guid("role assignment", name)}`;
}
