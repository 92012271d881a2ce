/**
 * The kubelet's side: facts of a self-managed cluster, its CredentialProviderConfig, and files and flags for the nodes.
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
export { type PluginKey } from "../model/image-credential-provider";
export { type StatedPlugins } from "../rules/kubelet/node-facts";
export { CredentialProviderConfigAlert, type CredentialProviderConfigAlertProps } from "./config-alert";
export { type Ec2NodeClassProps, type NodeadmProps, ec2NodeClass, nodeadm } from "./eks-carriers";
export { type HostCarrierProps, type MicroShiftProps, k3s, microShift, rke2 } from "./distribution-carriers";
export {
  type KubeadmConfigTemplateProps,
  type KubeadmProps,
  kubeadm,
  kubeadmConfigTemplate,
} from "./kubeadm-carriers";
export { type KopsProps, kops } from "./kops-carrier";
export { type TalosProps, talos } from "./talos-carrier";
export { type ButaneProps, butane, cloudInit, ignition } from "./transports";
export type { INodeCarrier, NodePlaces } from "../model/node-carrier";
export type { NodeDocument } from "../model/node-document";
export type { NodeTransport } from "../rules/node/form";
export { type UserDataPart } from "../rules/node/nodeadm";
