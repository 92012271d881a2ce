/*
 * Runs the links of a job in the order of its table.
 *
 * A table is a list of steps. A link asks one question of the facts that it names; what it does not name it cannot see,
 * and its answer is remembered by exactly those. A fact is derived from others once the links before it hold. A fork
 * goes on with each of several facts: with the best of them (the entries of one node), or the worst (the pools that a
 * pod may come to). After the first broken link nothing is asked, and the rest is skipped.
 */

import type { Answer, CheckResult } from "./answer";
import type { CheckId } from "./check-ids";
import { type Verdict, compareVerdicts } from "./verdict";

/** One question about some facts. */
export interface Link<F, K extends keyof F = keyof F> {
  readonly id: CheckId;
  readonly question: string;
  readonly per: readonly K[];
  readonly run: (facts: Pick<F, K>) => Answer;
}

/** A fact that follows from others. */
export interface Derived<F, N extends keyof F = keyof F, K extends keyof F = keyof F> {
  readonly adds: N;
  readonly per: readonly K[];
  readonly of: (facts: Pick<F, K>) => F[N];
}

/** Several facts of one kind, each of which the chain may go on with. */
export interface Fork<F, N extends keyof F = keyof F, K extends keyof F = keyof F> {
  readonly adds: N;
  readonly per: readonly K[];
  /** What the chain goes on with; never empty. */
  readonly each: (facts: Pick<F, K>) => readonly F[N][];
  readonly fold: "best" | "worst";
}

/** A step of a table, whose facts are checked where it is made. */
export type Step<F> = Link<F> | Derived<F> | Fork<F>;

/** Makes the steps of a table of one kind of facts: an undeclared dependency does not compile. */
export interface Steps<F> {
  link<K extends keyof F>(link: Link<F, K>): Step<F>;
  derived<N extends keyof F, K extends keyof F>(derived: Derived<F, N, K>): Step<F>;
  fork<N extends keyof F, K extends keyof F>(fork: Fork<F, N, K>): Step<F>;
}

export function stepsOf<F>(): Steps<F> {
  const same = (step: unknown): Step<F> => step as Step<F>;
  return { link: same, derived: same, fork: same };
}

/** A chain that was judged: its answers up to the first that is broken. */
export interface Chain<F> {
  readonly facts: F;
  readonly failed: CheckId | undefined;
  readonly verdict: Verdict;
  readonly passed: number;
  readonly checks: readonly CheckResult[];
}

/** Neighbouring links that depend on the same facts. */
interface Stage<F> {
  readonly links: readonly Link<F>[];
  readonly per: readonly (keyof F)[];
}

/** What the links of a stage answer. */
interface Judged {
  readonly answers: readonly Answer[];
  readonly failed: CheckId | undefined;
  readonly isOpen: boolean;
}

/**
 * Remembers what a step made by the facts that it depends on; the last few hundred of them. Of two questions in a row
 * most facts are the same, so that the place of the last one is kept, up to its last fact.
 */
class Memory<V> {
  #size = 0;
  #first = new Map<unknown, unknown>();
  #level = this.#first;
  readonly #recent: unknown[] = [];

  get<F>(facts: F, per: readonly (keyof F)[], make: (facts: F) => V): V {
    const last = per.length - 1;
    if (!this.#isHere(facts, per, last)) this.#goTo(facts, per, last);
    const key = last < 0 ? undefined : facts[per[last] as keyof F];
    const known = this.#level.get(key) as V | undefined;
    if (known !== undefined || this.#level.has(key)) return known as V;
    const made = make(facts);
    if (++this.#size > REMEMBERED) {
      this.#size = 0;
      this.#first = new Map();
      this.#goTo(facts, per, last);
    }
    this.#level.set(key, made);
    return made;
  }

  #isHere<F>(facts: F, per: readonly (keyof F)[], last: number): boolean {
    for (let place = 0; place < last; place++)
      if (this.#recent[place] !== facts[per[place] as keyof F]) return false;
    return true;
  }

  #goTo<F>(facts: F, per: readonly (keyof F)[], last: number): void {
    this.#level = this.#first;
    for (let place = 0; place < last; place++) {
      const key = (this.#recent[place] = facts[per[place] as keyof F]);
      const next = (this.#level.get(key) ?? new Map<unknown, unknown>()) as Map<unknown, unknown>;
      this.#level.set(key, next);
      this.#level = next;
    }
  }
}

/** More would be for questions that are not asked again: each of ten thousand service accounts about its own image. */
const REMEMBERED = 1024;

type Compiled<F> =
  | {
      readonly kind: "stage";
      readonly stage: Stage<F>;
      readonly memory: Memory<Judged>;
      readonly judge: (facts: F) => Judged;
    }
  | { readonly kind: "derived"; readonly step: Derived<F>; readonly memory: Memory<F[keyof F]> }
  | { readonly kind: "fork"; readonly step: Fork<F>; readonly memory: Memory<readonly F[keyof F][]> };

/** A job's table, ready to run. */
export class Runner<F extends object> {
  readonly #steps: readonly Compiled<F>[];
  readonly #links: readonly Link<F>[];

  constructor(steps: readonly Step<F>[]) {
    this.#steps = compiled(steps);
    this.#links = steps.filter((step): step is Link<F> => "run" in step);
  }

  get links(): readonly Link<F>[] {
    return this.#links;
  }

  run(facts: F): Chain<F> {
    return this.#from(0, { ...facts }, undefined);
  }

  /** The facts are this chain's own: what is derived is added to them. */
  #from(start: number, facts: F, before: Trail | undefined): Chain<F> {
    let trail = before;
    for (let place = start; place < this.#steps.length; place++) {
      const step = this.#steps[place];
      if (step === undefined) break;
      if (step.kind === "stage") {
        const judged = step.memory.get(facts, step.stage.per, step.judge);
        trail = { judged, before: trail };
        if (judged.failed !== undefined) break;
      } else if (step.kind === "derived") {
        const { adds, per, of } = step.step;
        facts[adds] = step.memory.get(facts, per, of);
      } else return this.#forked(step, place, facts, trail);
    }
    return new JudgedChain(facts, trail, this.#links);
  }

  #forked(
    { step, memory }: Compiled<F> & { readonly kind: "fork" },
    place: number,
    facts: F,
    trail: Trail | undefined,
  ): Chain<F> {
    const { adds, per, each, fold } = step;
    const ways = memory.get(facts, per, each);
    let chosen: Chain<F> | undefined;
    for (const way of ways) {
      const own = ways.length > 1 ? { ...facts } : facts;
      own[adds] = way;
      const chain = this.#from(place + 1, own, trail);
      if (
        chosen === undefined ||
        (fold === "best" ? isBetter(chain, chosen) : isBetter(chosen, chain, false))
      )
        chosen = chain;
    }
    return chosen ?? new JudgedChain(facts, trail, this.#links);
  }
}

/** Of two equal verdicts the chain that gets further says more; among pools the first is as good as any. */
function isBetter<F>(one: Chain<F>, other: Chain<F>, byLength = true): boolean {
  const compared = compareVerdicts(one.verdict, other.verdict);
  return compared > 0 || (byLength && compared === 0 && one.passed > other.passed);
}

function compiled<F>(steps: readonly Step<F>[]): readonly Compiled<F>[] {
  const made: Compiled<F>[] = [];
  for (const step of steps) {
    const last = made.at(-1);
    if ("of" in step) made.push({ kind: "derived", step, memory: new Memory() });
    else if ("each" in step) made.push({ kind: "fork", step, memory: new Memory() });
    else if (last?.kind === "stage" && isSame(last.stage.per, step.per))
      made[made.length - 1] = stageOf([...last.stage.links, step]);
    else made.push(stageOf([step]));
  }
  return made;
}

function stageOf<F>(links: readonly Link<F>[]): Compiled<F> {
  const stage = { links, per: links[0]?.per ?? [] };
  return { kind: "stage", stage, memory: new Memory(), judge: (facts) => judge(stage, facts) };
}

function isSame(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.length === other.length && one.every((key, place) => key === other[place]);
}

function judge<F>({ links }: Stage<F>, facts: F): Judged {
  const answers: Answer[] = [];
  let isOpen = false;
  for (const { id, run } of links) {
    const answer = run(facts);
    answers.push(answer);
    if (answer.status === "fail") return { answers, failed: id, isOpen };
    isOpen ||= answer.status === "unknown";
  }
  return { answers, failed: undefined, isOpen };
}

/** The stages that a chain has come through, the last one first. */
interface Trail {
  readonly judged: Judged;
  readonly before: Trail | undefined;
}

/** Of a million chains few are read, so that the list of checks is put together then. */
class JudgedChain<F> implements Chain<F> {
  readonly facts: F;
  readonly verdict: Verdict;
  readonly #trail: Trail | undefined;
  readonly #links: readonly Link<F>[];

  constructor(facts: F, trail: Trail | undefined, links: readonly Link<F>[]) {
    this.facts = facts;
    this.#trail = trail;
    this.#links = links;
    this.verdict = verdictOf(trail);
  }

  get failed(): CheckId | undefined {
    return this.#trail?.judged.failed;
  }

  get passed(): number {
    return this.#answers.filter(({ status }) => status === "pass").length;
  }

  get checks(): readonly CheckResult[] {
    const answers = this.#answers;
    return this.#links.map(({ id }, place) => {
      const answer = answers[place];
      return answer ? { id, ...worded(answer) } : notReached(id, this.failed);
    });
  }

  get #answers(): readonly Answer[] {
    const stages: Judged[] = [];
    for (let at = this.#trail; at !== undefined; at = at.before) stages.unshift(at.judged);
    return stages.flatMap(({ answers }) => answers);
  }
}

function verdictOf(trail: Trail | undefined): Verdict {
  if (trail?.judged.failed !== undefined) return "denied";
  for (let at = trail; at !== undefined; at = at.before) if (at.judged.isOpen) return "unknown";
  return "allowed";
}

/** An answer as plain data: what an answer words when it is read, a spread would not copy. */
export function worded({ status, reason, evidence, remedy, log }: Answer): Answer {
  return { status, reason, evidence, remedy, ...(log === undefined ? {} : { log }) };
}

function notReached(id: CheckId, failed: CheckId | undefined): CheckResult {
  return { id, status: "skipped", reason: `not reached: ${failed ?? id} fails`, evidence: [], remedy: "" };
}
