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

/** What neighbouring links that depend on the same facts answer, up to the first that fails. */
interface Judged {
  readonly answers: readonly Answer[];
  readonly failed: CheckId | undefined;
  readonly isOpen: boolean;
}

/** More would be for questions that are not asked again: each of ten thousand service accounts about its own image. */
const REMEMBERED = 512;

/**
 * Remembers what a step made by the facts that it depends on; the last few hundred of them. Of two questions in a row most
 * facts are the same, so that the place of the last one is kept, up to its last fact.
 */
class Memory {
  #size = 0;
  #first = new Map<unknown, unknown>();
  #level = this.#first;
  readonly #recent: unknown[] = [];

  get(values: readonly unknown[], per: readonly number[], make: () => unknown): unknown {
    const last = per.length - 1;
    for (let at = 0; at < last; at++)
      if (this.#recent[at] !== values[per[at] ?? 0]) {
        this.#goTo(values, per);
        break;
      }
    const key = values[per[last] ?? 0];
    const known = this.#level.get(key);
    if (known !== undefined || this.#level.has(key)) return known;
    const made = make();
    if (++this.#size > REMEMBERED) {
      this.#size = 0;
      this.#first = new Map();
      this.#goTo(values, per);
    }
    this.#level.set(key, made);
    return made;
  }

  #goTo(values: readonly unknown[], per: readonly number[]): void {
    this.#level = this.#first;
    for (const [at, fact] of per.slice(0, -1).entries()) {
      const key = (this.#recent[at] = values[fact]);
      const next = (this.#level.get(key) ?? new Map<unknown, unknown>()) as Map<unknown, unknown>;
      this.#level.set(key, next);
      this.#level = next;
    }
  }
}

/** A step with its facts by number: those that it depends on, and the one that it adds. */
interface Compiled<F> {
  readonly per: readonly number[];
  readonly adds: number;
  readonly name: keyof F | undefined;
  readonly fold: Fork<F>["fold"] | undefined;
  readonly make: (facts: F) => unknown;
  readonly memory: Memory;
  /** When it was last asked, and what it made then. */
  asked: number;
  made: unknown;
}

/**
 * A job's table, ready to run. A million questions in a row differ in one or two facts: the runner counts when each fact
 * last changed, so that a step whose facts are those of its last question is not even looked up.
 */
export class Runner<F extends object> {
  readonly links: readonly Link<F>[];
  readonly #steps: readonly Compiled<F>[];
  readonly #names: readonly (keyof F)[];
  /** How many of the facts are given; the others are added by steps. */
  readonly #given: number;
  readonly #values: unknown[];
  readonly #changed: number[];
  #clock = 0;

  constructor(steps: readonly Step<F>[]) {
    this.links = steps.filter((step): step is Link<F> => "run" in step);
    const added = steps.flatMap((step) => ("adds" in step ? [step.adds] : []));
    const named = new Set(steps.flatMap((step) => [...step.per]));
    const given = [...named].filter((name) => !added.includes(name));
    this.#names = [...given, ...added];
    this.#given = given.length;
    this.#values = this.#names.map(() => undefined);
    this.#changed = this.#names.map(() => 0);
    this.#steps = compiled(steps, this.#names);
  }

  /** Judges; what is derived is added to the facts. */
  run(facts: F): Chain<F> {
    for (let at = 0; at < this.#given; at++) this.#set(at, facts[this.#names[at] as keyof F]);
    return this.#from(0, facts, [], false);
  }

  #set(fact: number, value: unknown): void {
    if (this.#values[fact] === value) return;
    this.#values[fact] = value;
    this.#changed[fact] = ++this.#clock;
  }

  #ask(step: Compiled<F>, facts: F): unknown {
    const { per, asked } = step;
    let isSame = asked >= 0;
    for (let at = 0; isSame && at < per.length; at++) isSame = (this.#changed[per[at] ?? 0] ?? 0) <= asked;
    if (isSame) return step.made;
    const now = this.#clock;
    step.made = step.memory.get(this.#values, per, () => step.make(facts));
    step.asked = now;
    return step.made;
  }

  #from(start: number, facts: F, trail: Judged[], wasOpen: boolean): Chain<F> {
    let isOpen = wasOpen;
    for (let place = start; place < this.#steps.length; place++) {
      const step = this.#steps[place] as Compiled<F>;
      const made = this.#ask(step, facts);
      if (step.fold !== undefined)
        return this.#forked(step, made as readonly unknown[], place, { facts, trail, isOpen });
      if (step.name !== undefined) {
        this.#set(step.adds, made);
        facts[step.name] = made as F[keyof F];
        continue;
      }
      const judged = made as Judged;
      trail.push(judged);
      isOpen ||= judged.isOpen;
      if (judged.failed !== undefined) return new JudgedChain(facts, trail, "denied", this.links);
    }
    return new JudgedChain(facts, trail, isOpen ? "unknown" : "allowed", this.links);
  }

  #forked(
    { adds, name, fold }: Compiled<F>,
    ways: readonly unknown[],
    place: number,
    { facts, trail, isOpen }: { readonly facts: F; readonly trail: Judged[]; readonly isOpen: boolean },
  ): Chain<F> {
    let chosen: Chain<F> | undefined;
    for (const way of ways) {
      const isOnly = ways.length === 1;
      const own = isOnly ? facts : { ...facts };
      own[name as keyof F] = way as F[keyof F];
      this.#set(adds, way);
      const chain = this.#from(place + 1, own, isOnly ? trail : [...trail], isOpen);
      if (
        chosen === undefined ||
        (fold === "best" ? isBetter(chain, chosen) : isBetter(chosen, chain, false))
      )
        chosen = chain;
    }
    return chosen as Chain<F>;
  }
}

/** Of two equal verdicts the chain that gets further says more; among pools the first is as good as any. */
function isBetter<F>(one: Chain<F>, other: Chain<F>, byLength = true): boolean {
  const compared = compareVerdicts(one.verdict, other.verdict);
  return compared > 0 || (byLength && compared === 0 && one.passed > other.passed);
}

/** Neighbouring links that depend on the same facts become one step. */
function compiled<F>(steps: readonly Step<F>[], names: readonly (keyof F)[]): readonly Compiled<F>[] {
  const stages: (Exclude<Step<F>, Link<F>> | Link<F>[])[] = [];
  for (const step of steps) {
    const last = stages.at(-1);
    if (!("run" in step)) stages.push(step);
    else if (Array.isArray(last) && last[0]?.per.join() === step.per.join()) last.push(step);
    else stages.push([step]);
  }
  return stages.map((stage): Compiled<F> => {
    const { per, adds } = Array.isArray(stage) ? { per: stage[0]?.per ?? [], adds: undefined } : stage;
    return {
      per: per.map((name) => names.indexOf(name)),
      adds: adds === undefined ? -1 : names.indexOf(adds),
      name: adds,
      fold: "fold" in stage ? stage.fold : undefined,
      make: Array.isArray(stage)
        ? (facts) => judge(stage, facts)
        : "each" in stage
          ? (facts) => stage.each(facts)
          : (facts) => stage.of(facts),
      memory: new Memory(),
      asked: -1,
      made: undefined,
    };
  });
}

function judge<F>(links: readonly Link<F>[], facts: F): Judged {
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

/** Of a million chains few are read, so that the list of checks is put together then. */
class JudgedChain<F> implements Chain<F> {
  readonly facts: F;
  readonly verdict: Verdict;
  readonly #trail: readonly Judged[];
  readonly #links: readonly Link<F>[];

  constructor(facts: F, trail: readonly Judged[], verdict: Verdict, links: readonly Link<F>[]) {
    this.facts = facts;
    this.verdict = verdict;
    this.#trail = trail;
    this.#links = links;
  }

  get failed(): CheckId | undefined {
    return this.#trail.at(-1)?.failed;
  }

  get passed(): number {
    return this.#trail.flatMap(({ answers }) => answers).filter(({ status }) => status === "pass").length;
  }

  get checks(): readonly CheckResult[] {
    const answers = this.#trail.flatMap((judged) => judged.answers);
    return this.#links.map(({ id }, place) => {
      const answer = answers[place];
      return answer ? { id, ...worded(answer) } : notReached(id, this.failed);
    });
  }
}

/** An answer as plain data: what an answer words when it is read, a spread would not copy. */
export function worded({ status, reason, evidence, remedy, log }: Answer): Answer {
  return { status, reason, evidence, remedy, ...(log === undefined ? {} : { log }) };
}

function notReached(id: CheckId, failed: CheckId | undefined): CheckResult {
  return { id, status: "skipped", reason: `not reached: ${failed ?? id} fails`, evidence: [], remedy: "" };
}
