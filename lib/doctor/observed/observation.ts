/*
 * What was seen of a running system, and what it says about a link.
 */

import type { Evidence } from "../../explain/answer";
import type { CheckId } from "../../explain/check-ids";
import type { ExplainResult } from "../../explain";

/** Something that was seen, and the links about which it says something. */
export interface Observation {
  /** With `fail` at least one of these is broken; with `pass` all of them hold, or held at that time. */
  readonly links: readonly CheckId[];
  readonly status: "fail" | "pass";
  /** One sentence without full stop. */
  readonly reason: string;
  /** What to do; empty if nothing needs to be done. */
  readonly fix: string;
  readonly evidence: readonly Evidence[];
  readonly about: (chain: ExplainResult) => boolean;
  /**
   * True for what is there, and for what no file that was read shows; any other message tells only what was so when it was
   * written, and what was read may be newer.
   *
   * @defaultValue false
   */
  readonly isState?: boolean;
}

/** Something about no link of a chain, or about a chain that is not known. */
export interface Note {
  readonly reason: string;
  readonly fix: string;
  readonly evidence: readonly Evidence[];
}

/** What is there, and breaks a link whatever was read. */
export function stateBroken(
  link: CheckId,
  about: Observation["about"],
  { reason, fix, evidence }: Note,
): Observation {
  return { links: [link], status: "fail", reason, fix, evidence, about, isState: true };
}

/** What was seen in files of one kind. */
export interface Seen {
  readonly observations: readonly Observation[];
  readonly notes: readonly Note[];
}

export function isPull({ job }: ExplainResult): boolean {
  return job === "image-pull";
}
