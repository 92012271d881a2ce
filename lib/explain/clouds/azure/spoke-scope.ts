/*
 * Whether a scope of Azure is an AKS cluster's, one of its namespaces', or holds the cluster: roles are inherited from
 * above. Source: learn.microsoft.com, "Understand scope for Azure RBAC". Ids are compared without regard to letter case.
 */

import { isManagementGroup } from "../../../rules/azure/role-scope";
import { own, text } from "../../facts/access";
import { type Terraform, type TerraformResource, isLateText, providerOf } from "../../facts/terraform";
import { isAtOrBelow } from "./role-definitions";

/** `undefined` where only apply or the tenant tell it. */
export function reachesCluster(
  scope: string,
  cluster: TerraformResource,
  terraform: Terraform,
): boolean | undefined {
  if (scope === "") return undefined;
  const ids = [terraform.attribute(cluster, "id"), idOf(cluster, terraform)].filter((id) => id !== "");
  const above = placeOf(scope, terraform);
  if (ids.some((id) => isAtOrBelow(scope, id) || isAtOrBelow(id, above))) return true;
  const isKnown = ids.some((id) => id.startsWith("/subscriptions/") && !isLateText(id));
  return isLateText(scope) || isManagementGroup(scope) || !isKnown ? undefined : false;
}

/** The id of the cluster, of its names; the subscription is the provider's. Empty where a part is missing. */
function idOf(cluster: TerraformResource, terraform: Terraform): string {
  const [name, group] = [terraform.text(cluster, "name"), terraform.text(cluster, "resource_group_name")];
  if (name === "" || group === "") return "";
  return `${subscriptionOf(cluster, terraform)}/resourceGroups/${group}/providers/Microsoft.ContainerService/managedClusters/${name}`;
}

/** The id behind a reference to a resource group or to the subscription that Terraform works in. */
function placeOf(scope: string, terraform: Terraform): string {
  const resource = terraform.referred(scope, "id");
  if (resource?.type === "azurerm_resource_group")
    return `${subscriptionOf(resource, terraform)}/resourceGroups/${terraform.text(resource, "name")}`;
  return resource?.type === "azurerm_subscription" && own(resource.values, "subscription_id") === undefined
    ? subscriptionOf(resource, terraform)
    : scope;
}

/** As the provider states it; else what stands for that of the provider, whichever it is. */
function subscriptionOf(resource: TerraformResource, terraform: Terraform): string {
  const stated = terraform.resolve(text(own(providerOf(resource), "subscription_id")), resource.scope);
  return stated === "" || isLateText(stated)
    ? `\${${resource.scope.id}#${resource.provider}.subscription}`
    : `/subscriptions/${stated}`;
}
