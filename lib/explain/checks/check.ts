/*
 * The links of a pull, in the order in which the kubelet, the plugin and the cloud come to them; and what all links
 * have in common.
 */

import type { Answer } from "../answer";
import type { CheckId } from "../check-ids";
import type { Cloud, PermissionAnswer, Repository, TrustAnswer } from "../clouds/cloud";
import type { ClusterArtefacts } from "../facts/facts";
import type { ServiceAccountFact } from "../facts/kubernetes-facts";
import type { NodeConfiguration, ProviderEntry } from "../facts/node-configuration";
import type { WorkloadFact } from "../facts/workload-facts";

export type { CheckId } from "../check-ids";

export type { CheckResult } from "../answer";

/** Why a pull is asked about: it was declared, a caller asked, or a workload has the image. */
export type Origin = "declared" | "asked" | "workload";

/** Everything that a check may look at; later parts are there once the checks before have passed. */
export interface PullContext {
  /** The cluster. */
  readonly artefacts: ClusterArtefacts;
  /** Why it is asked. */
  readonly origin: Origin;
  /** The image as written. */
  readonly image: string;
  /** The repository; `undefined` where the image does not parse. */
  readonly repository: Repository | undefined;
  /** The nodes of one pool; `undefined` where none were read. */
  readonly node: NodeConfiguration | undefined;
  /** The entry of the CredentialProviderConfig; `undefined` where none matches. */
  readonly entry: ProviderEntry | undefined;
  /** The cloud of the entry's plugin; `undefined` where the plugin is not known. */
  readonly cloud: Cloud | undefined;
  /** The service account's namespace. */
  readonly namespace: string;
  /** The service account's name. */
  readonly name: string;
  /** The service account; `undefined` where it was not read. */
  readonly account: ServiceAccountFact | undefined;
  /** The workload, where one is asked about. */
  readonly workload: WorkloadFact | undefined;
  /** What the cloud says of the token. */
  readonly trust: TrustAnswer | undefined;
  /** What the cloud says of the identity. */
  readonly permission: PermissionAnswer | undefined;
  /** The check that failed before; for the one that says what happens then. */
  readonly failed: CheckId | undefined;
}

/** One link of a chain whose checks look at `Context`. */
export interface Check<Context> {
  /** Its name. */
  readonly id: CheckId;
  /** What it asks. */
  readonly asks: string;
  /** Why it matters. */
  readonly why: string;
  /** Answers. */
  readonly run: (context: Context) => Answer;
}

/** One link of a pull. */
export type PullCheck = Check<PullContext>;

/** The answer where a cloud or service account that must be there is not. */
export function missing(what: string): Answer {
  return { status: "unknown", reason: `${what} is not known`, evidence: [], remedy: "see the checks before" };
}

/** A node for all; rules about single nodes are not what a pull by any node can rest on. */
export const NODE_USER = "system:node:*";
