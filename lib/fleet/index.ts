/**
 * Fleet access: controllers of a hub enter spoke clusters with workload identity. ClusterProfiles with their status,
 * the controllers' list of access providers, plugins, identities, and what a spoke needs to admit the controllers.
 *
 * @module fleet
 * @packageDocumentation
 */

export { AccessProvidersFile, type AccessProvidersFileProps } from "./access-providers-file";
export { ClusterSecret, type ClusterSecretProps } from "./cluster-secret";
export { ClusterInventory, type ClusterInventoryProps } from "./cluster-inventory";
export { type ControllerIdentities, HubConsumer, type HubConsumerProps } from "./hub-consumer";
export { MultiKueueCluster, type MultiKueueClusterProps } from "./multi-kueue-cluster";
export {
  type SelfManagedSpoke,
  type SelfManagedSpokeProps,
  selfManagedSpoke,
  selfManagedUsers,
} from "./self-managed-spoke";
export { SpokeCluster, type SpokeClusterProps } from "./spoke-cluster";
export { SpokeRoleBinding, type SpokeRoleBindingProps } from "./spoke-role-binding";
export { StatusWriter, type StatusWriterProps } from "./status-writer";
export {
  type ControllerWorkload,
  type ISpokeAccess,
  type SpokeEndpoint,
  type SpokeEntry,
  type SpokeEntryRequest,
  type SpokeFacts,
  type SpokeParameters,
  type SpokeTrust,
  type SpokeUser,
} from "../model/fleet";
export { type HubAuthenticationProps, type HubUsers } from "../rules/fleet/authentication";
export {
  type ClusterProfileVersion,
  type Rejection,
  type SchemaResult,
  validateClusterProfile,
} from "../rules/fleet/cluster-profile-schema";
export { type FleetConsumer, type FleetConsumerKind, type ProviderListForm } from "../rules/fleet/consumer";
export {
  type ArgoCdProps,
  type ConsumerProps,
  type ControllerProps,
  type MultiKueueProps,
  argoCd,
  controller,
  knativeOperator,
  multiKueue,
} from "../rules/fleet/consumers";
export {
  type HubFacts,
  type MountedPlugin,
  type PluginSource,
  mountedPlugin,
} from "../rules/fleet/plugin-mount";
export { type FleetPluginKey } from "../rules/fleet/plugins";
export {
  type AccessProvider,
  type ExecConfig,
  type ExecEnvVar,
  type ProfileEnvPolicy,
} from "../rules/fleet/provider-list";
export { type ExecResolution, type ResolvedExec, resolveExec } from "../rules/fleet/resolve-exec";
