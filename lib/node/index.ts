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
export { type StatedPlugins } from "../rules/kubelet/node-facts";
export { CredentialProviderConfigAlert, type CredentialProviderConfigAlertProps } from "./config-alert";
export { type HostCarrierProps } from "./carriers/host";
export { type KopsProps, kops } from "./carriers/kops";
export {
  type KubeadmConfigTemplateProps,
  type KubeadmProps,
  kubeadm,
  kubeadmConfigTemplate,
} from "./carriers/kubeadm";
export { type MicroShiftProps, microShift } from "./carriers/microshift";
export { type Ec2NodeClassProps, type NodeadmProps, ec2NodeClass, nodeadm } from "./carriers/nodeadm";
export { PlainCarrier, type PlainCarrierProps } from "./carriers/plain";
export { k3s, rke2 } from "./carriers/rancher";
export { type TalosProps, talos } from "./carriers/talos";
export { type ButaneProps, butane, cloudInit, ignition } from "./transports";
export type { INodeCarrier, NodePlaces } from "../model/node-carrier";
export type { NodeDocument } from "../model/node-document";
export type { NodeTransport } from "../rules/node/form";
export { type UserDataPart } from "../rules/node/nodeadm";
