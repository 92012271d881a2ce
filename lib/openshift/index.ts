/**
 * OpenShift and OKD: facts of self-managed and hosted clusters, the objects that bring files to their nodes, and the
 * cloud permissions that their components request.
 *
 * @module openshift
 * @packageDocumentation
 */

export { type CloudName } from "../model/clouds";
export { credentialsRequests, credentialsRequestsOf } from "./credentials-requests";
export { type HostedOpenShiftProps, hostedOpenShift } from "./clusters";
export { CrioCredentialProviderConfig, type CrioCredentialProviderConfigProps } from "./mirror-credentials";
export { MachineConfig, type MachineConfigProps } from "./machine-config";
export { MachineConfigCarrier, type MachineConfigCarrierProps } from "./carriers";
export { NodeDisruptionPolicy, type NodeDisruptionPolicyProps } from "./machine-config";
export { NodePoolCarrier, type NodePoolCarrierProps } from "./carriers";
export { NodePoolConfigMap, type NodePoolConfigMapProps } from "./machine-config";
export { type CrioCredentialProviderProps, type OpenShiftProps, openShift } from "./clusters";
export { ServiceAccountIssuer, type ServiceAccountIssuerProps } from "./cluster-settings";
export { UpgradeableTo, type UpgradeableToProps } from "./cluster-settings";
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
export {
  type CredentialsRequestFilter,
  type OpenShiftFeatureSet,
} from "../rules/openshift/credentials-request-selection";
export { joinedCredentialsRequests } from "../rules/openshift/two-releases";
export { type OpenShiftPlatform } from "../rules/openshift/versions";
