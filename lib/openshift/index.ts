/**
 * OpenShift and OKD: facts of self-managed and hosted clusters, the objects that bring files to their nodes, and what
 * its components ask of a cloud.
 *
 * @module openshift
 * @packageDocumentation
 */

export { credentialsRequests, credentialsRequestsOf } from "./credentials-requests";
export { type HostedOpenShiftProps, hostedOpenShift } from "./hosted-openshift-cluster";
export { MachineConfig, type MachineConfigProps } from "./machine-config";
export { MachineConfigCarrier, type MachineConfigCarrierProps } from "./machine-config-carrier";
export { NodeDisruptionPolicy, type NodeDisruptionPolicyProps } from "./node-disruption-policy";
export { NodePoolCarrier, type NodePoolCarrierProps } from "./node-pool-carrier";
export { NodePoolConfigMap, type NodePoolConfigMapProps } from "./node-pool-config-map";
export { type CrioCredentialProviderProps, type OpenShiftProps, openShift } from "./openshift-cluster";
export { ServiceAccountIssuer, type ServiceAccountIssuerProps } from "./service-account-issuer";
export { UpgradeableTo, type UpgradeableToProps } from "./upgradeable-to";
export { readCredentialsRequests } from "../artefact/credentials-requests-folder";
export {
  type CredentialsRequest,
  type RequestSource,
  type SecretReference,
} from "../model/credentials-request";
export { type SourcedDocument } from "../model/sourced-document";
export {
  type CredentialsRequestSelection,
  type SkippedDocument,
} from "../rules/openshift/credentials-request-selection";
export { type CredentialsRequestFilter, type OpenShiftFeatureSet } from "../rules/openshift/request-filter";
export { joinedCredentialsRequests } from "../rules/openshift/joined-requests";
export { type OpenShiftPlatform } from "../rules/openshift/platforms";
