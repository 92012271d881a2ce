/*
 * User-assigned identities as Terraform declares them or looks them up.
 */

import { type AzureCloudName, azureClouds } from "../../../rules/azure/clouds";
import { own, text } from "../../facts/access";
import { type Terraform, type TerraformResource, isLateText, providerOf } from "../../facts/terraform";
import { Credentials } from "./credentials";
import type { IdentityFact } from "./entra";
import { groupedBy } from "./owners";
import type { RoleAssignments } from "./role-assignments";

const IDENTITY = "azurerm_user_assigned_identity";
const AZAPI = "microsoft.managedidentity/userassignedidentities/federatedidentitycredentials@";

/** Every identity by what annotations can name it by: a reference to its client id, or the client id. */
export function identitiesByClientId(
  terraform: Terraform,
  roles: RoleAssignments,
): ReadonlyMap<string, IdentityFact> {
  const resources = terraform.ofType(IDENTITY);
  const credentials = new Credentials(terraform, {
    type: "azurerm_federated_identity_credential",
    owner: ["parent_id", "user_assigned_identity_id"],
    unread: terraform
      .ofType("azapi_resource")
      .filter(({ values }) => text(own(values, "type")).toLowerCase().startsWith(AZAPI)),
    unreadOwner: ["parent_id"],
  });
  // One that is declared here and looked up there is one identity.
  const idBy = new Map(resources.map((resource) => [resource, idOf(resource, terraform)]));
  const byId = groupedBy(resources, (resource) => idBy.get(resource) ?? "");
  return new Map(
    resources.map((resource): [string, IdentityFact] => {
      const id = idBy.get(resource) ?? "";
      const same = byId.get(id) ?? [resource];
      const ids = [id, ...same.map((each) => terraform.attribute(each, "id").toLowerCase())];
      const principals = same.map((each) => terraform.attribute(each, "principal_id").toLowerCase());
      const { isOpen, ...held } = roles.of(principals);
      const { hasOpenCredentials, ...trusted } = credentials.of(ids);
      return [
        terraform.attribute(resource, "client_id").toLowerCase(),
        {
          label: resource.address,
          adopted: resource.adopted || isOpen,
          hasOpenCredentials: resource.adopted || hasOpenCredentials,
          tenant: tenantOf(resource, terraform),
          cloud: cloudOf(resource, terraform),
          ...trusted,
          ...held,
          source: resource.source,
        },
      ];
    }),
  );
}

/** As a state has it, or as the provider is configured. */
function tenantOf(resource: TerraformResource, terraform: Terraform): string {
  const stated = terraform.text(resource, "tenant_id");
  return stated || terraform.resolve(text(own(providerOf(resource), "tenant_id")), resource.scope);
}

/** As the provider is configured; where it says nothing, ARM_ENVIRONMENT may. */
function cloudOf(resource: TerraformResource, terraform: Terraform): AzureCloudName | undefined {
  const provider = providerOf(resource);
  if (text(own(provider, "metadata_host")) !== "") return undefined;
  const stated = terraform.resolve(text(own(provider, "environment")), resource.scope).toLowerCase();
  return azureClouds.find(({ environments }) => environments.includes(stated))?.name;
}

/**
 * The resource id in lower case, composed where Terraform knows it only after apply: within its provider's subscription,
 * or, where that is stated nowhere, with the place of the provider. Empty where parts are missing.
 */
function idOf(resource: TerraformResource, terraform: Terraform): string {
  const name = terraform.text(resource, "name");
  const group = terraform.text(resource, "resource_group_name");
  if ([name, group].some((part) => part === "" || isLateText(part))) return "";
  const stated = terraform.resolve(text(own(providerOf(resource), "subscription_id")), resource.scope);
  const subscription =
    stated === "" || isLateText(stated) ? `of ${resource.scope.id} ${resource.provider}` : stated;
  return `/subscriptions/${subscription}/resourceGroups/${group}/providers/Microsoft.ManagedIdentity/userAssignedIdentities/${name}`.toLowerCase();
}
