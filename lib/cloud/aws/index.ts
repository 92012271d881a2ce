/**
 * AWS: issuers in S3, OIDC providers, IAM roles for service accounts, and ECR.
 *
 * @module aws
 * @packageDocumentation
 */

export { type ComponentPermissionsOverride, type ComponentNaming } from "../../rules/aws/component";
export { type ExistingDistribution } from "../../rules/aws/distribution";
export { type ComponentNarrowing } from "../../rules/aws/narrowing";
export { type Partition } from "../../rules/aws/partitions";
export { type EcrGrant, type PrivateEcrGrant, type PublicEcrGrant } from "../../rules/aws/permission";
export {
  type ConditionValue,
  type PolicyCondition,
  type PolicyStatement,
} from "../../rules/aws/policy-document";
export {
  type EcrHostOptions,
  type PrivateEcrHost,
  type PublicEcrHost,
  parseEcrHost,
} from "../../rules/aws/registry";
export {
  type EksAuthenticationMode,
  type EksPolicyGrant,
  type EksAccessPolicyName,
} from "../../rules/aws/spoke";
export { eks, type EksProps } from "./cluster";
export { ComponentRole, componentRoles } from "./component";
export {
  type ComponentOverride,
  type ComponentRoleProps,
  type ComponentRoleSettings,
  type ComponentRolesProps,
} from "./component-props";
export { IssuerBucket, IssuerDistribution } from "./issuer";
export { type AdoptedIssuerBucket, type IssuerBucketAccess, type IssuerBucketProps } from "./issuer-props";
export { RepositoryPullPolicy, type RepositoryPullPolicyProps } from "./owner-policies";
export { OidcProvider } from "./provider";
export {
  type EksClusterAttributes,
  type IOidcProvider,
  type KnownAudiences,
  type OidcProviderAttributes,
  type OidcProviderFacts,
  type OidcProviderProps,
  type SharedOidcProviderProps,
} from "./provider-props";
export {
  type PodIdentity,
  type PodIdentityCluster,
  type PodIdentitySession,
  type WorkloadPodIdentity,
} from "./pod-identity";
export { PullRole, pullRoles } from "./pull";
export { type PullRoleProps, type PullRoleTrust, type PullRolesProps } from "./pull";
export { type PullRoleAttributes } from "./adopted";
export { type IPullRole, type IWorkloadRole } from "./role-props";
export { type EcrProps, type EcrPublicProps, ecr, ecrPublic } from "./registry";
export { type EcrSource, type IRegistryOwner, type OwnerPolicy } from "./registry-source";
export {
  type AccountRolesProps,
  type RolePlace,
  type RoleTrust,
  type SubjectWildcard,
  type TrustingRoleProps,
} from "./role-props";
export { type KarpenterProps } from "../../rules/aws/karpenter";
export {
  type EbsCsiDriverProps,
  type ExternalSecretsProps,
  type FluxSourceControllerProps,
  type HostedZonesProps,
} from "../../rules/aws/ready-permissions";
export { type TaggedClusterProps } from "../../rules/aws/ready-statements";
export {
  certManager,
  clusterAutoscaler,
  ebsCsiDriver,
  externalDns,
  externalSecrets,
  fluxSourceController,
  karpenter,
  loadBalancerController,
} from "./ready-permissions";
export { SharedRegistry, type SharedRegistryProps } from "./shared-registry";
export { type EksSpokeProps, eksSpoke, type ExistingEksCluster } from "./spoke";
export { awsAccess, WorkloadRole, workloadRoles } from "./workload";
export {
  type AwsAccess,
  type AwsAccessProps,
  type WorkloadRoleAdoption,
  type WorkloadRoleProps,
  type WorkloadRolesProps,
} from "./workload-props";
export { type AwsProps } from "./props";
