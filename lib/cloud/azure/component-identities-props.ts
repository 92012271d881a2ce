import type { AzurermProvider } from "@cdktf/provider-azurerm/lib/provider/index.js";
import { type ComponentsRequest, COMPONENTS_REQUEST } from "../../model/components";
import { type ComponentAdoption, COMPONENT_ADOPTION } from "../../rules/azure/component-adoption";
import { type ComponentNaming, COMPONENT_NAMINGS } from "../../rules/azure/component-names";
import { type ComponentOverride, COMPONENT_OVERRIDE } from "../../rules/azure/component-plan";
import { type ResourceGroupMode, RESOURCE_GROUP_MODES } from "./resource-groups";
import { type ObjectKind, choice, object, optional, record, text } from "../../model/shape";
import { PROVIDER } from "../shared/kinds";

/** How the identities of one cluster's components are made; the words are those of `ccoctl azure`. */
export interface ComponentIdentitiesSettings {
  /** GUID of the cluster's subscription; literal. */
  readonly subscriptionId: string;
  /** Region of the cluster, for example `westeurope`; stands in the components' Secrets and is that of the identities. */
  readonly region: string;
  /**
   * Tenant, a GUID. Stating it makes it final in the Secrets.
   *
   * @defaultValue - the tenant of the identities, known after apply
   */
  readonly tenantId?: string;
  /**
   * Resource group that will hold the identities.
   *
   * @defaultValue - `<cluster name>-oidc`
   */
  readonly oidcResourceGroupName?: string;
  /**
   * Resource group that the installer fills (`platform.azure.resourceGroupName`); nothing else may be in it.
   *
   * @defaultValue - the cluster's name
   */
  readonly installationResourceGroupName?: string;
  /**
   * Resource group of an existing virtual network.
   *
   * @defaultValue - none: the network is in the installation resource group
   */
  readonly networkResourceGroupName?: string;
  /**
   * Resource group of the base domain's DNS zone, where the ingress operator writes records.
   *
   * @defaultValue - none: no component may write there
   */
  readonly dnszoneResourceGroupName?: string;
  /**
   * `declared`: the OIDC resource group is made, unless the app declares it already; `existing`: it exists.
   *
   * @defaultValue "declared"
   */
  readonly oidcResourceGroup?: ResourceGroupMode;
  /**
   * `declared`: the installation resource group is made; `existing`: it exists. Its tags are the installer's, which
   * destroys the cluster by them: Terraform leaves them alone.
   *
   * @defaultValue "declared"
   */
  readonly installationResourceGroup?: ResourceGroupMode;
  /**
   * Names: `unique`, with a hash where a name would be too long, or to the letter those of `ccoctl`, with its tag.
   *
   * @defaultValue - "unique", and with `adopt` "ccoctl"
   */
  readonly naming?: ComponentNaming;
  /**
   * Takes over what `ccoctl` made: identities, credentials, custom roles, role assignments and resource groups are
   * imported. `ccoctl` chose GUIDs at random for roles and assignments, so they are given here.
   *
   * @defaultValue - everything is made
   */
  readonly adopt?: ComponentAdoption;
  /**
   * By the name of the CredentialsRequest: where its roles count, and what of it is not granted.
   *
   * @defaultValue - every request gets what it asks for, in the cluster's resource groups
   */
  readonly overrides?: Readonly<Record<string, ComponentOverride>>;
  /**
   * Tags of identities and resource groups.
   *
   * @defaultValue - none
   */
  readonly tags?: Readonly<Record<string, string>>;
  /**
   * The Terraform provider of the cluster's subscription.
   *
   * @defaultValue - the stack's default azurerm provider
   */
  readonly provider?: AzurermProvider;
}

export const COMPONENT_IDENTITIES_SETTINGS: ObjectKind<ComponentIdentitiesSettings> = object({
  subscriptionId: text,
  region: text,
  tenantId: optional(text),
  oidcResourceGroupName: optional(text),
  installationResourceGroupName: optional(text),
  networkResourceGroupName: optional(text),
  dnszoneResourceGroupName: optional(text),
  oidcResourceGroup: optional(choice(RESOURCE_GROUP_MODES)),
  installationResourceGroup: optional(choice(RESOURCE_GROUP_MODES)),
  naming: optional(choice(COMPONENT_NAMINGS)),
  adopt: optional(COMPONENT_ADOPTION),
  overrides: optional(record(COMPONENT_OVERRIDE)),
  tags: optional(record(text)),
  provider: optional(PROVIDER),
});

/** The components of one cluster. */
export interface ComponentIdentitiesProps extends ComponentIdentitiesSettings, ComponentsRequest {}

export const COMPONENT_IDENTITIES_PROPS: ObjectKind<ComponentIdentitiesProps> = object({
  ...COMPONENT_IDENTITIES_SETTINGS.shape,
  ...COMPONENTS_REQUEST.shape,
});
