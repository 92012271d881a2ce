/**
 * One synth, both worlds: composed constructs for whole jobs, manifests beside the Terraform configuration, and
 * the values that Terraform knows only after apply.
 *
 * @module synth
 * @packageDocumentation
 */

export { type ServiceAccountLine } from "./account-groups";
export { type BindProps, bind } from "./bind/bind-folder";
export { type ClusterManifests } from "./cluster-manifests";
export { ControlPlane, type ControlPlaneProps } from "./control-plane";
export { FleetAccess } from "./fleet-access";
export { type FleetAccessProps, type FleetHub, type FleetSpoke, type SpokeHub } from "./fleet-access-props";
export { type EnteredSpoke } from "./fleet-objects";
export { ImagePulls, type ImagePull, type ImagePullsProps } from "./image-pulls";
export { type PodIdentityWebhook } from "../model/cluster";
export { type GivenIssuer } from "../model/issuer";
export { LateValueResolver } from "./late-value-resolver";
export { Manifests, type ManifestsProps } from "./manifests";
export { PlatformComponents, type PlatformComponentsProps } from "./platform-components";
export { type TokenAudienceSettings } from "./pull-audience-grants";
export { StatedFacts, type StatedFactsProps } from "./stated-facts";
export {
  WorkloadAccess,
  type Workload,
  type WorkloadAccessProps,
  type WorkloadCluster,
} from "./workload-access";
