/**
 * Azure: pulls from container registries, OpenShift's components, workloads, and hosting of issuers; all of it with
 * user-assigned identities, federated trust and role assignments.
 *
 * @module azure
 * @packageDocumentation
 */

export { type AcrProps, type AcrSource, acr } from "./registry";
export { type PullIdentityAttributes } from "./pull-identity";
export { AzureAccess, type AzureAccessProps, azureAccess } from "./workload";
export { type AksSpokeProps, aksSpoke } from "./spoke";
export { type ExistingAksCluster } from "./spoke";
export { AksSpokeEntry, type AksSpokeEntryProps } from "./spoke";
export { ComponentIdentities, componentIdentities } from "./component";
export { type ComponentIdentitiesProps, type ComponentIdentitiesSettings } from "./component-props";
export { ComponentIdentity } from "./component-identity";
export { type ComponentIdentityProps, type IdentityAdoption } from "./component-props";
export { IssuerContainer, type IssuerContainerProps } from "./issuer-container";
export { type IssuerAdoption, type IssuerStorageProps } from "./issuer";
export { IssuerWebsite, type IssuerWebsiteProps } from "./issuer-website";
export { PullIdentities, pullIdentities } from "./pull";
export { type PullIdentitiesProps, type PullIdentitiesSettings } from "./pull-props";
export { PullIdentity, type PullIdentityProps } from "./pull-identity";
export { type IPullIdentity, type PullIdentityScope } from "./pull-identity";
export { type PullTrust } from "./identity";
export { type ResourceGroupMode } from "./place";
export { WorkloadIdentities, workloadIdentities } from "./workload";
export { type WorkloadIdentitiesProps, type WorkloadIdentitiesSettings } from "./workload";
export { WorkloadIdentity, type WorkloadIdentityProps } from "./workload";
export { type AccessRole } from "../../rules/azure/access";
export { type ComponentAdoption } from "../../rules/azure/adoption";
export { type ComponentNaming } from "../../rules/azure/component";
export { type ComponentOverride } from "../../rules/azure/component";
export { type AksAssignment, type AksRoleGrant, type AksRoleName } from "../../rules/azure/spoke";
export { type AzureCloudName } from "../../rules/azure/clouds";
export type { IssuerKey } from "../../model/issuer-keys";
export { type LoginServer } from "../../rules/azure/registry";
export { type RegistryPull, type RoleAssignmentMode } from "../../rules/azure/permission";
