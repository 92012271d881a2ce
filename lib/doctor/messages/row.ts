/*
 * What a row of the tables of messages says.
 */

import type { CheckId } from "../../explain/check-ids";

/** A message of a program, and what it proves. */
export interface MessageRow {
  /** As people search for it, with `…` where it names something. The pattern is made of it. */
  readonly text: string;
  /** The program or service that writes it. */
  readonly by: string;
  /** What it means, as a sentence. */
  readonly means: string;
  /** Links of which at least one is broken, in the order of the chain; empty if `explain` has no link for it. */
  readonly broken: readonly CheckId[];
  /** Links that hold, since the program comes to write the message only after them; those of the job that failed. */
  readonly holds: readonly CheckId[];
  /**
   * True if the files that explain reads do not show it, so that they cannot contradict the message.
   *
   * @defaultValue false
   */
  readonly isUnread?: true;
  /** What to do, as a sentence. */
  readonly fix: string;
  /** A command that changes nothing and shows which of the links it is, or what is there instead. */
  readonly decide?: string;
}

/** What the kubelet has done before it asks for a token; of the plugin it proves nothing. */
export const ENTRY_FOUND: readonly CheckId[] = [
  "image-parses",
  "provider-matches-image",
  "service-account-present",
  "service-account-readable",
];

/** What is done before a cloud sees a token: by the kubelet for a pull, in the pod for a workload. */
export const TOKEN_SENT: readonly CheckId[] = [
  ...ENTRY_FOUND,
  "provider-on-node",
  "annotations-present",
  "audience-granted",
  "account-present",
  "account-annotated",
  "pods-configured",
];

/** Links of workloads alone: a message about a pull proves none of them, and the reverse. */
export const OF_WORKLOADS: readonly CheckId[] = ["account-present", "account-annotated", "pods-configured"];

/** Links that only the chain of a pull has. */
export const OF_PULLS: readonly string[] = TOKEN_SENT.filter((id) => !OF_WORKLOADS.includes(id));
