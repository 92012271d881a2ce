import { anyObject, choice, object, optional, text, type ObjectKind } from "../model/shape";
import type { StatedAwsFacts } from "./aws/stated";
import type { ClusterRecord } from "./read/cluster-record";

/** Why a pull is judged: it was declared, a caller asked about it, or a workload has the image. */
export type Origin = "declared" | "asked" | "workload";

/** Whose access to explain. */
export interface AccessSelection {
  /**
   * `namespace/name`.
   *
   * @defaultValue - every service account
   */
  readonly serviceAccount?: string;
  /**
   * Name of a stack, or `<stack>/<cluster>` for one cluster of a stack with manifests per cluster.
   *
   * @defaultValue - every stack
   */
  readonly stack?: string;
}

export const ACCESS_SELECTION: ObjectKind<AccessSelection> = object({
  serviceAccount: optional(text),
  stack: optional(text),
});

/** What to explain; if nothing is chosen, everything that was declared or occurs in a workload. */
export interface PullSelection extends AccessSelection {
  /**
   * An image as a pod names it.
   *
   * @defaultValue - the declared images and those of workloads
   */
  readonly image?: string;
  /**
   * Restricts pulls by origin, if no image is chosen: those that were declared, or those of images that workloads have.
   *
   * @defaultValue - both
   */
  readonly origin?: Exclude<Origin, "asked">;
}

export const PULL_SELECTION: ObjectKind<PullSelection> = object({
  ...ACCESS_SELECTION.shape,
  image: optional(text),
  origin: optional(choice(["declared", "workload"])),
});

/** Whose way into which spoke to explain. */
export interface FleetSelection extends AccessSelection {
  /**
   * Name of a spoke's ClusterProfile.
   *
   * @defaultValue - every spoke
   */
  readonly spoke?: string;
}

export const FLEET_SELECTION: ObjectKind<FleetSelection> = object({
  ...ACCESS_SELECTION.shape,
  spoke: optional(text),
});

/** What can be explained. */
export const JOBS = ["image-pull", "component", "workload", "fleet-access"] as const;

/** A job of explain. */
export type Job = (typeof JOBS)[number];

/** What to explain, for every job. */
export interface ExplainSelection extends PullSelection, FleetSelection {
  /**
   * Only this job.
   *
   * @defaultValue - every job
   */
  readonly job?: Job;
}

export const EXPLAIN_SELECTION: ObjectKind<ExplainSelection> = object({
  ...PULL_SELECTION.shape,
  ...FLEET_SELECTION.shape,
  job: optional(choice(JOBS)),
});

/** Facts that no artefact shows; evidence from them says that they are stated. */
export interface ExplainOptions {
  /**
   * Facts of the clusters; they override what was recorded.
   *
   * @defaultValue - only what `workload-identity.json` records
   */
  readonly cluster?: ClusterRecord;
  /**
   * Which cluster is meant, of several or at all: its name in what was read, or the URL of its tokens' issuer.
   *
   * @defaultValue - the only cluster that was read; of several, each is judged
   */
  readonly which?: string;
  /**
   * Facts of AWS accounts whose Terraform is not read.
   *
   * @defaultValue - none
   */
  readonly aws?: StatedAwsFacts;
}

export const EXPLAIN_OPTIONS: ObjectKind<ExplainOptions> = object({
  cluster: optional(anyObject),
  which: optional(text),
  aws: optional(anyObject),
});
