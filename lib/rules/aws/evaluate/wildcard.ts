/*
 * IAM's wildcards: `*` for any text, `?` for one character. No regular expression, so that no policy can make
 * matching slow: literal pieces are searched with Knuth, Morris and Pratt's algorithm; pieces with `?` within a
 * fixed number of steps, after which the answer is "cannot tell".
 */

const STAR = -1;
const ONE = -2;
const STEPS_MAX = 4_000_000;

/** A pattern as code units; `*` and `?` that are wildcards have negative values. */
export type Pattern = readonly number[];

/** The pattern of a text in which every `*` and `?` is a wildcard. */
export function patternOf(text: string): Pattern {
  return Array.from({ length: text.length }, (_, index) => {
    const unit = text.charCodeAt(index);
    return unit === 42 ? STAR : unit === 63 ? ONE : unit;
  });
}

/** The pattern of a text in which nothing is a wildcard. */
export function literalPattern(text: string): Pattern {
  return Array.from({ length: text.length }, (_, index) => text.charCodeAt(index));
}

/** Whether the whole text matches; `undefined` where that would take too long to tell. */
export function matchesPattern(pattern: string | Pattern, text: string): boolean | undefined {
  const units = typeof pattern === "string" ? patternOf(pattern) : pattern;
  const pieces = split(units);
  const [first] = pieces;
  if (!first) return text === "";
  if (pieces.length === 1) return first.length === text.length && matchesAt(first, text, 0);
  const last = pieces[pieces.length - 1] ?? [];
  const end = text.length - last.length;
  if (first.length > end || !matchesAt(first, text, 0) || !matchesAt(last, text, end)) return false;
  return middleMatches(pieces.slice(1, -1), text, first.length, end);
}

function middleMatches(
  pieces: readonly Pattern[],
  text: string,
  from: number,
  end: number,
): boolean | undefined {
  const budget = { steps: STEPS_MAX };
  let position = from;
  for (const piece of pieces) {
    if (piece.length === 0) continue;
    const found = piece.includes(ONE)
      ? findSlowly(piece, text, position, end, budget)
      : find(piece, text, position, end);
    if (found === undefined) return undefined;
    if (found < 0) return false;
    position = found + piece.length;
  }
  return true;
}

function split(units: Pattern): Pattern[] {
  const pieces: number[][] = [[]];
  for (const unit of units) {
    if (unit === STAR) pieces.push([]);
    else pieces[pieces.length - 1]?.push(unit);
  }
  return pieces;
}

function matchesAt(piece: Pattern, text: string, position: number): boolean {
  return piece.every((unit, index) => unit === ONE || unit === text.charCodeAt(position + index));
}

/** First position of a piece without `?`, in linear time; -1 where there is none. */
function find(piece: Pattern, text: string, from: number, end: number): number {
  const borders = bordersOf(piece);
  let matched = 0;
  for (let position = from; position < end; position++) {
    const unit = text.charCodeAt(position);
    while (matched > 0 && piece[matched] !== unit) matched = borders[matched - 1] ?? 0;
    if (piece[matched] === unit) matched++;
    if (matched === piece.length) return position - matched + 1;
  }
  return -1;
}

/** For each prefix of the piece, the length of its longest proper border. */
function bordersOf(piece: Pattern): number[] {
  const borders = [0];
  let matched = 0;
  for (let position = 1; position < piece.length; position++) {
    while (matched > 0 && piece[matched] !== piece[position]) matched = borders[matched - 1] ?? 0;
    if (piece[matched] === piece[position]) matched++;
    borders.push(matched);
  }
  return borders;
}

function findSlowly(
  piece: Pattern,
  text: string,
  from: number,
  end: number,
  budget: { steps: number },
): number | undefined {
  for (let position = from; position + piece.length <= end; position++) {
    let index = 0;
    while (
      index < piece.length &&
      (piece[index] === ONE || piece[index] === text.charCodeAt(position + index))
    )
      index++;
    if (index === piece.length) return position;
    budget.steps -= index + 1;
    if (budget.steps < 0) return undefined;
  }
  return -1;
}
