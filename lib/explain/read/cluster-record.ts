/*
 * Facts about a cluster that are not in manifests, from `workload-identity.json` or from the caller.
 */

import type { PluginFacts } from "../../model/cluster";
import type { Known } from "../../model/known";
import type { Json } from "../../model/parsed";
import type { Tree } from "../../model/tree";
import type { FleetConsumerKind } from "../../rules/fleet/consumer";
import type { RegistryFile, StatedRegistry } from "./registry-facts";
import type { Source } from "./source";

/** A pull that was declared. */
export interface DeclaredPull<Text = string> {
  /** `namespace/name`. */
  readonly serviceAccount: string;
  /** `<registry host>/<repository>`, `*` for any text in the repository. */
  readonly images: readonly Text[];
}

/** A component of OpenShift that was declared. */
export interface DeclaredComponent<Text = string, Rights = Json> {
  /** Key of the cloud. */
  readonly cloud: string;
  /** The Secret that it reads, `namespace/name`. */
  readonly secret: string;
  /** Its service accounts, `namespace/name` each. */
  readonly serviceAccounts: readonly string[];
  /** Path of the file with its token. */
  readonly tokenPath: string;
  /** The audience of its tokens. */
  readonly audience: string;
  /** The provider part of its request. */
  readonly asks: Json;
  /** The rights it was meant to get instead, in the same form; `undefined` if they are the same. */
  readonly intends: Rights | undefined;
  /** Why they differ; empty if no reason was given. */
  readonly reason: string;
  /** Where its rights apply. */
  readonly places: readonly Text[];
}

/** A workload that was declared. */
export interface DeclaredWorkload<Rights = Json> {
  /** `namespace/name`. */
  readonly serviceAccount: string;
  /** Key of the cloud. */
  readonly cloud: string;
  /** What it may do, in the form of a request's provider part; `undefined` if that is not recorded. */
  readonly asks: Rights | undefined;
}

/** A plugin on the nodes. */
export interface PluginRecord extends PluginFacts {
  /**
   * Names of its executable on these nodes, in addition to those that distributions use.
   *
   * @defaultValue - none
   */
  readonly names?: readonly string[];
}

/** The feature gates of a cluster. */
export interface RecordedGates {
  /**
   * Feature gates of kubelet and API server that differ from the defaults.
   *
   * @defaultValue - none
   */
  readonly featureGates?: Readonly<Record<string, boolean>>;
  /**
   * Feature gates of the kubelets only; they override `featureGates`.
   *
   * @defaultValue - `featureGates`
   */
  readonly kubeletFeatureGates?: Readonly<Record<string, boolean>>;
  /**
   * Feature gates of kube-apiserver only; they override `featureGates`.
   *
   * @defaultValue - `featureGates`
   */
  readonly apiServerFeatureGates?: Readonly<Record<string, boolean>>;
  /**
   * Names of feature gates whose recorded value is neither on nor off.
   *
   * @defaultValue - none
   */
  readonly unclearFeatureGates?: readonly string[];
}

/** Describes a cluster; any fact may be missing, and checks that need it then answer `unknown`. */
export interface ClusterRecord<Text = string, Rights = Json> extends RecordedGates {
  /**
   * Name of the cluster.
   *
   * @defaultValue - not known
   */
  readonly name?: string;
  /**
   * Name of the cluster in its cloud: `Prod_EU` in EKS.
   *
   * @defaultValue - `name`
   */
  readonly cloudName?: string;
  /**
   * Clouds whose pod identity webhook runs in the cluster, `aws` or `azure`.
   *
   * @defaultValue - not known, unless the issuer, the platform or the webhook's configuration shows it
   */
  readonly podIdentityWebhooks?: readonly string[];
  /**
   * `iss` of the cluster's service account tokens.
   *
   * @defaultValue - not known
   */
  readonly issuer?: Text;
  /**
   * Additional issuers whose tokens are still in use while the cluster moves to another issuer.
   *
   * @defaultValue - none
   */
  readonly additionalIssuers?: readonly Text[];
  /**
   * Kubelet minor version, `1.35`; if the library does not know its rules, checks that need them answer `unknown`.
   *
   * @defaultValue - the kubelet of the OpenShift version, or not known
   */
  readonly kubelet?: string;
  /**
   * Version of MicroShift, which decides whether it has settings for credential providers.
   *
   * @defaultValue - not MicroShift, or not known
   */
  readonly microShift?: string;
  /**
   * Minor version of kube-apiserver, `1.35`.
   *
   * @defaultValue - not known
   */
  readonly apiServer?: string;
  /**
   * Properties of registries that are in no manifest and may be missing from Terraform, by the registry's host:
   * `{ "acme.azurecr.io": { "roleAssignmentMode": "AbacRepositoryPermissions" } }`.
   *
   * @defaultValue - not known
   */
  readonly registries?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /**
   * Registries that decide by the token themselves, by host: whose tokens they accept, and whom they admit.
   *
   * @defaultValue - not known
   */
  readonly tokenRegistries?: Readonly<Record<string, StatedRegistry<Text>>>;
  /**
   * Plugins on the nodes, by `ecr`, `acr` and `gcp`, or the name of the executable.
   *
   * @defaultValue - not known
   */
  readonly plugins?: Readonly<Record<string, PluginRecord>>;
  /**
   * OpenShift version and platform, which decide which file the kubelet reads, and the node pools; for a hosted cluster
   * the NodePools whose nodes pull.
   *
   * @defaultValue - not OpenShift, or not known
   */
  readonly openShift?: {
    readonly version: string;
    readonly platform: string;
    readonly pools?: readonly string[];
    readonly nodePools?: readonly string[];
  };
  /**
   * The declared pulls.
   *
   * @defaultValue - none
   */
  readonly pulls?: readonly DeclaredPull<Text>[];
  /**
   * The declared components of OpenShift.
   *
   * @defaultValue - those whose Secrets or CredentialsRequests were read
   */
  readonly components?: readonly DeclaredComponent<Text, Rights>[];
  /**
   * The declared workloads.
   *
   * @defaultValue - those whose service accounts or pods name an identity
   */
  readonly workloads?: readonly DeclaredWorkload<Rights>[];
  /**
   * The declared fleet.
   *
   * @defaultValue - controllers and profiles that were read
   */
  readonly fleet?: DeclaredFleet<Text>;
}

/** A cluster that manifests may belong to. */
export interface ClusterCandidate {
  /** "the EKS cluster prod". */
  readonly title: string;
  readonly name: Known<string>;
  /** Of its tokens; absent if it publishes none. */
  readonly issuer: Known<string | undefined>;
  readonly source: Source;
}

/** A cluster's record with its late values followed. */
export interface ClusterFacts extends ClusterRecord<Known<string>, Tree> {
  /** Issuers that other stacks record for the cluster, but this one does not. @defaultValue - none */
  readonly issuersElsewhere?: readonly Known<string>[];
  /**
   * The clusters that were read, of which one may be this.
   * @defaultValue - it is stated which cluster this is, or no cluster was read
   */
  readonly candidates?: readonly ClusterCandidate[];
  /** Clouds whose pod identity webhook the cluster runs by its resource. @defaultValue - none */
  readonly webhooksOn?: ReadonlyMap<string, Source>;
  /**
   * Clouds whose pod identity webhook the cluster's resource leaves off; a Helm chart may still have installed it.
   * @defaultValue - none
   */
  readonly webhooksOff?: readonly string[];
  /** Configurations of registries. @defaultValue - none */
  readonly registryFiles?: readonly RegistryFile[];
}

/** A workload of the hub that opens connections to spokes, or reads their profiles. */
export interface DeclaredController {
  /** `Deployment argocd/argocd-server`. */
  readonly title: string;
  /** Its service account, `namespace/name`. */
  readonly serviceAccount: string;
  /** Name of the container that runs the plugin. */
  readonly container: string;
}

/** A spoke that was declared. */
export interface DeclaredSpoke<Text = string> {
  /** Key of its profile, `namespace/name`. */
  readonly profile: string;
  /** Key of its cloud; `kubernetes` if the spoke accepts the hub's own tokens. */
  readonly cloud: string;
  /** Its server; `undefined` if none is recorded, although it may have one. */
  readonly server: Text | undefined;
  /** The access provider that is written for it; empty if that is not recorded. */
  readonly provider: string;
  /** Id of the project that admits controllers; `undefined` if none is recorded. */
  readonly project: Text | undefined;
  /** Number of that project; `undefined` if none is recorded. */
  readonly projectNumber: Text | undefined;
}

/** A fleet that was declared. */
export interface DeclaredFleet<Text = string> {
  /** Display name of the controller. */
  readonly title: string;
  /** Which controller it is. */
  readonly kind: FleetConsumerKind;
  /** True if it waits for the condition ControlPlaneHealthy of profiles. */
  readonly needsHealthy: boolean;
  /** The ConfigMap with the list of access providers; empty for Kueue, whose configuration holds the list. */
  readonly configMap: string;
  /** Programs that the controller's image has on its PATH. */
  readonly onPath: readonly string[];
  /** True for an image with neither shell nor libraries. */
  readonly isDistroless: boolean;
  /** True if the feature gate for ClusterProfiles is set on the command line of Kueue's manager. */
  readonly gateByFlag: boolean;
  /** Path of each plugin's binary in its image, by the plugin's key. */
  readonly pluginPaths: ReadonlyMap<string, string>;
  /** The workloads that run the plugin. */
  readonly workloads: readonly DeclaredController[];
  /** The workload that reads profiles; `undefined` if it is not recorded. */
  readonly reader: DeclaredController | undefined;
  /** Clouds whose pod identity webhook runs on the hub; `undefined` if that is not recorded. */
  readonly webhooks: readonly string[] | undefined;
  /** Its spokes. */
  readonly spokes: readonly DeclaredSpoke<Text>[];
  /** Service accounts of the Jobs that write the profiles' status, `namespace/name`. */
  readonly statusWriters: readonly string[];
}
