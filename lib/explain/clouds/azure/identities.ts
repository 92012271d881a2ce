/*
 * User-assigned identities as Terraform declares them or looks them up.
 */

import { type AzureCloudName, azureClouds } from "../../../rules/azure/clouds";
import { own, text } from "../../facts/access";
import { type Terraform, type TerraformResource, isLateText, providerOf } from "../../facts/terraform";
import { Credentials } from "./credentials";
import type { IdentityFact } from "./entra";
import { groupedBy, isApplied } from "./owners";
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
    ownerOf: (credential) => ownerWithinProvider(credential, terraform),
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
  const subscription =
    statedSubscription(resource, terraform) ?? `of ${resource.scope.id} ${resource.provider}`;
  return `/subscriptions/${subscription}/resourceGroups/${group}/providers/Microsoft.ManagedIdentity/userAssignedIdentities/${name}`.toLowerCase();
}

/** Names of the argument, the older one and that of azurerm 4.65 and newer. */
const OWNER = ["parent_id", "user_assigned_identity_id"];
const SUBSCRIPTION = /^\/subscriptions\/[^/]+(?=\/)/;

/**
 * The identity that azurerm puts a credential on: of the one that is named it takes resource group and name, and the
 * subscription of its provider (federated_identity_credential_resource.go, 4.0 to 5.2).
 */
function ownerWithinProvider(credential: TerraformResource, terraform: Terraform): string {
  const named = OWNER.map((argument) => terraform.text(credential, argument)).find((id) => id !== "") ?? "";
  const subscription = statedSubscription(credential, terraform)?.toLowerCase();
  // A state tells where it is.
  if (subscription === undefined || isApplied(credential)) return named.toLowerCase();
  const identity = terraform.referred(named, "id");
  const other = identity && statedSubscription(identity, terraform)?.toLowerCase();
  if (identity && (other === undefined || other === subscription)) return named.toLowerCase();
  const id = identity ? idOf(identity, terraform) : named.toLowerCase();
  return id.replace(SUBSCRIPTION, `/subscriptions/${subscription}`);
}

/** Of a resource's provider; `undefined` where ARM_SUBSCRIPTION_ID or only apply tells it. */
function statedSubscription(resource: TerraformResource, terraform: Terraform): string | undefined {
  const stated = terraform.resolve(text(own(providerOf(resource), "subscription_id")), resource.scope);
  return stated === "" || isLateText(stated) ? undefined : stated;
}
