/*
 * What a check says. Judgement is data here; the renderers make prose of it.
 */

import type { CheckId } from "./check-ids";
import type { Source } from "./read/source";

/** `unknown` where the facts do not suffice, `skipped` where an earlier link is broken. */
export type Status = "pass" | "fail" | "unknown" | "skipped";

/** One thing that was seen, and where. */
export interface Evidence {
  /** What was seen. */
  readonly text: string;
  /**
   * Where it stands.
   *
   * @defaultValue - it is written nowhere: something is missing, or a rule says it
   */
  readonly source?: Source;
}

/** The answer to one question about a link. */
export interface Answer {
  /** Whether the link holds. */
  readonly status: Status;
  /** Why, one sentence without full stop. */
  readonly reason: string;
  /** What it was judged by. */
  readonly evidence: readonly Evidence[];
  /** What to do; empty where nothing is to be done. */
  readonly remedy: string;
  /**
   * What an operator sees of it: a text of the kubelet's log, of the plugin's answer or of the pod's event, or
   * `silent` where nothing is logged at the default verbosity.
   *
   * @defaultValue - the link holds, or what would be seen is not known
   */
  readonly log?: string;
}

/** Nothing is logged at the default verbosity. */
export const SILENT = "silent";

/** The link holds; words that are given as functions are made when they are read: of a million answers few are. */
export function pass(
  reason: string | (() => string),
  ...evidence: readonly (Evidence | (() => Evidence))[]
): Answer {
  const said = (): Answer => ({
    status: "pass",
    reason: typeof reason === "string" ? reason : reason(),
    evidence: evidence.map((each) => (typeof each === "function" ? each() : each)),
    remedy: "",
  });
  return typeof reason === "string" ? said() : later("pass", said);
}

/** The link is broken. */
export function broken(
  reason: string,
  remedy: string,
  log: string | undefined,
  ...evidence: readonly Evidence[]
): Answer {
  return { status: "fail", reason, evidence, remedy, ...(log === undefined ? {} : { log }) };
}

/** The facts do not suffice. */
export function unknown(reason: string, remedy: string, ...evidence: readonly Evidence[]): Answer {
  return { status: "unknown", reason, evidence, remedy };
}

/** Evidence with its place; without one where nothing was read, as of nodes that only their cluster names. */
export function seen(text: string, source: Source | undefined): Evidence {
  return source === undefined || source.file === "" ? { text } : { text, source };
}

/** The answer of a check. */
export interface CheckResult extends Answer {
  /** Which check. */
  readonly id: CheckId;
}

/** An answer whose words are made when they are read: to see whether a link holds costs far less. */
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

/** How bad a status is: a certain failure counts more than what cannot be determined. */
export function badness({ status }: Pick<Answer, "status">): number {
  return BADNESS[status];
}

/** The first of several answers that fails, else the first that cannot be determined, else the first. */
export function worstOf(first: Answer, ...others: readonly (Answer | undefined)[]): Answer {
  let worst = first;
  for (const answer of others) if (answer && badness(answer) > badness(worst)) worst = answer;
  return worst;
}
