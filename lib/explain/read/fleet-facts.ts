/*
 * What a hub's objects say of its fleet: ClusterProfiles, and the controllers' lists of access providers.
 */

import type { Known } from "../../model/known";
import type { Tree } from "../../model/tree";
import type { Source } from "./source";

/** An object, late values in it as references. */
export interface ObjectFact {
  /** The object. */
  readonly value: Tree;
  /** Where it stands. */
  readonly source: Source;
}

/** A ClusterProfile. */
export interface ProfileFact {
  /** `namespace/name`. */
  readonly key: string;
  /** Its namespace. */
  readonly namespace: string;
  /** Its name. */
  readonly name: string;
  /** The main object; `undefined` where only its status was read. */
  readonly main: ObjectFact | undefined;
  /**
   * What writes the status: a manifest of its own, or an object that was read from a cluster. Its `value` is not known
   * where several write different ones.
   */
  readonly status: ObjectFact | undefined;
  /** A status that stands with the main object, in a manifest: the API server drops it. */
  readonly dropped: ObjectFact | undefined;
  /** The ConfigMap whose status a Job writes, `namespace/name`; `undefined` where the status has a manifest. */
  readonly writtenFrom: string | undefined;
}

/** A controller's list of access providers. */
export interface ProviderListFact {
  /** How the controller takes it. */
  readonly form: "file" | "kueue";
  /** The ConfigMap's namespace. */
  readonly namespace: string;
  /** The ConfigMap's name. */
  readonly configMap: string;
  /** Its key. */
  readonly key: string;
  /** The entries, as written; not known where the text cannot be read, or documents of the ConfigMap differ. */
  readonly providers: Known<readonly Tree[]>;
  /** The configuration around the list, Kueue's `featureGates` included; an empty object for a file. */
  readonly configuration: Tree;
  /** Where it stands. */
  readonly source: Source;
}

/** A worker cluster of MultiKueue that is reached through a profile. */
export interface WorkerClusterFact {
  /** Name of the profile, in Kueue's namespace. */
  readonly profile: string;
  /** Where it stands. */
  readonly source: Source;
}

/** What a hub's objects say of its fleet. */
export interface FleetFacts {
  /** Profiles, in the order in which they were read. */
  readonly profiles: readonly ProfileFact[];
  /** Lists of access providers. */
  readonly lists: readonly ProviderListFact[];
  /** Names of the profiles that MultiKueueClusters refer to, each with its object. */
  readonly workerClusters: readonly WorkerClusterFact[];
  /** Where Argo CD is configured to sync as service accounts of the spokes, by its namespace. */
  readonly impersonation: ReadonlyMap<string, Source>;
}
