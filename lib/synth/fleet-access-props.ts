import type { Construct } from "constructs";
import type { FleetConsumer, HubConsumerProps, SpokeClusterProps, StatusWriterProps } from "../fleet";
import { type ClusterProfileVersion, clusterProfileVersions } from "../rules/fleet/cluster-profile-schema";
import { type ISpokeAccess, SPOKE_ACCESS } from "../model/fleet";
import { type GivenIssuer, type Issuer, ISSUER } from "../model/issuer";
import type { Subject } from "../model/subject";
import { type IWorkloadIdentities, WORKLOAD_IDENTITIES } from "../model/workloads";
import {
  type ObjectKind,
  boolean,
  choice,
  either,
  list,
  method,
  object,
  optional,
  record,
  text,
} from "../model/shape";
import { type PodIdentityWebhook, POD_IDENTITY_WEBHOOKS, orCluster } from "../model/cluster";
import { STATUS_WRITER_PROPS } from "../fleet/status-writer";
import { FLEET_CONSUMER } from "../rules/fleet/consumer";
import { SPOKE_CLUSTER_PROPS } from "../fleet/spoke-cluster";
import { HUB_CONSUMER_PROPS } from "../fleet/hub-consumer";

/** The cluster that the controllers run in; `openShift()` and `kubernetes()` return suitable facts. */
export interface FleetHub {
  /** DNS label; the names of the controllers' identities begin with it. */
  readonly name: string;
  /** Issuer of the hub's service account tokens; clouds and self-managed spokes must be able to reach it. */
  readonly issuer: GivenIssuer;
  /** Kubernetes version of the hub, for example `1.35`; it decides how plugins are mounted. */
  readonly apiServer: string;
  /**
   * Feature gates of the kubelets and the API server that differ from the defaults; only `ImageVolume` matters here.
   *
   * @defaultValue - none
   */
  readonly featureGates?: Readonly<Record<string, boolean>>;
  /**
   * Pod identity webhooks that run on the hub: `aws` on EKS and on OpenShift on AWS, `azure` on AKS with workload
   * identity and on OpenShift on Azure, or those that you installed. They add the token and the environment variables
   * to the controllers' pods.
   *
   * @defaultValue - none: the patches of the workloads add the token and the variables
   */
  readonly podIdentityWebhooks?: readonly PodIdentityWebhook[];
}

const FLEET_HUB: ObjectKind<FleetHub> = object({
  name: text,
  issuer: ISSUER,
  apiServer: text,
  featureGates: optional(record(boolean)),
  podIdentityWebhooks: optional(POD_IDENTITY_WEBHOOKS),
});

/** Facts of the hub that a self-managed spoke needs, under the property names of `selfManagedSpoke()`. */
export interface SpokeHub {
  /** Name of the hub. */
  readonly hub: string;
  /** Name of the spoke. */
  readonly spoke: string;
  /** Issuer of the hub's tokens. */
  readonly issuer: Issuer;
  /**
   * The consumer's service accounts that open connections. If another controller of the hub enters the same spoke, give
   * `selfManagedSpoke()` the service accounts of both, in both stacks.
   */
  readonly serviceAccounts: readonly Subject[];
}

/** A spoke: its address, how it admits the controllers, and what they may do there. */
export interface FleetSpoke extends Omit<SpokeClusterProps, "access" | "name"> {
  /** Name of the spoke, and of its ClusterProfile. */
  readonly name: string;
  /**
   * `eksSpoke()`, `aksSpoke()`, `gkeSpoke()`, `connectGatewaySpoke()`, or a function of the hub that returns one, such
   * as `(hub) => selfManagedSpoke({ ...hub, … })`.
   */
  readonly access: ISpokeAccess<Construct> | ((hub: SpokeHub) => ISpokeAccess<Construct>);
  /**
   * Name of an existing ClusterRole of the spoke to bind the controllers to; choose one no wider than their job.
   *
   * @defaultValue - none; only allowed if the cloud itself gives the controllers their rights
   */
  readonly clusterRole?: string;
  /**
   * Namespaces of the spoke in which the ClusterRole is bound.
   *
   * @defaultValue - the whole spoke
   */
  readonly namespaces?: readonly string[];
}

const { access: _, name: __, ...OF_SPOKE } = SPOKE_CLUSTER_PROPS.shape;

const FLEET_SPOKE: ObjectKind<FleetSpoke> = object({
  ...OF_SPOKE,
  name: text,
  access: either(SPOKE_ACCESS, method),
  clusterRole: optional(text),
  namespaces: optional(list(text)),
});

/** Properties of {@link FleetAccess}; plugins and the list of providers work as in `HubConsumer`. */
export interface FleetAccessProps extends Pick<
  HubConsumerProps,
  "plugins" | "pluginByCloud" | "additionalProviders" | "kueueConfiguration"
> {
  /** The hub. */
  readonly hub: FleetHub;
  /** The controller that enters the spokes: `argoCd()`, `multiKueue()`, `knativeOperator()` or `controller()`. */
  readonly consumer: FleetConsumer;
  /** The spokes, in the order that the list of providers will have. */
  readonly spokes: readonly FleetSpoke[];
  /**
   * How the controllers' identities are made, one entry per cloud of the spokes: `workloadRoles()`,
   * `workloadIdentities()`, `workloadServiceAccounts()`.
   *
   * @defaultValue - none; enough for self-managed spokes
   */
  readonly identities?: readonly IWorkloadIdentities<Construct>[];
  /** Name of the manager of the profiles, your choice, for example `platform-iac`. It cannot be changed later. */
  readonly clusterManager: string;
  /**
   * An existing namespace of the hub for the profiles; Argo CD and MultiKueue read only their own namespace.
   *
   * @defaultValue - the namespace that the consumer reads, otherwise the consumer's own
   */
  readonly namespace?: string;
  /**
   * Version of the ClusterProfile API; the objects' fields are valid in both versions.
   *
   * @defaultValue "v1alpha1"
   */
  readonly apiVersion?: ClusterProfileVersion;
  /**
   * Adds a Job per spoke that writes the profile's status, for tools that cannot apply a status (Argo CD, Flux).
   *
   * @defaultValue - no Job; the status is a separate manifest for `kubectl apply --subresource=status`
   */
  readonly statusWriter?: Omit<StatusWriterProps, "spoke">;
  /**
   * Whether `app.synth()` fails if the verifier finds in the written files that a controller could not enter a spoke.
   * With `false` the files are kept regardless. To skip the proof for all constructs, set the app's context
   * `cdktf-workload-identity/proof` to `false`, or use cdktf's `skipValidation`.
   *
   * @defaultValue true
   */
  readonly proof?: boolean;
}

const CONSUMER = HUB_CONSUMER_PROPS.shape;
const { spoke: ___, ...OF_WRITER } = STATUS_WRITER_PROPS.shape;

export const FLEET_ACCESS_PROPS: ObjectKind<FleetAccessProps> = object({
  plugins: CONSUMER.plugins,
  pluginByCloud: CONSUMER.pluginByCloud,
  additionalProviders: CONSUMER.additionalProviders,
  kueueConfiguration: CONSUMER.kueueConfiguration,
  hub: orCluster(FLEET_HUB),
  consumer: FLEET_CONSUMER,
  spokes: list(FLEET_SPOKE),
  identities: optional(list(WORKLOAD_IDENTITIES)),
  clusterManager: text,
  namespace: optional(text),
  apiVersion: optional(choice(clusterProfileVersions)),
  statusWriter: optional(object(OF_WRITER)),
  proof: optional(boolean),
});
