/*
 * Everything that was read, each fact with its source. Reads artefacts, never construct objects, so that mistakes of
 * this library are seen as well as those of other people's manifests.
 */

import type { Known } from "../../model/known";
import type { ClusterFacts, ClusterRecord } from "./cluster-record";
import type { KubernetesFacts } from "./kubernetes-facts";
import type { PodFact } from "./pods";
import type { SkippedDocument } from "./skipped";
import type { SpokeFacts } from "./spoke-facts";
import type { ComputedAttribute, Terraform } from "./terraform";

export type { SkippedDocument } from "./skipped";

/** A cluster with its objects. */
export interface ClusterArtefacts extends KubernetesFacts {
  /** The stack; empty for manifests outside of stacks. */
  readonly stack: string;
  /** What is known of it besides its objects. */
  readonly cluster: ClusterFacts;
  /**
   * `iss` of its service account tokens: that of `Authentication/cluster` where it says one, else the recorded one, else
   * not known.
   */
  readonly issuer: Known<string>;
  /** What was written that pods of a service account need, by `namespace/name`. */
  readonly podFragments: ReadonlyMap<string, PodFact>;
  /** What was read of the spokes of its fleet. */
  readonly spokes: SpokeFacts;
  /** The Terraform outputs beside it, by name. */
  readonly outputs: ReadonlyMap<string, Known<string>>;
}

/** All facts. */
export interface Facts {
  /** The clusters, one per stack that has one; one without name where there are only manifests. */
  readonly clusters: readonly ClusterArtefacts[];
  /** The Terraform resources of all documents. */
  readonly terraform: Terraform;
  /** What was found and is not judged, and what would be refused. */
  readonly skipped: readonly SkippedDocument[];
}

/** How facts are read. */
export interface ReadFactsOptions {
  /** Attributes that the clouds can compute. */
  readonly computed: readonly ComputedAttribute[];
  /** What the caller knows of the clusters; wins over what was recorded. */
  readonly cluster: ClusterRecord;
}
