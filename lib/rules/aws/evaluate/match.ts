/*
 * Three-valued judgement: what holds, what does not, and what cannot be told, each with its reason.
 */

/** Whether something holds; `undefined` where that cannot be told. */
export interface Match {
  /** The truth value. */
  readonly holds: boolean | undefined;
  /** Why. */
  readonly reason: string;
}

/** Holds. */
export function yes(reason: string): Match {
  return { holds: true, reason };
}

/** Does not hold. */
export function no(reason: string): Match {
  return { holds: false, reason };
}

/** Cannot be told. */
export function cannotTell(reason: string): Match {
  return { holds: undefined, reason };
}

/** Holds when all do; a single failure decides, even beside what cannot be told. */
export function all(matches: readonly Match[], otherwise: string): Match {
  return (
    matches.find(({ holds }) => holds === false) ??
    matches.find(({ holds }) => holds === undefined) ??
    yes(otherwise)
  );
}

/** Holds when one does, even beside what cannot be told. */
export function any(matches: readonly Match[], otherwise: string): Match {
  return (
    matches.find(({ holds }) => holds === true) ??
    matches.find(({ holds }) => holds === undefined) ??
    no(otherwise)
  );
}

/** The opposite, with the reason given for what was certain. */
export function not(match: Match, reason: string): Match {
  return match.holds === undefined ? match : { holds: !match.holds, reason };
}

const SHOWN_CHARACTERS = 120;

/** A text in quotes, cut where it is long. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text);
}
