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
import { orCluster } from "../model/cluster";
import { STATUS_WRITER_PROPS } from "../fleet/status-writer";
import { FLEET_CONSUMER } from "../rules/fleet/consumer";
import { SPOKE_CLUSTER_PROPS } from "../fleet/spoke-cluster";
import { HUB_CONSUMER_PROPS } from "../fleet/hub-consumer";

/** A cloud whose webhook gives pods of annotated service accounts a token. */
export type PodIdentityWebhook = "aws" | "azure";

/** The cluster that the controllers run in; the facts of `openShift()` and `kubernetes()` fit as well. */
export interface FleetHub {
  /** DNS label; begins the names of the controllers' identities. */
  readonly name: string;
  /** Who signs the hub's service account tokens; clouds, and self-managed spokes, must reach it. */
  readonly issuer: GivenIssuer;
  /** Kubernetes version of the hub, `1.35`; it decides how plugins are mounted. */
  readonly apiServer: string;
  /**
   * Feature gates of kubelets and API server that differ from the defaults; `ImageVolume` counts here.
   *
   * @defaultValue - none
   */
  readonly featureGates?: Readonly<Record<string, boolean>>;
  /**
   * Pod identity webhooks that run on the hub: `aws` on EKS and on OpenShift on AWS, `azure` on AKS with workload
   * identity and on OpenShift on Azure, or those that you installed. They add token and variables to the controllers'
   * pods.
   *
   * @defaultValue - none: the patches of the workloads hold token and variables themselves
   */
  readonly podIdentityWebhooks?: readonly PodIdentityWebhook[];
}

const FLEET_HUB: ObjectKind<FleetHub> = object({
  name: text,
  issuer: ISSUER,
  apiServer: text,
  featureGates: optional(record(boolean)),
  podIdentityWebhooks: optional(list(choice(["aws", "azure"]))),
});

/** What a self-managed spoke must be told of the hub, with the names that `selfManagedSpoke()` takes. */
export interface SpokeHub {
  /** Name of the hub. */
  readonly hub: string;
  /** Name of the spoke. */
  readonly spoke: string;
  /** Issuer of the hub's tokens. */
  readonly issuer: Issuer;
  /**
   * The consumer's service accounts, each of which opens connections. Where another controller of the hub enters the
   * spoke as well, give `selfManagedSpoke()` those of both, in the stacks of both.
   */
  readonly serviceAccounts: readonly Subject[];
}

/** One spoke: where it is, who lets the controllers in, and what they may do there. */
export interface FleetSpoke extends Omit<SpokeClusterProps, "access" | "name"> {
  /** Name of the spoke, and of its ClusterProfile. */
  readonly name: string;
  /**
   * `eksSpoke()`, `aksSpoke()`, `gkeSpoke()`, `connectGatewaySpoke()`, or a function of the hub that returns one, such
   * as `(hub) => selfManagedSpoke({ ...hub, … })`.
   */
  readonly access: ISpokeAccess<Construct> | ((hub: SpokeHub) => ISpokeAccess<Construct>);
  /**
   * Name of an existing ClusterRole of the spoke that the controllers are bound to, no wider than their job.
   *
   * @defaultValue - none; right where the cloud itself gives them their rights, refused elsewhere
   */
  readonly clusterRole?: string;
  /**
   * Namespaces of the spoke in which the ClusterRole holds.
   *
   * @defaultValue - in all of the spoke
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

/** What a {@link FleetAccess} says; plugins and list of providers as in `HubConsumer`. */
export interface FleetAccessProps extends Pick<
  HubConsumerProps,
  "plugins" | "pluginByCloud" | "additionalProviders" | "kueueConfiguration"
> {
  /** The hub. */
  readonly hub: FleetHub;
  /** The controller that enters the spokes: `argoCd()`, `multiKueue()`, `knativeOperator()` or `controller()`. */
  readonly consumer: FleetConsumer;
  /** The spokes, in the order of the list of providers. */
  readonly spokes: readonly FleetSpoke[];
  /**
   * How the controllers' identities are made, one per cloud of the spokes: `workloadRoles()`, `workloadIdentities()`,
   * `workloadServiceAccounts()`.
   *
   * @defaultValue - none; enough for self-managed spokes
   */
  readonly identities?: readonly IWorkloadIdentities<Construct>[];
  /** Who writes the profiles: a name of your own, for example `platform-iac`. It cannot be changed later. */
  readonly clusterManager: string;
  /**
   * An existing namespace of the hub for the profiles; Argo CD and MultiKueue read those of their own alone.
   *
   * @defaultValue - the one that the consumer reads, or its own
   */
  readonly namespace?: string;
  /**
   * Version of the ClusterProfile API. What is written is valid under both.
   *
   * @defaultValue "v1alpha1"
   */
  readonly apiVersion?: ClusterProfileVersion;
  /**
   * A Job per spoke that writes the status, for hubs that are filled by a tool which cannot (Argo CD, Flux).
   *
   * @defaultValue - no Job; the status is a manifest of its own, for `kubectl apply --subresource=status`
   */
  readonly statusWriter?: Omit<StatusWriterProps, "spoke">;
  /**
   * Whether `app.synth()` ends with an error where the verifier finds, in the files that were written, that a controller
   * would not get into a spoke.
   * With `false` they are written whatever they hold. The app's context
   * `cdktf-workload-identity/proof` with `false`, or cdktf's `skipValidation`, leaves it out for all.
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
