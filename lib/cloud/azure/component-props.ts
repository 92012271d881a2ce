import type { AzurermProvider } from "@cdktf/provider-azurerm/lib/provider/index.js";
import { type ComponentsRequest, COMPONENTS_REQUEST } from "../../model/components";
import { GivenIssuer, ISSUER } from "../../model/issuer";
import { type ObjectKind, choice, list, object, optional, record, text } from "../../model/shape";
import { type Subject, SUBJECT } from "../../model/subject";
import {
  type ComponentAdoption,
  COMPONENT_ADOPTION,
  IDENTITY_ADOPTION,
  type IdentityAdoption,
} from "../../rules/azure/adoption";
import {
  type ComponentNaming,
  type ComponentOverride,
  COMPONENT_NAMINGS,
  COMPONENT_OVERRIDE,
} from "../../rules/azure/component";
import { PROVIDER } from "../shared/kinds";
import { DECLARED_IDENTITY_PROPS, type DeclaredIdentityProps } from "./identity";
import { type ResourceGroupMode, RESOURCE_GROUP_MODES } from "./place";

/** The identity of one OpenShift component. */
export interface ComponentIdentityProps extends DeclaredIdentityProps {
  /**
   * Name of the custom role; a tenant has one of a name over all its subscriptions.
   *
   * @defaultValue - that of the identity
   */
  readonly roleName?: string;
  /** GUID of the subscription, in which the custom role is made; literal, so that scopes and ids are final at synth. */
  readonly subscriptionId: string;
  /** Name of the cluster, a DNS label; begins the credentials' names. */
  readonly clusterName: string;
  /** The cluster's issuer, exactly; may be late. */
  readonly issuer: GivenIssuer;
  /** `namespace/name` of each service account that may act as the identity, 1 to 20. */
  readonly serviceAccounts: readonly (string | Subject)[];
  /** Resource ids of what the roles count for: resource groups, as a rule; at least one. */
  readonly scopes: readonly string[];
  /**
   * Why one of the scopes is a subscription or a management group. Becomes the description of the role assignments.
   *
   * @defaultValue - none; such a scope is refused
   */
  readonly reason?: string;
  /**
   * Actions of the custom role.
   *
   * @defaultValue - none; without data actions too there is no custom role
   */
  readonly actions?: readonly string[];
  /**
   * Data actions of the custom role.
   *
   * @defaultValue - none
   */
  readonly dataActions?: readonly string[];
  /**
   * Names of further roles, built-in or custom.
   *
   * @defaultValue - none
   */
  readonly roles?: readonly string[];
  /**
   * Description of the custom role.
   *
   * @defaultValue - `Custom role for OpenShift. Owned by: <clusterName>`, as `ccoctl` writes it
   */
  readonly roleDescription?: string;
  /**
   * How credentials are named: `<cluster>_<namespace>_<service account>`, or with `ccoctl` as the service account.
   *
   * @defaultValue "unique"
   */
  readonly naming?: ComponentNaming;
  /**
   * What of it exists already and is imported; needs a literal resource group.
   *
   * @defaultValue - everything is made
   */
  readonly adopt?: IdentityAdoption;
}

export const COMPONENT_IDENTITY_PROPS: ObjectKind<ComponentIdentityProps> = object({
  ...DECLARED_IDENTITY_PROPS.shape,
  roleName: optional(text),
  subscriptionId: text,
  clusterName: text,
  issuer: ISSUER,
  serviceAccounts: list(SUBJECT),
  scopes: list(text),
  reason: optional(text),
  actions: optional(list(text)),
  dataActions: optional(list(text)),
  roles: optional(list(text)),
  roleDescription: optional(text),
  naming: optional(choice(COMPONENT_NAMINGS)),
  adopt: optional(IDENTITY_ADOPTION),
});

/** How the identities of one cluster's components are made; the words are those of `ccoctl azure`. */
export interface ComponentIdentitiesSettings {
  /** GUID of the cluster's subscription; literal. */
  readonly subscriptionId: string;
  /** Region of the cluster, for example `westeurope`; is written into the components' Secrets and is that of the identities. */
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
   * Names: `unique`, with a hash where a name would be too long, or exactly those of `ccoctl`, with its tag.
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
