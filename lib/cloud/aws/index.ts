/**
 * AWS: issuers in S3, OIDC providers, IAM roles that service accounts act as, and ECR.
 *
 * @module aws
 * @packageDocumentation
 */

export {
  type EcrHostOptions,
  type PrivateEcrHost,
  type PublicEcrHost,
  parseEcrHost,
} from "../../rules/aws/registry";
export { type Partition } from "../../rules/aws/partitions";
export { type ComponentNarrowing } from "../../rules/aws/narrowing";
export { type ComponentPermissionsOverride } from "../../rules/aws/component";
export { type ComponentNaming } from "../../rules/aws/component";
export { type ExistingDistribution } from "../../rules/aws/issuer";
export { type ConditionValue, type PolicyCondition } from "../../rules/aws/statement";
export { type PolicyStatement } from "../../rules/aws/statement";
export { type EcrGrant, type PrivateEcrGrant, type PublicEcrGrant } from "../../rules/aws/registry";
export { type AwsAccessProps, awsAccess } from "./access";
export { type AwsAccess } from "./aws-access";
export { type EksAuthenticationMode, type EksPolicyGrant } from "../../rules/aws/spoke";
export { type EksAccessPolicyName } from "../../rules/aws/spoke";
export { type EksSpokeProps, eksSpoke } from "./eks-spoke";
export { type ExistingEksCluster } from "./eks-spoke-cluster";
export { EksSpokeEntry, type EksSpokeEntryProps } from "./eks-spoke-entry";
export { ComponentRole } from "./component-role";
export {
  type ComponentOverride,
  type ComponentRoleProps,
  type ComponentRoleSettings,
  type ComponentRolesProps,
} from "./component-role-props";
export { componentRoles } from "./component-roles";
export { type EcrProps, type EcrPublicProps, ecr, ecrPublic } from "./ecr";
export { type EcrSource, type OwnerPolicy } from "./ecr-source";
export { type RolePlace } from "./federated-role-settings";
export { IssuerBucket } from "./issuer-bucket";
export {
  type AdoptedIssuerBucket,
  type IssuerBucketAccess,
  type IssuerBucketProps,
} from "./issuer-bucket-props";
export { IssuerDistribution } from "./issuer-distribution";
export { OidcProvider } from "./oidc-provider";
export {
  type EksClusterAttributes,
  type IOidcProvider,
  type KnownAudiences,
  type OidcProviderAttributes,
  type OidcProviderProps,
  type SharedOidcProviderProps,
} from "./oidc-provider-props";
export { PullRole } from "./pull-role";
export {
  type IPullRole,
  type PullRoleAttributes,
  type PullRoleProps,
  type PullRoleTrust,
} from "./pull-role-props";
export { pullRoles } from "./pull-roles";
export { type PullRolesProps } from "./pull-roles-props";
export { type RoleTrust, type SubjectWildcard } from "./role-trust";
export { WorkloadRole } from "./workload-role";
export { type WorkloadRoleProps } from "./workload-role-props";
export { workloadRoles } from "./workload-roles";
export { type WorkloadRolesProps } from "./workload-roles-props";
export { RepositoryPullPolicy, type RepositoryPullPolicyProps } from "./repository-pull-policy";
