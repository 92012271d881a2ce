/**
 * Google Cloud: workload identity pools and their OIDC providers, pulls from Artifact Registry, service accounts for
 * OpenShift's components and for users' workloads, and a bucket that publishes an issuer.
 *
 * @module google
 * @packageDocumentation
 */

export { GoogleAccess, googleAccess, type GoogleAccessProps, type GoogleGrantee } from "./access";
export { type IWorkloadServiceAccount, type WorkloadServiceAccountAttributes } from "./adopted";
export { gke, type GkeProps } from "./cluster";
export { ComponentServiceAccount } from "./component";
export type {
  ComponentNaming,
  ComponentOverride,
  ComponentServiceAccountProps,
  RoleSharing,
} from "./component-props";
export { componentServiceAccounts, type ComponentServiceAccountsProps } from "./components";
export { FederatedServiceAccount, type FederatedServiceAccountProps } from "./identity";
export { IssuerBucket, type IssuerBucketProps } from "./issuer";
export type { ClusterPoolProps, PoolProviderSettings } from "./place";
export {
  ManagedPool,
  WorkloadIdentityPool,
  type IPrincipals,
  type IWorkloadIdentityPool,
  type ManagedPoolProps,
  type PoolName,
  type PullPoolProps,
  type WorkloadIdentityPoolAttributes,
  type WorkloadIdentityPoolProps,
} from "./pool";
export type { AdoptableProps, DeclaredProps, UniverseProps } from "./props";
export { OidcProvider } from "./provider";
export type { IOidcProvider, OidcProviderAttributes, OidcProviderProps } from "./provider-props";
export { PullBinding, pullPrincipals, type PullBindingProps, type PullPrincipalsProps } from "./pull";
export {
  ArtifactRegistryRepository,
  artifactRegistry,
  gcrRepository,
  type ArtifactRegistryProps,
  type GcrRepositoryProps,
} from "./registry";
export { ProjectRole, RoleBinding, type ProjectRoleProps, type RoleBindingProps } from "./role";
export {
  connectGatewaySpoke,
  gkeSpoke,
  type ConnectGatewaySpokeProps,
  type ExistingGkeCluster,
  type GkeSpokeProps,
} from "./spoke";
export { certManager, externalDns, externalSecrets, fluxSourceController } from "./ready-permissions";
export {
  WorkloadServiceAccount,
  workloadServiceAccounts,
  type WorkloadServiceAccountProps,
  type WorkloadServiceAccountsProps,
} from "./workload";
export type { WorkloadCredentialProps } from "./props";
export type { IssuerKey } from "../../model/issuer-keys";
export type { PublicJsonWebKey, PublicJsonWebKeySet } from "../../model/json-web-key";
export type { ComponentRightsOverride } from "../../rules/google/component";
export type { AttributeCondition, AttributeConditionForm } from "../../rules/google/condition";
export type { AttributeMapping } from "../../rules/google/mapping";
export type { CheckedRoleGrant, GoogleRoleGrant, RoleCondition } from "../../rules/google/permission";
export type { DnsProjectProps, ExternalSecretsProps } from "../../rules/google/ready-permissions";
export type { FluxSourceControllerProps } from "../../rules/google/ready-permissions";
export type { GcrHost } from "../../rules/google/registry";
export type { GatewayRoleName } from "../../rules/google/spoke";
export type { RegistryStack } from "../shared/registry-stack";
