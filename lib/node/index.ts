/**
 * The kubelet's side: facts of a self-managed cluster, the CredentialProviderConfig, and files and flags as data.
 *
 * @module node
 * @packageDocumentation
 */

export {
  type CredentialProviderConfig,
  type CredentialProviderConfigProps,
  credentialProviderConfig,
  credentialProviderSetup,
} from "./credential-provider-config";
export { type CredentialProviderEntry, credentialProviderEntries } from "./credential-provider-entry";
export { type CredentialProviderSettings } from "./credential-provider-settings";
export { type KubernetesProps, kubernetes } from "./kubernetes-cluster";
export { PlainCarrier, type PlainCarrierProps } from "./kubernetes-cluster";
export { type PluginKey, type StatedPlugins } from "../rules/kubelet/node-facts";
export { type HostCarrierProps, type NodeTransport, cloudInit, k3s, rke2 } from "./carriers";
export type { NodePlaces, INodeCarrier } from "../model/node-carrier";
export type { NodeDocument } from "../model/node-document";
