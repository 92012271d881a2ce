import type { AzurermProvider } from "@cdktf/provider-azurerm/lib/provider/index.js";
import { GivenIssuer, ISSUER } from "../../model/issuer";
import { type Subject, SUBJECT } from "../../model/subject";
import { type ComponentNaming, COMPONENT_NAMINGS } from "../../rules/azure/component-names";
import { type ObjectKind, anyObject, choice, list, object, optional, record, text } from "../../model/shape";
import { PROVIDER } from "../shared/kinds";

/** The identity of one OpenShift component. */
export interface ComponentIdentityProps {
  /** Name of the identity, 3 to 128 letters, digits, `_` and `-`. */
  readonly identityName: string;
  /**
   * Name of the custom role; a tenant has one of a name over all its subscriptions.
   *
   * @defaultValue - that of the identity
   */
  readonly roleName?: string;
  /** Resource group that will hold the identity; may be late. */
  readonly resourceGroupName: string;
  /** Region of the identity, for example `westeurope`; may be late. */
  readonly location: string;
  /** GUID of the subscription, in which the custom role is made; literal, so that scopes and ids are final at synth. */
  readonly subscriptionId: string;
  /** Name of the cluster, a DNS label; begins the credentials' names. */
  readonly clusterName: string;
  /** The cluster's issuer, to the letter; may be late. */
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
   * Tenant of the identity, a GUID. Stating it makes it final in the component's Secret.
   *
   * @defaultValue - the identity's own attribute, known after apply
   */
  readonly tenantId?: string;
  /**
   * Tags of the identity.
   *
   * @defaultValue - none
   */
  readonly tags?: Readonly<Record<string, string>>;
  /**
   * What of it exists already and is imported; needs a literal resource group.
   *
   * @defaultValue - everything is made
   */
  readonly adopt?: IdentityAdoption;
  /**
   * The Terraform provider of the subscription.
   *
   * @defaultValue - the stack's default azurerm provider
   */
  readonly provider?: AzurermProvider;
}

const IDENTITY_ADOPTION: ObjectKind<IdentityAdoption> = object({
  roleDefinition: optional(optional(text)),
  roleAssignments: optional(anyObject),
  serviceAccounts: optional(list(text)),
});

export const COMPONENT_IDENTITY_PROPS: ObjectKind<ComponentIdentityProps> = object({
  identityName: text,
  roleName: optional(text),
  resourceGroupName: text,
  location: text,
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
  tenantId: optional(text),
  tags: optional(record(text)),
  adopt: optional(IDENTITY_ADOPTION),
  provider: optional(PROVIDER),
});

/** What exists of a component's identity; the identity itself does. */
export interface IdentityAdoption {
  /**
   * GUID of the custom role.
   *
   * @defaultValue - the custom role is made
   */
  readonly roleDefinition?: string | undefined;
  /**
   * GUIDs of role assignments: by resource group for the custom role, by `<role> at <resource group>` for another one,
   * by the whole scope for anything but the subscription's resource groups.
   *
   * @defaultValue - role assignments are made
   */
  readonly roleAssignments?: ReadonlyMap<string, string>;
  /**
   * Names of the service accounts that have a credential.
   *
   * @defaultValue - credentials are made
   */
  readonly serviceAccounts?: readonly string[];
}
