/*
 * What a check answers, as data; the renderers turn it into prose.
 */

import type { CheckId } from "./check-ids";
import type { Source } from "./read/source";

/** `unknown` if the facts do not suffice, `skipped` if an earlier link is broken. */
export type Status = "pass" | "fail" | "unknown" | "skipped";

/** One thing that was seen, and where. */
export interface Evidence {
  /** What was seen. */
  readonly text: string;
  /**
   * Where it was seen.
   *
   * @defaultValue - it is in no file: something is missing, or a rule implies it
   */
  readonly source?: Source;
}

/** The answer to one question about a link. */
export interface Answer {
  /** Whether the link holds. */
  readonly status: Status;
  /** Why, one sentence without full stop. */
  readonly reason: string;
  /** The facts that the answer rests on. */
  readonly evidence: readonly Evidence[];
  /** What to do; empty if nothing needs to be done. */
  readonly remedy: string;
  /**
   * What an operator sees: a text in the kubelet's log, the plugin's answer or the pod's event, or `silent` if nothing
   * is logged at the default verbosity.
   *
   * @defaultValue - the link holds, or what an operator would see is not known
   */
  readonly log?: string;
}

/** Nothing is logged at the default verbosity. */
export const SILENT = "silent";

/** One piece, or a list of any length. */
type Pieces<T = Evidence> = readonly (T | readonly T[])[];

/** The link holds. Functions make their words only when these are read: of a million answers, few are. */
export function pass(
  reason: string | (() => string),
  ...evidence: Pieces<Evidence | (() => Evidence)>
): Answer {
  const make = (): Answer => ({
    status: "pass",
    reason: typeof reason === "string" ? reason : reason(),
    evidence: evidence.flat().map((each) => (typeof each === "function" ? each() : each)),
    remedy: "",
  });
  return typeof reason === "string" ? make() : later("pass", make);
}

/** The link is broken. */
export function broken(reason: string, remedy: string, log: string | undefined, ...evidence: Pieces): Answer {
  return { status: "fail", reason, evidence: evidence.flat(), remedy, ...(log === undefined ? {} : { log }) };
}

/** The facts do not suffice. */
export function unknown(reason: string, remedy: string, ...evidence: Pieces): Answer {
  return { status: "unknown", reason, evidence: evidence.flat(), remedy };
}

/** Evidence with its place; without one if nothing was read, as for nodes that only the cluster names. */
export function seen(text: string, source: Source | undefined): Evidence {
  return source === undefined || source.file === "" ? { text } : { text, source };
}

/** The answer of a check. */
export interface CheckResult extends Answer {
  /** Which check. */
  readonly id: CheckId;
}

/** An answer whose words are made when they are read; seeing whether a link holds costs far less. */
export function later(status: Status, words: () => Answer): Answer {
  return new Later(status, words);
}

class Later implements Answer {
  readonly status: Status;
  readonly #words: () => Answer;
  #said: Answer | undefined;

  constructor(status: Status, words: () => Answer) {
    this.status = status;
    this.#words = words;
  }

  get reason(): string {
    return this.#known.reason;
  }

  get evidence(): readonly Evidence[] {
    return this.#known.evidence;
  }

  get remedy(): string {
    return this.#known.remedy;
  }

  get log(): string | undefined {
    return this.#known.log;
  }

  get #known(): Answer {
    return (this.#said ??= this.#words());
  }
}

const BADNESS: Readonly<Record<Status, number>> = { pass: 0, skipped: 0, unknown: 1, fail: 2 };

/** How bad a status is: a certain failure is worse than what cannot be determined. */
export function badness({ status }: Pick<Answer, "status">): number {
  return BADNESS[status];
}

/** The first of several answers that fails, else the first that cannot be determined, else the first. */
export function worstOf(first: Answer, ...others: Pieces<Answer | undefined>): Answer {
  let worst = first;
  for (const answer of others.flat()) if (answer && badness(answer) > badness(worst)) worst = answer;
  return worst;
}
