/**
 * Azure: pulls from container registries, OpenShift's components, workloads, and hosting of issuers; all of it with
 * user-assigned identities, federated trust and role assignments.
 *
 * @module azure
 * @packageDocumentation
 */

export { type AcrProps, type AcrSource, acr } from "./acr";
export { type PullIdentityAttributes } from "./adopted-pull-identity";
export { AzureAccess, type AzureAccessProps, azureAccess } from "./azure-access";
export { type AksSpokeProps, aksSpoke } from "./aks-spoke";
export { type ExistingAksCluster } from "./aks-spoke-cluster";
export { AksSpokeEntry, type AksSpokeEntryProps } from "./aks-spoke-entry";
export { ComponentIdentities, componentIdentities } from "./component-identities";
export {
  type ComponentIdentitiesProps,
  type ComponentIdentitiesSettings,
} from "./component-identities-props";
export { ComponentIdentity } from "./component-identity";
export { type ComponentIdentityProps, type IdentityAdoption } from "./component-identity-props";
export { IssuerContainer, type IssuerContainerProps } from "./issuer-container";
export { type IssuerAdoption, type IssuerStorageProps } from "./issuer-storage-props";
export { IssuerWebsite, type IssuerWebsiteProps } from "./issuer-website";
export { PullIdentities, pullIdentities } from "./pull-identities";
export { type PullIdentitiesProps, type PullIdentitiesSettings } from "./pull-identities-props";
export { PullIdentity, type PullIdentityProps } from "./pull-identity";
export { type IPullIdentity, type PullIdentityScope } from "./pull-identity-base";
export { type PullTrust } from "./trust";
export { type ResourceGroupMode } from "./resource-groups";
export { WorkloadIdentities, workloadIdentities } from "./workload-identities";
export { type WorkloadIdentitiesProps, type WorkloadIdentitiesSettings } from "./workload-identities-props";
export { WorkloadIdentity, type WorkloadIdentityProps } from "./workload-identity";
export { type AccessRole } from "../../rules/azure/roles";
export { type ComponentAdoption } from "../../rules/azure/component-adoption";
export { type ComponentNaming } from "../../rules/azure/component-names";
export { type ComponentOverride } from "../../rules/azure/component-plan";
export { type AksAssignment, type AksRoleGrant, type AksRoleName } from "../../rules/azure/spoke";
export { type AzureCloudName } from "../../rules/azure/clouds";
export type { IssuerKey } from "../../model/issuer-keys";
export { type LoginServer } from "../../rules/azure/registry";
export { type RegistryPull, type RoleAssignmentMode } from "../../rules/azure/permission";
