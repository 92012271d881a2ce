/*
 * IAM's wildcards: `*` for any text, `?` for one character. Uses no regular expression, so that no policy can make
 * matching slow: literal pieces are searched with the algorithm of Knuth, Morris and Pratt; pieces with `?` within a
 * fixed number of steps, after which the answer is "cannot tell".
 */

const STAR = -1;
const ONE = -2;
const STAR_UNIT = 42;
const ONE_UNIT = 63;
const STEPS_MAX = 4_000_000;

/** A pattern as code units; wildcards `*` and `?` have negative values. */
export type Pattern = Int32Array;

export function isAnyText(unit: number): boolean {
  return unit === STAR;
}

export function isAnyUnit(unit: number): boolean {
  return unit === ONE;
}

/** Parses a pattern that is compared many times, if parsing pays off. */
export function preparedPattern(pattern: string | Pattern): string | Pattern {
  return typeof pattern === "string" && hasWildcard(pattern) ? patternOf(pattern) : pattern;
}

/** True for a text in which IAM would see a wildcard. */
export function hasWildcard(text: string): boolean {
  return text.includes("*") || text.includes("?");
}

/** The pattern of a text in which every `*` and `?` is a wildcard. */
export function patternOf(text: string): Pattern {
  const units = literalPattern(text);
  for (let index = 0; index < units.length; index++) {
    if (units[index] === STAR_UNIT) units[index] = STAR;
    else if (units[index] === ONE_UNIT) units[index] = ONE;
  }
  return units;
}

/** The pattern of a text in which nothing is a wildcard. */
export function literalPattern(text: string): Pattern {
  const units = new Int32Array(text.length);
  for (let index = 0; index < text.length; index++) units[index] = text.charCodeAt(index);
  return units;
}

/** The pattern of all texts that begin with what a pattern matches. */
export function prefixPattern(pattern: Pattern): Pattern {
  return joinedPattern([pattern, patternOf("*")]);
}

export function joinedPattern(patterns: readonly Pattern[]): Pattern {
  const joined = new Int32Array(patterns.reduce((length, pattern) => length + pattern.length, 0));
  let offset = 0;
  for (const pattern of patterns) {
    joined.set(pattern, offset);
    offset += pattern.length;
  }
  return joined;
}

/** Whether the whole text matches; `undefined` if that would take too long to decide. */
export function matchesPattern(pattern: string | Pattern, text: string): boolean | undefined {
  if (typeof pattern === "string" && !hasWildcard(pattern)) return pattern === text;
  const units = typeof pattern === "string" ? patternOf(pattern) : pattern;
  const firstStar = units.indexOf(STAR);
  if (firstStar < 0) return units.length === text.length && agrees(units, 0, units.length, text, 0);
  const lastStar = units.lastIndexOf(STAR);
  const end = text.length - (units.length - lastStar - 1);
  if (firstStar > end || !agrees(units, 0, firstStar, text, 0)) return false;
  if (!agrees(units, lastStar + 1, units.length, text, end)) return false;
  return firstStar === lastStar || middleMatches(units.subarray(0, lastStar + 1), firstStar, text, end);
}

/** Matches the pieces between the first and the last star, each at the leftmost place after the previous one. */
function middleMatches(units: Pattern, firstStar: number, text: string, end: number): boolean | undefined {
  const borders = new Int32Array(units.length);
  const budget = { steps: STEPS_MAX };
  let position = firstStar;
  const findPiece = (piece: Pattern): number | undefined => {
    if (piece.length === 0) return position;
    return piece.includes(ONE)
      ? findSlowly(piece, text, position, end, budget)
      : find(piece, borders, text, position, end);
  };
  for (let from = firstStar + 1; from < units.length;) {
    const to = units.indexOf(STAR, from);
    const length = to - from;
    const found =
      length === 1 ? findUnit(units[from], text, position, end) : findPiece(units.subarray(from, to));
    if (found === undefined) return undefined;
    if (found < 0) return false;
    position = found + length;
    from = to + 1;
  }
  return true;
}

/** First position of a single unit; -1 if it does not occur. A pattern may consist of half a million such pieces. */
function findUnit(unit: number | undefined, text: string, from: number, end: number): number {
  const position = unit === undefined || unit === ONE ? from : text.indexOf(String.fromCharCode(unit), from);
  return position < end ? position : -1;
}

/** Whether the units of a pattern between two positions equal the text at a position. */
function agrees(units: Pattern, from: number, to: number, text: string, position: number): boolean {
  for (let place = from; place < to; place++) {
    const unit = units[place];
    if (unit !== ONE && unit !== text.charCodeAt(position + place - from)) return false;
  }
  return true;
}

/** First position of a piece without `?`, in linear time; -1 if it does not occur. */
export function find(piece: Pattern, borders: Int32Array, text: string, from: number, end: number): number {
  fillBorders(piece, borders);
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
function fillBorders(piece: Pattern, borders: Int32Array): void {
  borders[0] = 0;
  let matched = 0;
  for (let position = 1; position < piece.length; position++) {
    while (matched > 0 && piece[matched] !== piece[position]) matched = borders[matched - 1] ?? 0;
    if (piece[matched] === piece[position]) matched++;
    borders[position] = matched;
  }
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
