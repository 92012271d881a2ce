import { type Problem, refusal } from "../errors";
import { type Issuer, CHECKED_ISSUER } from "./issuer";
import { type INodeCarrier, NODE_CARRIER } from "./node-carrier";
import type { NodeFile } from "./node-file";
import { isRecord } from "./record";
import {
  type ObjectKind,
  type Kind,
  anyObject,
  like,
  list,
  method,
  object,
  optional,
  record,
  text,
} from "./shape";

/** What is known of one credential provider plugin on the nodes. */
export interface PluginFacts {
  /**
   * Version of the plugin, for example `1.35.2`.
   *
   * @defaultValue - unknown; what depends on it is refused or left as unknown
   */
  readonly version?: string;
  /**
   * Abilities that no released version number proves, for example `custom-pools` of a Google plugin built with
   * `--sts-audience`.
   *
   * @defaultValue - none
   */
  readonly abilities?: readonly string[];
  /**
   * Why this plugin cannot be used on these nodes at all; used in the refusal.
   *
   * @defaultValue - it can
   */
  readonly unusable?: string;
  /**
   * Where nodes fetch the plugin from; the same file under each name that the configuration has for it.
   *
   * @defaultValue - the nodes have it
   */
  readonly source?: PluginSource;
}

/** A file that nodes fetch and make executable. */
export interface PluginSource {
  /** `https://…`, of the nodes' own platform. */
  readonly url: string;
  /** SHA-256 of the file, 64 hexadecimal digits in lower case; a node does not use another file. */
  readonly sha256: string;
}

/** The entry that a distribution's nodes have for one plugin before this library changes it. */
export interface StockCredentialProvider {
  /** File name of the executable in the distribution's plugin directory. */
  readonly name: string;
  /** The distribution's own patterns; kept unless stated otherwise. */
  readonly matchImages: readonly string[];
  /** The distribution's own arguments; kept unless the cloud brings its own. */
  readonly args: readonly string[];
  /** The distribution's own duration, for example `12h`. */
  readonly defaultCacheDuration: string;
  /**
   * Where the nodes pull their own images with this entry, as on EKS, it stays, and the service account tokens go into an
   * entry beside it.
   *
   * @defaultValue - the tokens go into this entry
   */
  readonly beside?: EntryBeside;
}

/** An entry for service account tokens that stands beside the distribution's own. */
export interface EntryBeside {
  /** File name of its executable. */
  readonly name: string;
  /** What puts that executable into the plugin directory. */
  readonly files: readonly NodeFile[];
  /**
   * Patterns of what nodes pull with their own identity in strict mode; `undefined` where they are not known, and strict
   * mode is refused.
   */
  readonly nodeImages: readonly string[] | undefined;
  /** How to state what is not known, for the refusal. */
  readonly remedy: string;
}

/** The facts of one cluster that decide what is written; made by a function per distribution. */
export interface ClusterFacts {
  /** DNS label; becomes part of the names of roles and identities. */
  readonly name: string;
  /** `kubernetes`, `openshift` or `openshift-hosted`. */
  readonly distribution: string;
  /** Who signs the cluster's service account tokens. */
  readonly issuer: Issuer;
  /** Kubelet minor of the nodes, `1.35`. */
  readonly kubelet: string;
  /** Minor of the kube-apiserver, `1.35`. */
  readonly apiServer: string;
  /**
   * Feature gates of kubelets and API server that differ from the defaults of the version.
   *
   * @defaultValue - none
   */
  readonly featureGates?: Readonly<Record<string, boolean>>;
  /** Plugins on the nodes, by the plugin's key (`ecr`, `acr`, `gcp`). */
  readonly plugins: Readonly<Record<string, PluginFacts>>;
  /** The distribution's own entries, by the plugin's key; empty where nodes come without. */
  readonly stockProviders: Readonly<Record<string, StockCredentialProvider>>;
  /** Finished provider entries that must stand in the same file, for example OpenShift's `crio-credential-provider`. */
  readonly additionalProviders: readonly Readonly<Record<string, unknown>>[];
  /** Path of the CredentialProviderConfig on the nodes for the given plugins; throws where there is none. */
  configPath(plugins: readonly string[]): string;
  /** Directory of the plugin executables on the nodes. */
  readonly pluginDirectory: string;
  /** True where a second executable name can be put into the plugin directory (mixed mode may need one). */
  readonly pluginDirectoryWritable: boolean;
  /** Facts that manifests do not carry, for `workload-identity.json`. */
  readonly recorded: Readonly<Record<string, unknown>>;
}

/** A cluster: its facts, and how files and flags get to its nodes. */
export interface ICluster<Scope> extends ClusterFacts {
  /** The carriers of the kubelet's files, one per pool or one for all nodes. */
  readonly carriers: readonly INodeCarrier<Scope>[];
}

/**
 * A cluster of a service that configures the kubelets itself: its issuer serves workloads, and image pulls with service
 * account tokens are refused.
 */
export interface ManagedCluster extends Pick<ClusterFacts, "name" | "distribution" | "issuer"> {
  /** Why its nodes cannot pull with service account tokens, and what the service has instead. */
  readonly withoutPulls: Problem;
}

const PLUGIN_SOURCE: ObjectKind<PluginSource> = object({ url: text, sha256: text });

/** The kind of {@link PluginFacts}. */
export const PLUGIN_FACTS: ObjectKind<PluginFacts> = object({
  version: optional(text),
  abilities: optional(list(text)),
  unusable: optional(text),
  source: optional(PLUGIN_SOURCE),
});

const FACTS = {
  name: text,
  distribution: text,
  issuer: CHECKED_ISSUER,
  kubelet: text,
  apiServer: text,
  plugins: record(PLUGIN_FACTS),
  configPath: method,
  pluginDirectory: text,
  recorded: anyObject,
};
const TITLE = "a cluster, such as openShift(…), hostedOpenShift(…), eks(…) or kubernetes(…)";

/** The kind of {@link ClusterFacts}. */
export const CLUSTER_FACTS: Kind<ClusterFacts> = like(TITLE, FACTS);

const WHOLE: Kind<ICluster<never>> = like(TITLE, { ...FACTS, carriers: list(NODE_CARRIER) });

/** The kind of an {@link ICluster}; a {@link ManagedCluster} is refused with what its service has instead. */
export const CLUSTER: Kind<ICluster<never>> = {
  title: TITLE,
  mistake: (value) =>
    isManaged(value)
      ? { keys: [], error: () => refusal("cluster-unsupported", value.withoutPulls) }
      : WHOLE.mistake(value),
};

function isManaged(value: unknown): value is ManagedCluster {
  return isRecord(value) && isRecord(value["withoutPulls"]);
}

/** Settings of which the facts of a cluster are enough, whatever else they say. */
export function orCluster<T>({ title, shape, mistake }: ObjectKind<T>): Kind<T> {
  const open = like<T>(title, shape);
  return { title, mistake: (value) => (CLUSTER_FACTS.mistake(value) ? mistake(value) : open.mistake(value)) };
}
