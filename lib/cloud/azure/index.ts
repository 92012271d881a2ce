/**
 * Azure: pulls from container registries, OpenShift's components, workloads and spokes, with user-assigned identities,
 * federated trust and role assignments; and hosting of issuers.
 *
 * @module azure
 * @packageDocumentation
 */

export { aks, type AksProps } from "./cluster";
export { type AcrProps, type AcrSource, acr } from "./registry";
export { type AksSpokeProps, aksSpoke } from "./spoke";
export { type ExistingAksCluster } from "./spoke";
export { ComponentIdentities, componentIdentities } from "./component";
export { ComponentIdentity } from "./component";
export { type ComponentIdentitiesProps, type ComponentIdentitiesSettings } from "./component-props";
export { type ComponentIdentityProps } from "./component-props";
export { type DeclaredIdentityProps, type IdentitySettings, type PullTrust } from "./identity";
export { IdentityBinding, type IdentityBindingProps } from "./identity-binding";
export {
  type BoundIdentity,
  type IdentityBindingCluster,
  type WorkloadIdentityBinding,
} from "./identity-binding";
export { type IssuerAdoption, type IssuerStorageProps } from "./issuer";
export { IssuerContainer, type IssuerContainerProps } from "./issuer-container";
export { IssuerWebsite, type IssuerWebsiteProps } from "./issuer-website";
export { type ResourceGroupMode } from "./place";
export { PullIdentities, pullIdentities } from "./pull";
export { type IPullIdentity, type IWorkloadIdentity } from "./adopted";
export { type PullIdentityAttributes, type PullIdentityScope } from "./adopted";
export { PullIdentity, type PullIdentityProps } from "./pull";
export { type PullIdentitiesProps, type PullIdentitiesSettings } from "./pull";
export { argoCdRepoServer, certManager, externalDns, externalSecrets } from "./ready-permissions";
export { fluxSourceController } from "./ready-permissions";
export { AzureAccess, type AzureAccessProps, azureAccess } from "./access";
export { WorkloadIdentities, type WorkloadIdentitiesProps, workloadIdentities } from "./workload";
export { WorkloadIdentity } from "./workload";
export { type WorkloadIdentitiesSettings, type WorkloadIdentityProps } from "./workload-props";
export type { IssuerKey } from "../../model/issuer-keys";
export { type AccessRole } from "../../rules/azure/access";
export {
  type ComponentAdoption,
  type IdentityAdoption,
  type WorkloadIdentityAdoption,
} from "../../rules/azure/adoption";
export { type AzureCloudName } from "../../rules/azure/clouds";
export { type ComponentNaming, type ComponentOverride } from "../../rules/azure/component";
export { type RegistryPull, type RoleAssignmentMode } from "../../rules/azure/permission";
export {
  type ContainerRegistriesProps,
  type DnsZonesProps,
  type ExternalDnsProps,
  type ExternalSecretsProps,
} from "../../rules/azure/ready-permissions";
export { type LoginServer } from "../../rules/azure/registry";
export { type AksAssignment, type AksRoleGrant, type AksRoleName } from "../../rules/azure/spoke";
export type { RegistryStack } from "../shared/registry-stack";
