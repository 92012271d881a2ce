import { type Problem, refusal } from "../errors";
import { type Issuer, CHECKED_ISSUER } from "./issuer";
import { type INodeCarrier, NODE_CARRIER } from "./node-carrier";
import type { NodeFile } from "./node-file";
import { isRecord } from "./record";
import {
  type ObjectKind,
  type Kind,
  anyObject,
  choice,
  like,
  made,
  list,
  method,
  object,
  optional,
  record,
  text,
} from "./shape";

/** Facts about one credential provider plugin on the nodes. */
export interface PluginFacts {
  /**
   * Version of the plugin, for example `1.35.2`.
   *
   * @defaultValue - unknown; rules that depend on it refuse or answer unknown
   */
  readonly version?: string;
  /**
   * Abilities that the version does not imply, for example `custom-pools` of a Google plugin built with
   * `--sts-audience`.
   *
   * @defaultValue - none
   */
  readonly abilities?: readonly string[];
  /**
   * Why this plugin cannot be used on these nodes at all; part of the error message.
   *
   * @defaultValue - the plugin can be used
   */
  readonly unusable?: string;
  /**
   * Where nodes download the plugin; they store the same file under each name that the configuration uses.
   *
   * @defaultValue - the plugin is already on the nodes
   */
  readonly source?: PluginSource;
}

/** A file that nodes download and make executable. */
export interface PluginSource {
  /** URL, `https://…`, of a build for the nodes' platform. */
  readonly url: string;
  /** SHA-256 of the file, 64 lower-case hexadecimal digits; nodes refuse any other file. */
  readonly sha256: string;
}

/** The entry for one plugin in the distribution's own CredentialProviderConfig. */
export interface StockCredentialProvider {
  /** File name of the executable in the distribution's plugin directory. */
  readonly name: string;
  /** The distribution's own patterns; kept unless stated otherwise. */
  readonly matchImages: readonly string[];
  /** The distribution's own arguments; kept unless the cloud needs others. */
  readonly args: readonly string[];
  /** The distribution's own duration, for example `12h`. */
  readonly defaultCacheDuration: string;
  /**
   * Set if the nodes pull their own images with this entry, as on EKS: it stays, and a second entry uses the service
   * account tokens.
   *
   * @defaultValue - this entry uses the tokens
   */
  readonly beside?: EntryBeside;
}

/** A second entry for service account tokens next to the distribution's own. */
export interface EntryBeside {
  /** File name of its executable. */
  readonly name: string;
  /** Files that put that executable into the plugin directory. */
  readonly files: readonly NodeFile[];
  /**
   * Patterns of images that nodes pull with their own identity in strict mode; if `undefined`, strict mode is refused.
   */
  readonly nodeImages: readonly string[] | undefined;
  /** How to state missing patterns; part of the error message. */
  readonly remedy: string;
}

/** A cloud whose webhook gives pods of annotated service accounts a token. */
export type PodIdentityWebhook = "aws" | "azure";

export const POD_IDENTITY_WEBHOOKS: Kind<readonly PodIdentityWebhook[]> = list(choice(["aws", "azure"]));

/** The facts of one cluster that decide what is written; each distribution has a function that returns them. */
export interface ClusterFacts {
  /** DNS label; becomes part of the names of roles and identities. */
  readonly name: string;
  /**
   * Name of the cluster in its cloud.
   *
   * @defaultValue - not known; `explain` takes `name` for it
   */
  readonly cloudName?: string;
  /**
   * Pod identity webhooks that were stated to run in the cluster.
   *
   * @defaultValue - none
   */
  readonly podIdentityWebhooks?: readonly PodIdentityWebhook[];
  /**
   * Pod identity webhooks that every cluster of this distribution and platform runs.
   *
   * @defaultValue - none that is known
   */
  readonly builtInWebhooks?: readonly PodIdentityWebhook[];
  /** `kubernetes`, `openshift` or `openshift-hosted`. */
  readonly distribution: string;
  /** Issuer of the cluster's service account tokens. */
  readonly issuer: Issuer;
  /** Minor version of the kubelets, for example `1.35`. */
  readonly kubelet: string;
  /** Minor version of the kube-apiserver, for example `1.35`. */
  readonly apiServer: string;
  /**
   * Feature gates of kubelets and API server that differ from the defaults of the version.
   *
   * @defaultValue - none
   */
  readonly featureGates?: Readonly<Record<string, boolean>>;
  /** Plugins on the nodes, by the plugin's key (`ecr`, `acr`, `gcp`). */
  readonly plugins: Readonly<Record<string, PluginFacts>>;
  /** The distribution's own entries, by the plugin's key; empty if it has none. */
  readonly stockProviders: Readonly<Record<string, StockCredentialProvider>>;
  /** Complete provider entries that must be in the same file, for example OpenShift's `crio-credential-provider`. */
  readonly additionalProviders: readonly Readonly<Record<string, unknown>>[];
  /** Returns the path of the nodes' CredentialProviderConfig for these plugins; throws if none serves them all. */
  configPath(plugins: readonly string[]): string;
  /** Directory of the plugin executables on the nodes. */
  readonly pluginDirectory: string;
  /** Whether a second executable name can be added to the plugin directory, which mixed mode may need. */
  readonly pluginDirectoryWritable: boolean;
  /** Facts that manifests do not show, for `workload-identity.json`. */
  readonly recorded: Readonly<Record<string, unknown>>;
}

/** A cluster: its facts, and how files and flags get to its nodes. */
export interface ICluster<Scope> extends ClusterFacts {
  /** The carriers of the kubelet's files, one per pool or one for all nodes. */
  readonly carriers: readonly INodeCarrier<Scope>[];
}

/**
 * A cluster of a managed service that configures the kubelets itself: workloads can use its issuer, but `ImagePulls`
 * refuses it.
 */
export interface ManagedCluster extends Pick<
  ClusterFacts,
  "name" | "cloudName" | "builtInWebhooks" | "distribution" | "issuer"
> {
  /** Why its nodes cannot pull with service account tokens, and what the service offers instead. */
  readonly withoutPulls: Problem;
}

const PLUGIN_SOURCE: ObjectKind<PluginSource> = object({ url: text, sha256: text });

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

export const CLUSTER_FACTS: Kind<ClusterFacts> = made(TITLE, "openShift(…)", FACTS);

const WHOLE: Kind<ICluster<never>> = made(TITLE, "openShift(…)", { ...FACTS, carriers: list(NODE_CARRIER) });

/** The kind of an {@link ICluster}; for a {@link ManagedCluster} the error names what its service offers instead. */
export const CLUSTER: Kind<ICluster<never>> = {
  ...WHOLE,
  mistake: (value) =>
    isManaged(value)
      ? { keys: [], error: () => refusal("cluster-unsupported", value.withoutPulls) }
      : WHOLE.mistake(value),
};

function isManaged(value: unknown): value is ManagedCluster {
  return isRecord(value) && isRecord(value["withoutPulls"]);
}

/** A kind of settings for which a cluster's facts, with their further properties, can be passed too. */
export function orCluster<T>(kind: ObjectKind<T>): Kind<T> {
  const open = like<T>(kind.title, kind.shape);
  return {
    ...kind,
    mistake: (value) => (CLUSTER_FACTS.mistake(value) ? kind.mistake(value) : open.mistake(value)),
  };
}
