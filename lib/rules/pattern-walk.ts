/*
 * A pattern as an automaton: what it makes of a name, character by character.
 */

import { type Pattern, isAnyText, isAnyUnit } from "./wildcard";

/** A pattern that a name is compared with after a text that precedes it, walked character by character. */
export class Walk {
  readonly pattern: Pattern;
  readonly before: string;
  readonly start: Reached;
  readonly #known = new Map<string, Reached>();

  constructor(pattern: Pattern, before: string) {
    this.pattern = pattern;
    this.before = before;
    let reached = this.reached([0]);
    for (let at = 0; at < before.length; at++) reached = reached.after(before.charCodeAt(at));
    this.start = reached;
  }

  /** One object for each set of positions, which are sorted. */
  reached(positions: readonly number[]): Reached {
    const closed = this.#closed(positions);
    const key = closed.join();
    const known = this.#known.get(key) ?? new Reached(this, closed, this.#known.size);
    this.#known.set(key, known);
    return known;
  }

  /** A star may match the empty text. */
  #closed(positions: readonly number[]): readonly number[] {
    const all: number[] = [];
    for (const first of positions)
      for (let at = first; at > (all.at(-1) ?? -1); at++) {
        all.push(at);
        if (!isAnyText(this.pattern[at] ?? 0)) break;
      }
    return all;
  }
}

/** The positions that a text has reached in a pattern; a star keeps several at once. */
export class Reached {
  readonly id: number;
  /** Whether the pattern matches the text. */
  readonly matches: boolean;
  /** The answer if it is the same for every longer text. */
  readonly always: boolean | undefined;
  /** The characters that the pattern distinguishes next. */
  readonly units: readonly number[];
  readonly #walk: Walk;
  readonly #positions: readonly number[];
  readonly #after = new Map<number, Reached>();

  constructor(walk: Walk, positions: readonly number[], id: number) {
    const { pattern } = walk;
    this.id = id;
    this.matches = positions.includes(pattern.length);
    const isOpen = this.matches && isAnyText(pattern.at(-1) ?? 0);
    this.always = isOpen ? true : positions.length === 0 ? false : undefined;
    this.units = positions.flatMap((each) => pattern[each] ?? []).filter((unit) => unit > 0);
    this.#walk = walk;
    this.#positions = positions;
  }

  after(unit: number): Reached {
    const known = this.#after.get(unit) ?? this.#walk.reached(this.#advanced(unit));
    this.#after.set(unit, known);
    return known;
  }

  #advanced(unit: number): readonly number[] {
    const { pattern } = this.#walk;
    return this.#positions.flatMap((position) => {
      const wanted = pattern[position];
      if (wanted === undefined) return [];
      if (isAnyText(wanted)) return [position];
      return isAnyUnit(wanted) || wanted === unit ? [position + 1] : [];
    });
  }
}
