import { type ObjectKind, example, list, object, optional, text } from "../../model/shape";
import { type AccessRole, ACCESS_ROLE } from "../../rules/azure/access";
import { type WorkloadIdentityAdoption, WORKLOAD_IDENTITY_ADOPTION } from "../../rules/azure/adoption";
import type { AzureCloudName } from "../../rules/azure/clouds";
import {
  DECLARED_IDENTITY_PROPS,
  type DeclaredIdentityProps,
  IDENTITY_SETTINGS,
  type IdentitySettings,
  type PullTrust,
  PULL_TRUST,
} from "./identity";
import {
  type IdentityBindingCluster,
  WORKLOAD_IDENTITY_BINDING,
  type WorkloadIdentityBinding,
} from "./identity-binding";

/**
 * Properties of {@link workloadIdentities}. Resource group and location are required unless every service account acts as
 * an existing identity (`as`).
 */
export interface WorkloadIdentitiesSettings extends Partial<IdentitySettings> {
  /**
   * Audience of the tokens that the webhook requests.
   *
   * @defaultValue "api://AzureADTokenExchange"
   */
  readonly audience?: string;
  /**
   * Prefix of the names of identities, 1 to 63 letters, digits and hyphens.
   *
   * @defaultValue - the cluster's name
   */
  readonly namePrefix?: string;
  /**
   * The Azure cloud.
   *
   * @defaultValue "AzurePublicCloud"
   */
  readonly cloud?: AzureCloudName;
  /**
   * The AKS cluster, or an object with more settings: pods get tokens by an AKS identity binding, whose number is not
   * limited, instead of a federated identity credential. Their programs must use it, which Azure's SDKs do on request.
   *
   * @defaultValue - federated identity credentials
   */
  readonly identityBinding?: IdentityBindingCluster | WorkloadIdentityBinding;
}

export const WORKLOAD_IDENTITIES_SETTINGS: ObjectKind<WorkloadIdentitiesSettings> = object({
  ...IDENTITY_SETTINGS.shape,
  resourceGroupName: optional(text),
  location: optional(example(text, '"westeurope"')),
  audience: optional(text),
  namePrefix: optional(text),
  cloud: optional(text),
  identityBinding: optional(WORKLOAD_IDENTITY_BINDING),
});

/** The identity of a workload. */
export interface WorkloadIdentityProps extends DeclaredIdentityProps {
  /** Service accounts that may act as the identity. */
  readonly trusts: readonly PullTrust[];
  /** Its roles; empty for an identity that gets its rights elsewhere, for example on an AKS cluster. */
  readonly roles: readonly AccessRole[];
  /**
   * The Azure cloud of the identity.
   *
   * @defaultValue "AzurePublicCloud"
   */
  readonly cloud?: AzureCloudName;
  /**
   * States that the identity exists, and what exists of it: import blocks take it over.
   *
   * @defaultValue - the identity is created
   */
  readonly adopt?: WorkloadIdentityAdoption;
}

export const WORKLOAD_IDENTITY_PROPS: ObjectKind<WorkloadIdentityProps> = object({
  ...DECLARED_IDENTITY_PROPS.shape,
  trusts: list(PULL_TRUST),
  roles: list(ACCESS_ROLE),
  cloud: optional(text),
  adopt: optional(WORKLOAD_IDENTITY_ADOPTION),
});
