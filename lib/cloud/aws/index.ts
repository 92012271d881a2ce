/**
 * AWS: OIDC providers, IAM roles that service accounts pull as, and ECR.
 *
 * @packageDocumentation
 */

export {
  type EcrHostOptions,
  type PrivateEcrHost,
  type PublicEcrHost,
  parseEcrHost,
} from "../../rules/aws/ecr-host";
export { type Partition } from "../../rules/aws/partitions";
export { type PolicyStatement } from "../../rules/aws/policy-document";
export { type EcrGrant, type PrivateEcrGrant, type PublicEcrGrant } from "../../rules/aws/pull-permissions";
export { type EcrProps, type EcrPublicProps, ecr, ecrPublic } from "./ecr";
export { type EcrSource, type OwnerPolicy } from "./ecr-source";
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
  type SubjectWildcard,
} from "./pull-role-props";
export { pullRoles } from "./pull-roles";
export { type PullRolesProps } from "./pull-roles-props";
export { RepositoryPullPolicy, type RepositoryPullPolicyProps } from "./repository-pull-policy";
