/**
 * OpenShift and OKD: facts of self-managed and hosted clusters, and the objects that bring files to their nodes.
 *
 * @packageDocumentation
 */

export { type HostedOpenShiftProps, hostedOpenShift } from "./hosted-openshift-cluster";
export { MachineConfig, type MachineConfigProps } from "./machine-config";
export { MachineConfigCarrier, type MachineConfigCarrierProps } from "./machine-config-carrier";
export { NodeDisruptionPolicy, type NodeDisruptionPolicyProps } from "./node-disruption-policy";
export { NodePoolCarrier, type NodePoolCarrierProps } from "./node-pool-carrier";
export { NodePoolConfigMap, type NodePoolConfigMapProps } from "./node-pool-config-map";
export { type CrioCredentialProviderProps, type OpenShiftProps, openShift } from "./openshift-cluster";
export { type OpenShiftPlatform } from "../rules/openshift/platforms";
