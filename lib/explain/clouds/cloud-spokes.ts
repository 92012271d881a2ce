/*
 * How a cloud judges whether a spoke of its own lets a controller in, and what it may do there. A cloud declares it in
 * its own folder.
 */

import type { Answer, Evidence } from "../answer";
import type { ServiceAccountFact } from "../facts/kubernetes-facts";
import type { Source } from "../facts/source";
import type { SpokeFact } from "../facts/spoke-facts";

/** Who enters which spoke. */
export interface SpokeQuestion {
  /** Name of the spoke's profile. */
  readonly spoke: string;
  /** The server of the profile, a late value as reference. */
  readonly server: string;
  /** Arguments of the plugin. */
  readonly args: readonly string[];
  /** Variables of the plugin, those of the controller's container below those of its own. */
  readonly env: ReadonlyMap<string, string>;
  /** The annotation or file that names the identity, as the cloud's reading of the service account has it. */
  readonly annotations: ReadonlyMap<string, string>;
  /** Name of the identity for people, as `AccessIdentity.label`. */
  readonly identity: string;
  /** True where somebody recorded that the spoke is of this cloud. */
  readonly recorded: boolean;
  /** Id of the project that lets controllers in, as somebody recorded it; `undefined` where nobody did. */
  readonly project: string | undefined;
  /** Number of that project, as somebody recorded it; `undefined` where nobody did. */
  readonly projectNumber: string | undefined;
  /** What was read of the spoke's own objects. */
  readonly rbac: SpokeFact;
  /** Where the controller is told to act as others there; `undefined` where it is not. */
  readonly impersonates: Source | undefined;
}

/** Something that works, and that somebody should know. */
export interface FleetWarning {
  /** Names the kind of warning. */
  readonly id: string;
  /** What it is, one sentence without full stop. */
  readonly reason: string;
  /** What it was judged by. */
  readonly evidence: readonly Evidence[];
  /** What to do. */
  readonly remedy: string;
}

/** What a cloud says of a spoke. */
export interface SpokeReading {
  /** Whether the spoke knows the controller's identity. */
  readonly admitted: Answer;
  /** Whether cloud or spoke allow it anything. */
  readonly authorized: Answer;
  /** What somebody should know. */
  readonly warnings: readonly FleetWarning[];
}

/** How the plugin of a cloud is called for a spoke. */
export type SpokeCall = Pick<SpokeQuestion, "args" | "env" | "recorded" | "server">;

/** The spokes of a cloud, over the resources that were read. */
export interface CloudSpokes {
  /** Judges a controller's way into a spoke. */
  read(question: SpokeQuestion): SpokeReading;
  /**
   * The answer where the cloud gives a controller on one of its own clusters an identity that is not judged here;
   * `undefined` where nothing that was read says so. Absent where the cloud gives none of itself.
   */
  native?(account: ServiceAccountFact): Answer | undefined;
  /**
   * What the API servers of the cloud's clusters do not take of a call; `undefined` where nothing is wrong. Absent where
   * nothing in a call can be. The evidence is what was read of the call.
   */
  called?(call: SpokeCall, where: readonly Evidence[]): Answer | undefined;
}
