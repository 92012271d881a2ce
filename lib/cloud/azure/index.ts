/**
 * Pulls from Azure container registries: identities with federated trust, role assignments, the plugin's files.
 *
 * @packageDocumentation
 */

export { type AcrProps, type AcrSource, acr } from "./acr";
export { type PullIdentityAttributes } from "./adopted-pull-identity";
export { PullIdentities, pullIdentities } from "./pull-identities";
export { type PullIdentitiesProps, type PullIdentitiesSettings } from "./pull-identities-props";
export { PullIdentity, type PullIdentityProps } from "./pull-identity";
export { type IPullIdentity, type PullIdentityScope, type PullTrust } from "./pull-identity-base";
export { type AzureCloudName } from "../../rules/azure/clouds";
export { type LoginServer } from "../../rules/azure/login-server";
export { type RegistryPull, type RoleAssignmentMode } from "../../rules/azure/pull-permission";
