import { literal } from "../../model/late";
import { guid, resourceGroupName } from "./resource-id";

/** Resource id of a subscription, of a literal GUID; throws `azure-guid-invalid` or `late-value`. */
export function subscriptionScope(subscriptionId: string): string {
  return `/subscriptions/${guid("subscriptionId", literal(subscriptionId, "subscriptionId"))}`;
}

/** Resource id of a resource group; throws `azure-guid-invalid`, `azure-name-invalid` or `late-value`. */
export function resourceGroupId(subscriptionId: string, name: string): string {
  return resourceGroupScope(subscriptionId, resourceGroupName(literal(name, "resourceGroupName")));
}

/** The same for a name that is part of a checked id. */
export function resourceGroupScope(subscriptionId: string, name: string): string {
  return `${subscriptionScope(subscriptionId)}/resourceGroups/${name}`;
}
