/*
 * Questions about a set of names: what holds for every repository that a pattern covers.
 *
 * A judge sees one name at a time and may only ask whether it matches patterns. For a pattern, the judge runs once for
 * each way in which a name of the set can answer those questions, each time with such a name as an example. Whether one
 * exists is decided exactly, by a walk over the patterns' automata and the grammar of repository names, so the same
 * judge works for a name and for a pattern.
 */

import type { Ternary } from "../model/known";
import { ALPHANUMERIC, REPOSITORY_NAMES, type Grammar } from "./name-grammar";
import { type Reached, Walk } from "./pattern-walk";
import { type Pattern, literalPattern, matchesPattern, patternOf } from "./wildcard";

/** A name that a judge examines. */
export interface AskedName {
  /** The name, or an example of the names in question. */
  readonly example: string;
  /** Whether it matches; `before` is text that precedes the name where it is compared, for example in an ARN. */
  matches(pattern: Pattern, before?: string): Ternary;
}

/** A single name, or all names that a pattern covers. */
export class AskedNames {
  /** The text as it was given: `base/*`. */
  readonly text: string;
  readonly #pattern: Pattern | undefined;
  readonly #grammar: Grammar;
  readonly #alike: AskedName | undefined;

  private constructor(
    text: string,
    pattern: Pattern | undefined,
    grammar: Grammar = REPOSITORY_NAMES,
    alike?: AskedName,
  ) {
    this.text = text;
    this.#pattern = pattern;
    this.#grammar = grammar;
    this.#alike = alike;
  }

  /** A single name. */
  static one(name: string): AskedNames {
    return new AskedNames(name, undefined);
  }

  /** All repositories that a pattern covers, in which `*` is any text; without a star, a single name. */
  static covered(pattern: string): AskedNames {
    if (!pattern.includes("*")) return AskedNames.one(pattern);
    return new AskedNames(pattern, starsOnly(pattern));
  }

  /** All names in a grammar that a pattern covers. */
  static ofGrammar(pattern: Pattern, grammar: Grammar): AskedNames {
    return new AskedNames("", pattern, grammar);
  }

  /**
   * The names for which the name that a judge of {@link each} sees is the example: questions about them also divide the
   * names that are still to be tried. Their text is the example.
   */
  static alike(name: AskedName): AskedNames {
    return new AskedNames(name.example, undefined, REPOSITORY_NAMES, name);
  }

  /** Whether a pattern, in which `*` is any text, covers a name. */
  static covers(pattern: string, name: string): boolean {
    return pattern === name || matchesPattern(starsOnly(pattern), name) === true;
  }

  /** True for a single name. */
  get isOne(): boolean {
    return this.#pattern === undefined && this.#alike === undefined;
  }

  /** Whether the set may contain the name. */
  mayHave(name: string): boolean {
    return this.#alike !== undefined || AskedNames.covers(this.text, name);
  }

  /**
   * The worst of a judge's answers for the names, as ranked by `badness`, with a name to which it applies.
   *
   * `undefined` if the patterns are too many or too complex to try, or if no repository name fits.
   */
  worst<Said>(
    judge: (name: AskedName) => Said,
    badness: (said: Said) => number,
  ): { readonly said: Said; readonly example: string } | undefined {
    const only = this.#only;
    if (only) return { said: judge(only), example: only.example };
    const search = new Search(this.#grammar, { left: STATES_MAX });
    const { all, isOver } = this.#tried(judge, search, TRIES_MAX);
    if (isOver) return undefined;
    return all.reduce<(typeof all)[number] | undefined>(
      (worst, each) => (worst && badness(each.said) <= badness(worst.said) ? worst : each),
      undefined,
    );
  }

  /**
   * A judge's answer for every name: one for each way in which its questions can be answered, with an example. Names
   * with the same answers are treated as one.
   *
   * `undefined` if not every way could be tried. A judge that itself asks for each of other names shares the effort with
   * them, since the ways multiply.
   */
  each<Said>(
    judge: (name: AskedName) => Said,
    effort: Effort = { left: ALL_STATES_MAX },
  ): readonly { readonly said: Said; readonly example: string }[] | undefined {
    const only = this.#only;
    if (only) return [{ said: judge(only), example: only.example }];
    const search = new Search(this.#grammar, effort);
    const { all, isOver } = this.#tried(judge, search, ALL_TRIES_MAX);
    return isOver || search.isCut ? undefined : all;
  }

  get #only(): AskedName | undefined {
    return this.#alike ?? (this.#pattern === undefined ? oneName(this.text) : undefined);
  }

  #tried<Said>(
    judge: (name: AskedName) => Said,
    search: Search,
    triesMax: number,
  ): {
    readonly all: readonly { readonly said: Said; readonly example: string }[];
    readonly isOver: boolean;
  } {
    const answers: { readonly said: Said; readonly example: string }[] = [];
    const { pending } = search;
    if (this.#pattern) search.add([{ walk: search.walkOf(this.#pattern), wanted: true }]);
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      if (answers.length === triesMax) return { all: answers, isOver: true };
      const name = new SomeName(next, search);
      answers.push({ said: judge(name), example: name.example });
    }
    return { all: answers, isOver: false };
  }
}

/** How much may still be tried: states of walks, and answers to questions. */
export interface Effort {
  left: number;
}

/** Limit of the ways to answer a judge's questions; a policy has a handful of patterns. */
const TRIES_MAX = 256;
/** Limit of the states of all walks for one question; ordinary patterns need some hundreds. */
const STATES_MAX = 10_000;
/** Limit if every way is needed, not only the worst. */
const ALL_TRIES_MAX = 4096;
const ALL_STATES_MAX = 400_000;

/** One name, compared as text. */
function oneName(example: string): AskedName {
  return {
    example,
    matches: (pattern, before = "") => {
      const isMatch = matchesPattern(pattern, before + example);
      return isMatch === undefined ? "unknown" : isMatch ? "yes" : "no";
    },
  };
}

/** A question and its answer. */
interface Answered {
  readonly walk: Walk;
  readonly wanted: boolean;
}

/** A combination of answers, and a name that gives them. */
interface Asked {
  readonly answers: readonly Answered[];
  readonly example: string;
}

/** The names that give certain answers; if a further question divides them, the other answer is tried later. */
class SomeName implements AskedName {
  readonly example: string;
  readonly #answers: Answered[];
  readonly #search: Search;

  constructor({ answers, example }: Asked, search: Search) {
    this.#answers = [...answers];
    this.example = example;
    this.#search = search;
  }

  matches(pattern: Pattern, before = ""): Ternary {
    this.#search.spend();
    const walk = this.#search.walkOf(pattern, before);
    const known = this.#answers.find((each) => each.walk === walk);
    if (known) return known.wanted ? "yes" : "no";
    const isMatch = matchesPattern(pattern, before + this.example);
    if (isMatch === undefined) return "unknown";
    if (!this.#search.add([...this.#answers, { walk, wanted: !isMatch }])) return "unknown";
    this.#answers.push({ walk, wanted: isMatch });
    return isMatch ? "yes" : "no";
  }
}

function isSame(one: Pattern, other: Pattern): boolean {
  return one === other || (one.length === other.length && one.every((unit, place) => unit === other[place]));
}

/** In what users declare, only the star is a wildcard; in policies the question mark is one too. */
function starsOnly(text: string): Pattern {
  const star = patternOf("*");
  const pieces = text.split("*").map(literalPattern);
  const units = pieces.flatMap((piece, place) => [...(place === 0 ? [] : star), ...piece]);
  return Int32Array.from(units);
}

/** The combinations that are still to be tried. */
class Search {
  readonly pending: Asked[] = [];
  readonly #walks: Walk[] = [];
  readonly #grammar: Grammar;
  readonly #effort: Effort;

  constructor(grammar: Grammar, effort: Effort) {
    this.#grammar = grammar;
    this.#effort = effort;
  }

  /** True if a combination may have been missed. */
  get isCut(): boolean {
    return this.#effort.left <= 0;
  }

  spend(): void {
    this.#effort.left--;
  }

  /** One object for each question. */
  walkOf(pattern: Pattern, before = ""): Walk {
    const known = this.#walks.find((each) => each.before === before && isSame(each.pattern, pattern));
    if (known) return known;
    const walk = new Walk(pattern, before);
    this.#walks.push(walk);
    return walk;
  }

  /** Queues the names that give these answers, if there are any; false if that takes too long to decide. */
  add(answers: readonly Answered[]): boolean {
    const example = this.#exampleOf(answers);
    if (example !== undefined) this.pending.push({ answers, example });
    return !this.isCut;
  }

  /** The shortest name that gives the answers. */
  #exampleOf(answers: readonly Answered[]): string | undefined {
    const grammar = this.#grammar;
    const unnamed = LETTERS.find((unit) => answers.every(({ walk }) => !walk.pattern.includes(unit)));
    const start: State = { grammar: 0, places: answers.map(({ walk }) => walk.start) };
    const seen = new Set([keyOf(start)]);
    let level: (readonly [State, string])[] = [[start, ""]];
    for (let length = 0; length < grammar.lengthMax && level.length > 0; length++) {
      const next: (readonly [State, string])[] = [];
      for (const [state, name] of level)
        for (const unit of unitsFor(state.places, grammar, unnamed)) {
          const after = stepped(state, unit, answers, grammar);
          if (after === undefined || this.isCut) continue;
          const key = keyOf(after);
          if (seen.has(key)) continue;
          seen.add(key);
          this.spend();
          const longer = name + String.fromCharCode(unit);
          if (isEnd(after, answers, grammar)) return longer;
          next.push([after, longer]);
        }
      level = next;
    }
    return undefined;
  }
}

/** What has been reached in the grammar and in each pattern. */
interface State {
  readonly grammar: number;
  readonly places: readonly Reached[];
}

function keyOf({ grammar, places }: State): string {
  return `${grammar},${places.map(({ id }) => id).join()}`;
}

function stepped(
  state: State,
  unit: number,
  answers: readonly Answered[],
  { steps }: Grammar,
): State | undefined {
  const grammar = steps[state.grammar]?.(String.fromCharCode(unit)) ?? -1;
  if (grammar < 0) return undefined;
  const places: Reached[] = [];
  for (const [index, reached] of state.places.entries()) {
    const after = reached.after(unit);
    // No further text changes the answer.
    if (after.always !== undefined && after.always !== answers[index]?.wanted) return undefined;
    places.push(after);
  }
  return { grammar, places };
}

function isEnd({ grammar, places }: State, answers: readonly Answered[], { end }: Grammar): boolean {
  return grammar === end && answers.every(({ wanted }, index) => places[index]?.matches === wanted);
}

const LETTERS: readonly number[] = [...ALPHANUMERIC].map((letter) => letter.charCodeAt(0));
const RANKS: ReadonlyMap<number, number> = new Map(LETTERS.map((unit, rank) => [unit, rank]));

/** Letters and digits that the patterns distinguish at these places, one for all others, and signs. */
function unitsFor(
  places: readonly Reached[],
  { signs }: Grammar,
  unnamed: number | undefined,
): readonly number[] {
  const named = new Set<number>();
  for (const { units } of places) for (const unit of units) named.add(unit);
  const other = unnamed ?? LETTERS.find((unit) => !named.has(unit));
  const all = other === undefined ? [] : [other];
  const known = [...named].filter((unit) => RANKS.has(unit));
  all.push(...known.sort((one, next) => (RANKS.get(one) ?? 0) - (RANKS.get(next) ?? 0)));
  if (signs === undefined) all.push(...[...named].filter((unit) => !RANKS.has(unit)));
  else for (const sign of signs) all.push(sign.charCodeAt(0));
  return all;
}
