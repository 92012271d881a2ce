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
} from "./artifact-registry";
export { type ClusterPoolProps } from "./cluster-pool-props";
export { ComponentServiceAccount } from "./component-service-account";
export {
  type ComponentNaming,
  type ComponentOverride,
  type ComponentServiceAccountProps,
  type RoleSharing,
} from "./component-service-account-props";
export { componentServiceAccounts } from "./component-service-accounts";
export { type ComponentServiceAccountsProps } from "./component-service-accounts-props";
export { connectGatewaySpoke, type ConnectGatewaySpokeProps } from "./connect-gateway-spoke";
export { FederatedServiceAccount, type FederatedServiceAccountProps } from "./federated-service-account";
export { gkeSpoke, type GkeSpokeProps } from "./gke-spoke";
export { type ExistingGkeCluster } from "./gke-spoke-cluster";
export { GoogleAccess, googleAccess, type GoogleAccessProps, type GoogleGrantee } from "./google-access";
export { IssuerBucket, type IssuerBucketProps } from "./issuer-bucket";
export { ManagedPool, type ManagedPoolProps } from "./managed-pool";
export { OidcProvider } from "./oidc-provider";
export {
  type IOidcProvider,
  type OidcProviderAttributes,
  type OidcProviderProps,
} from "./oidc-provider-props";
export { type IPrincipals, type PoolName } from "./principals";
export { ProjectRole, type ProjectRoleProps } from "./project-role";
export { PullBinding, type PullBindingProps } from "./pull-binding";
export { pullPrincipals } from "./pull-principals";
export { type PullPoolProps, type PullPrincipalsProps } from "./pull-principals-props";
export { RoleBinding, type RoleBindingProps } from "./role-binding";
export {
  WorkloadIdentityPool,
  type IWorkloadIdentityPool,
  type WorkloadIdentityPoolAttributes,
  type WorkloadIdentityPoolProps,
} from "./workload-identity-pool";
export { WorkloadServiceAccount } from "./workload-service-account";
export {
  type WorkloadCredentialProps,
  type WorkloadServiceAccountProps,
} from "./workload-service-account-props";
export { workloadServiceAccounts, type WorkloadServiceAccountsProps } from "./workload-service-accounts";
export type { ComponentRightsOverride } from "../../rules/google/component";
export type { RoleCondition } from "../../rules/google/permission";
export type { CheckedRoleGrant, GoogleRoleGrant } from "../../rules/google/permission";
export type { GatewayRoleName } from "../../rules/google/spoke";
export type { AttributeCondition, AttributeConditionForm } from "../../rules/google/condition";
export type { AttributeMapping } from "../../rules/google/mapping";
export type { IssuerKey } from "../../model/issuer-keys";
export type { PublicJsonWebKey, PublicJsonWebKeySet } from "../../model/json-web-key";
export type { GcrHost } from "../../rules/google/registry";
