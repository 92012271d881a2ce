/**
 * Google Cloud: workload identity pools and their OIDC providers, pulls from Artifact Registry, service accounts for
 * OpenShift's components and for users' workloads, and a bucket that publishes an issuer.
 *
 * @module google
 * @packageDocumentation
 */

export {
  ArtifactRegistryRepository,
  artifactRegistry,
  gcrRepository,
  type ArtifactRegistryProps,
  type GcrRepositoryProps,
} from "./registry";
export type { ClusterPoolProps } from "./place";
export { ComponentServiceAccount } from "./component";
export type { ComponentNaming, ComponentOverride, ComponentServiceAccountProps, RoleSharing } from "./component-props";
export { componentServiceAccounts } from "./components";
export type { ComponentServiceAccountsProps } from "./components";
export { connectGatewaySpoke, type ConnectGatewaySpokeProps } from "./spoke";
export { FederatedServiceAccount, type FederatedServiceAccountProps } from "./identity";
export { gkeSpoke, type GkeSpokeProps } from "./spoke";
export type { ExistingGkeCluster } from "./spoke";
export { GoogleAccess, googleAccess, type GoogleAccessProps, type GoogleGrantee } from "./access";
export { IssuerBucket, type IssuerBucketProps } from "./issuer";
export { ManagedPool, type ManagedPoolProps } from "./pool";
export { OidcProvider } from "./provider";
export type { IOidcProvider, OidcProviderAttributes, OidcProviderProps } from "./provider-props";
export type { IPrincipals, PoolName } from "./pool";
export { ProjectRole, type ProjectRoleProps } from "./role";
export { PullBinding, type PullBindingProps } from "./pull";
export { pullPrincipals } from "./pull";
export type { PullPrincipalsProps } from "./pull";
export type { PullPoolProps } from "./place";
export { RoleBinding, type RoleBindingProps } from "./role";
export {
  WorkloadIdentityPool,
  type IWorkloadIdentityPool,
  type WorkloadIdentityPoolAttributes,
  type WorkloadIdentityPoolProps,
} from "./pool";
export { WorkloadServiceAccount } from "./workload";
export type { WorkloadCredentialProps, WorkloadServiceAccountProps } from "./workload";
export { workloadServiceAccounts, type WorkloadServiceAccountsProps } from "./workload";
export type { ComponentRightsOverride } from "../../rules/google/component";
export type { RoleCondition } from "../../rules/google/permission";
export type { CheckedRoleGrant, GoogleRoleGrant } from "../../rules/google/permission";
export type { GatewayRoleName } from "../../rules/google/spoke";
export type { AttributeCondition, AttributeConditionForm } from "../../rules/google/condition";
export type { AttributeMapping } from "../../rules/google/mapping";
export type { IssuerKey } from "../../model/issuer-keys";
export type { PublicJsonWebKey, PublicJsonWebKeySet } from "../../model/json-web-key";
export type { GcrHost } from "../../rules/google/registry";
