import type { AzurermProvider } from "@cdktf/provider-azurerm/lib/provider/index.js";
import { type ComponentsRequest, COMPONENTS_REQUEST } from "../../model/components";
import { GivenIssuer, ISSUER } from "../../model/issuer";
import { type ObjectKind, choice, example, list, object, optional, record, text } from "../../model/shape";
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
   * Name of the custom role, unique in the tenant over all its subscriptions.
   *
   * @defaultValue - the name of the identity
   */
  readonly roleName?: string;
  /** GUID of the subscription of the custom role; literal, so that scopes and ids are final at synth. */
  readonly subscriptionId: string;
  /** Name of the cluster, a DNS label; the credentials' names begin with it. */
  readonly clusterName: string;
  /** The cluster's issuer, exactly; may be late. */
  readonly issuer: GivenIssuer;
  /** `namespace/name` of each service account that may act as the identity, 1 to 20. */
  readonly serviceAccounts: readonly (string | Subject)[];
  /** Resource ids at which the roles are assigned, at least one; usually resource groups. */
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
   * @defaultValue - none; without actions and data actions there is no custom role
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
   * How credentials are named: `<cluster>_<namespace>_<service account>`, or with `ccoctl` like the service account.
   *
   * @defaultValue "unique"
   */
  readonly naming?: ComponentNaming;
  /**
   * The existing parts to import; needs a literal resource group.
   *
   * @defaultValue - everything is created
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

/** Properties of {@link componentIdentities}, with the names of `ccoctl azure`'s flags. */
export interface ComponentIdentitiesSettings {
  /** GUID of the cluster's subscription; literal. */
  readonly subscriptionId: string;
  /** Region of the cluster and the identities, for example `westeurope`; written to the components' Secrets. */
  readonly region: string;
  /**
   * GUID of the tenant. If it is stated, it is final in the Secrets at synth.
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
   * Resource group for the installer (`platform.azure.resourceGroupName`); must not contain anything else.
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
   * @defaultValue - none: components cannot write there
   */
  readonly dnszoneResourceGroupName?: string;
  /**
   * `declared`: the OIDC resource group is created, unless the app already declares it; `existing`: it exists.
   *
   * @defaultValue "declared"
   */
  readonly oidcResourceGroup?: ResourceGroupMode;
  /**
   * `declared`: the installation resource group is created; `existing`: it exists. Terraform ignores its tags: the
   * installer sets them, and finds by them what to destroy.
   *
   * @defaultValue "declared"
   */
  readonly installationResourceGroup?: ResourceGroupMode;
  /**
   * Names: `unique`, with a hash if a name would be too long, or exactly those of `ccoctl`, with its tag.
   *
   * @defaultValue - "unique"; with `adopt` "ccoctl"
   */
  readonly naming?: ComponentNaming;
  /**
   * Adopts resources of `ccoctl`: identities, credentials, custom roles, role assignments and resource groups are
   * imported. `ccoctl` chose random GUIDs for roles and assignments, so state them here.
   *
   * @defaultValue - everything is created
   */
  readonly adopt?: ComponentAdoption;
  /**
   * By the name of the CredentialsRequest: the scopes of its roles, and which of its permissions are withheld.
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
  region: example(text, '"westeurope"'),
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
