/*
 * Whether something holds, and why. Texts are built only when they are read: a million decisions need none.
 */

import { type Ternary } from "../../../model/known";

export class Match {
  readonly holds: Ternary;
  readonly #words: () => string;

  constructor(holds: Ternary, words: () => string) {
    this.holds = holds;
    this.#words = words;
  }

  get reason(): string {
    return this.#words();
  }
}

/** Without a reason of its own: only what is in the way is told. */
export const YES: Match = new Match("yes", () => "it holds");

export function no(words: () => string): Match {
  return new Match("no", words);
}

export function cannotTell(words: () => string): Match {
  return new Match("unknown", words);
}

/** Holds if all do; a single failure decides, even if others are unknown. */
export function all(matches: readonly Match[]): Match {
  return (
    matches.find(({ holds }) => holds === "no") ?? matches.find(({ holds }) => holds === "unknown") ?? YES
  );
}

/** Holds if one does, even if others are unknown. */
export function any(matches: readonly Match[], failing: () => string): Match {
  return (
    matches.find(({ holds }) => holds === "yes") ??
    matches.find(({ holds }) => holds === "unknown") ??
    no(failing)
  );
}

/** The opposite, with the given reason if the match held. */
export function not(match: Match, words: () => string): Match {
  if (match.holds === "unknown") return match;
  return match.holds === "yes" ? no(words) : YES;
}

const SHOWN_CHARACTERS = 120;

export function quoted(text: string): string {
  return JSON.stringify(text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text);
}
