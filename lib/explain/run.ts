/*
 * Runs the links of a job in the order of its table.
 *
 * A table is a list of steps. A link asks one question about the facts that it names; it sees no others, and its answer
 * is remembered by exactly those. A fact is derived from others once the links before it hold. A fork tries each of
 * several facts and keeps the best (the entries of one node) or the worst (the pools that a pod may run on). After the
 * first broken link nothing is asked, and the rest is skipped.
 */

import type { Answer, CheckResult } from "./answer";
import type { CheckId } from "./check-ids";
import { type Verdict, compareVerdicts } from "./result";
import { plainAnswer } from "./shared/words";

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

/** Several facts of one kind, with each of which the chain may continue. */
export interface Fork<F, N extends keyof F = keyof F, K extends keyof F = keyof F> {
  readonly adds: N;
  readonly per: readonly K[];
  /** The facts to continue with; never empty. */
  readonly each: (facts: Pick<F, K>) => readonly F[N][];
  readonly fold: "best" | "worst";
}

/** A step of a table; the compiler checks its facts where it is made. */
export type Step<F> = Link<F> | Derived<F> | Fork<F>;

/** Makes the steps of a table: a step that uses an undeclared fact does not compile. */
export interface Steps<F> {
  link<K extends keyof F>(link: Link<F, K>): Step<F>;
  derived<N extends keyof F, K extends keyof F>(derived: Derived<F, N, K>): Step<F>;
  fork<N extends keyof F, K extends keyof F>(fork: Fork<F, N, K>): Step<F>;
}

export function stepsOf<F>(): Steps<F> {
  const same = (step: unknown): Step<F> => step as Step<F>;
  return { link: same, derived: same, fork: same };
}

/** A chain that was judged. */
export interface Chain<F> {
  readonly facts: F;
  /** The first link that is broken; `undefined` if none is. */
  readonly failed: CheckId | undefined;
  readonly verdict: Verdict;
  readonly passed: number;
  readonly checks: readonly CheckResult[];
  /**
   * The checks, of which those after the first broken link are judged as if it held: with the facts that are given, or
   * that follow from them. Of several ways that were not tried, the first is taken.
   */
  stacked(given?: Partial<F>): readonly CheckResult[];
}

/** More would only keep answers that no one asks for again: ten thousand service accounts, each with its own image. */
const REMEMBERED = 512;
/**
 * What a first fact adds to the size, because everything below it is kept as long. With four rights of a hundred images
 * each, twice the memory was needed as with three.
 */
const WEIGHT = 64;

/**
 * A step with its facts by number, and its last few hundred answers.
 *
 * The answers lie in maps within maps, one level for each fact, the last of which holds the result. Two questions in a
 * row share most facts, so the path of the previous one (`#recent`, and the innermost map, `#level`) is kept: where only
 * the last fact differs, one lookup finds the answer, and where none differs (`#isStale` is false), none is needed.
 * Looking up each fact for each question is seventy lines shorter, and up to a third slower on a million questions.
 */
class Compiled<F> {
  /** The number of the fact that it adds; -1 if it adds none. */
  readonly adds: number;
  readonly name: keyof F | undefined;
  /** The check that a link answers; `undefined` for other steps. */
  readonly id: CheckId | undefined;
  readonly fold: Fork<F>["fold"] | undefined;
  /** The numbers of the facts that it depends on. */
  readonly per: readonly number[];
  readonly #make: (facts: F) => unknown;
  readonly #last: number;
  #size = 0;
  #first = new Map<unknown, unknown>();
  #level = this.#first;
  readonly #recent: unknown[] = [];
  #made: unknown;
  #isStale = true;

  constructor(step: Step<F>, names: readonly (keyof F)[]) {
    this.per = step.per.map((name) => names.indexOf(name));
    this.#last = this.per.length - 1;
    this.name = "adds" in step ? step.adds : undefined;
    this.adds = this.name === undefined ? -1 : names.indexOf(this.name);
    this.id = "id" in step ? step.id : undefined;
    this.fold = "fold" in step ? step.fold : undefined;
    this.#make = "run" in step ? step.run : "each" in step ? step.each : step.of;
  }

  /** Makes the step look up its facts again, because one of them has changed. */
  touch(): void {
    this.#isStale = true;
  }

  forget(): void {
    if (this.#size === 0) return;
    this.#size = 0;
    this.#level = this.#first = new Map();
    this.#recent.length = 0;
  }

  /** The step's result for the facts; `values` are the same facts by number. */
  ask(values: readonly unknown[], facts: F): unknown {
    if (this.#isStale) {
      this.#made = this.#remembered(values, facts);
      this.#isStale = false;
    }
    return this.#made;
  }

  #remembered(values: readonly unknown[], facts: F): unknown {
    const { per } = this;
    const last = this.#last;
    for (let at = 0; at < last; at++)
      if (this.#recent[at] !== values[per[at] ?? 0]) {
        this.#goTo(values);
        break;
      }
    const key = values[per[last] ?? 0];
    const known = this.#level.get(key);
    if (known !== undefined || this.#level.has(key)) return known;
    const result = this.#make(facts);
    if (++this.#size > REMEMBERED) {
      this.forget();
      this.#goTo(values);
    }
    this.#level.set(key, result);
    return result;
  }

  #goTo(values: readonly unknown[]): void {
    this.#level = this.#first;
    for (let at = 0; at < this.#last; at++) {
      const key = (this.#recent[at] = values[this.per[at] ?? 0]);
      let next = this.#level.get(key) as Map<unknown, unknown> | undefined;
      if (next === undefined) {
        next = new Map();
        this.#level.set(key, next);
        if (at === 0) this.#size += WEIGHT;
      }
      this.#level = next;
    }
  }
}

/**
 * A job's table, ready to run. A million questions in a row differ in one or two facts: a change marks the steps that
 * depend on it, and only those are asked again.
 */
export class Runner<F extends object> {
  readonly links: readonly Link<F>[];
  readonly #table: readonly Step<F>[];
  readonly #steps: readonly Compiled<F>[];
  readonly #names: readonly (keyof F)[];
  /** How many of the facts are given; steps add the others. */
  readonly #given: number;
  readonly #values: unknown[];
  /** The steps that depend on each fact. */
  readonly #dependents: readonly (readonly Compiled<F>[])[];
  /** The fact that begins a row; -1 if none does. */
  readonly #row: number;
  /** The steps whose answers are of no use once the row is over. */
  readonly #ofRow: readonly Compiled<F>[];

  /**
   * Questions come in rows about one thing, the first fact of `row`; its other facts are made anew for each row. What
   * was remembered by any of them is forgotten with the row: the garbage collector copies what lives longer.
   */
  constructor(steps: readonly Step<F>[], row: readonly (keyof F)[] = []) {
    this.#table = steps;
    this.links = steps.filter((step): step is Link<F> => "run" in step);
    const added = steps.flatMap((step) => ("adds" in step ? [step.adds] : []));
    const named = new Set(steps.flatMap((step) => [...step.per]));
    const givenNames = [...named].filter((name) => !added.includes(name));
    this.#names = [...givenNames, ...added];
    this.#given = givenNames.length;
    this.#values = this.#names.map(() => undefined);
    this.#steps = steps.map((step) => new Compiled(step, this.#names));
    this.#dependents = this.#names.map((_, fact) => this.#steps.filter(({ per }) => per.includes(fact)));
    this.#row = row[0] === undefined ? -1 : this.#names.indexOf(row[0]);
    const ofRow = (fact: number): boolean => row.includes(this.#names[fact] as keyof F);
    this.#ofRow = this.#steps.filter(({ per }) => per.some(ofRow));
  }

  /** Judges a chain; adds derived facts to `facts`. */
  run(facts: F): Chain<F> {
    for (let at = 0; at < this.#given; at++) this.#set(at, facts[this.#names[at] as keyof F]);
    return this.#from(0, facts, 0, false);
  }

  /** What the links of a chain answered, up to the first that is broken. */
  answers(facts: F): readonly Answer[] {
    const answers: Answer[] = [];
    for (const [at, name] of this.#names.entries()) this.#set(at, facts[name]);
    for (const step of this.#steps) {
      if (step.id === undefined) continue;
      const answer = step.ask(this.#values, facts) as Answer;
      answers.push(answer);
      if (answer.status === "fail") break;
    }
    return answers;
  }

  /** What every link answers, with the facts that are given or that follow from them. */
  everyLink(given: F): readonly CheckResult[] {
    const facts = { ...given };
    const results: CheckResult[] = [];
    for (const step of this.#table)
      if ("run" in step) results.push({ id: step.id, ...plainAnswer(step.run(facts)) });
      else if ("of" in step) facts[step.adds] = step.of(facts);
      else facts[step.adds] ??= step.each(facts)[0] as F[keyof F];
    return results;
  }

  #set(fact: number, value: unknown): void {
    if (this.#values[fact] === value) return;
    this.#values[fact] = value;
    if (fact === this.#row) for (const step of this.#ofRow) step.forget();
    for (const step of this.#dependents[fact] ?? []) step.touch();
  }

  #from(start: number, facts: F, passedBefore: number, wasOpen: boolean): Chain<F> {
    let passed = passedBefore;
    let isOpen = wasOpen;
    for (let place = start; place < this.#steps.length; place++) {
      const step = this.#steps[place] as Compiled<F>;
      const result = step.ask(this.#values, facts);
      if (step.fold !== undefined)
        return this.#forked(place, result as readonly unknown[], facts, passed, isOpen);
      if (step.name !== undefined) {
        this.#set(step.adds, result);
        facts[step.name] = result as F[keyof F];
        continue;
      }
      const { status } = result as Answer;
      if (status === "fail") return new JudgedChain(this, facts, "denied", step.id, passed);
      if (status === "pass") passed++;
      else isOpen ||= status === "unknown";
    }
    return new JudgedChain(this, facts, isOpen ? "unknown" : "allowed", undefined, passed);
  }

  #forked(place: number, ways: readonly unknown[], facts: F, passed: number, isOpen: boolean): Chain<F> {
    const { adds, name, fold } = this.#steps[place] as Compiled<F>;
    let chosen: Chain<F> | undefined;
    for (const way of ways) {
      const factsOfWay = ways.length === 1 ? facts : { ...facts };
      factsOfWay[name as keyof F] = way as F[keyof F];
      this.#set(adds, way);
      const chain = this.#from(place + 1, factsOfWay, passed, isOpen);
      if (
        chosen === undefined ||
        (fold === "best" ? isBetter(chain, chosen) : isBetter(chosen, chain, false))
      )
        chosen = chain;
    }
    return chosen as Chain<F>;
  }
}

/** Of two equal verdicts, the chain that gets further says more; among pools, the first is as good as any. */
function isBetter<F>(one: Chain<F>, other: Chain<F>, byLength = true): boolean {
  const compared = compareVerdicts(one.verdict, other.verdict);
  return compared > 0 || (byLength && compared === 0 && one.passed > other.passed);
}

/** Asks the links for their words only when these are read: of a million chains, few are. */
class JudgedChain<F extends object> implements Chain<F> {
  readonly facts: F;
  readonly verdict: Verdict;
  readonly failed: CheckId | undefined;
  readonly passed: number;
  readonly #runner: Runner<F>;

  constructor(runner: Runner<F>, facts: F, verdict: Verdict, failed: CheckId | undefined, passed: number) {
    this.#runner = runner;
    this.facts = facts;
    this.verdict = verdict;
    this.failed = failed;
    this.passed = passed;
  }

  get checks(): readonly CheckResult[] {
    const answers = this.#runner.answers(this.facts);
    return this.#runner.links.map(({ id }, place) => {
      const answer = answers[place];
      return answer ? { id, ...plainAnswer(answer) } : notReached(id, this.failed);
    });
  }

  stacked(given: Partial<F> = {}): readonly CheckResult[] {
    const { checks } = this;
    if (this.failed === undefined) return checks;
    const all = this.#runner.everyLink({ ...this.facts, ...given });
    return checks.map((check, place) => (check.status === "skipped" ? (all[place] ?? check) : check));
  }
}

function notReached(id: CheckId, failed: CheckId | undefined): CheckResult {
  return { id, status: "skipped", reason: `not reached: ${failed ?? id} fails`, evidence: [], remedy: "" };
}
