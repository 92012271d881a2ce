/**
 * Google Cloud: workload identity pools and their OIDC providers, and pulls from Artifact Registry.
 *
 * @packageDocumentation
 */

export {
  ArtifactRegistryRepository,
  artifactRegistry,
  gcrRepository,
  type ArtifactRegistryProps,
  type GcrRepositoryProps,
} from "./artifact-registry";
export { ManagedPool, type ManagedPoolProps } from "./managed-pool";
export { OidcProvider } from "./oidc-provider";
export {
  type IOidcProvider,
  type OidcProviderAttributes,
  type OidcProviderProps,
} from "./oidc-provider-props";
export { type IPrincipals, type PoolName } from "./principals";
export { PullBinding, type PullBindingProps } from "./pull-binding";
export { pullPrincipals } from "./pull-principals";
export { type PullPoolProps, type PullPrincipalsProps } from "./pull-principals-props";
export {
  WorkloadIdentityPool,
  type IWorkloadIdentityPool,
  type WorkloadIdentityPoolAttributes,
  type WorkloadIdentityPoolProps,
} from "./workload-identity-pool";
export type { AttributeCondition, AttributeConditionForm } from "../../rules/google/attribute-condition";
export type { AttributeMapping } from "../../rules/google/attribute-mapping";
export type { PublicJsonWebKey, PublicJsonWebKeySet } from "../../model/json-web-key";
export type { GcrHost } from "../../rules/google/registry-host";
