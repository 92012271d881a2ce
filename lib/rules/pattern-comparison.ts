/*
 * Two patterns of IAM compared with each other: whether one is within the other, and whether they have a text in common.
 */

const ANY_SIGN = "*";
const ONE_SIGN = "?";
const WILDCARD = /[*?]/;

/**
 * True if every text that a pattern of IAM matches is also matched by another: `b/x*` within `b/*`, `b*` not within
 * `b?`. Never wrongly true, but false for some that are within, for example `?*` and `*?`.
 */
export function patternWithin(narrow: string, wide: string): boolean {
  if (beginDifferently(narrow, wide)) return false;
  // reached[j]: the part of `wide` read so far can stand for the first j characters of `narrow`.
  let reached = Array.from({ length: narrow.length + 1 }, (_, length) => length === 0);
  for (const sign of wide)
    reached = sign === ANY_SIGN ? fromFirst(reached) : oneFurther(reached, sign, narrow);
  return reached.at(-1) === true;
}

/** `*` stands for any text, wildcards in it too. */
function fromFirst(reached: readonly boolean[]): boolean[] {
  const first = reached.indexOf(true);
  return reached.map((_, length) => first >= 0 && length >= first);
}

function oneFurther(reached: readonly boolean[], sign: string, narrow: string): boolean[] {
  return reached.map((_, length) => {
    const given = narrow[length - 1];
    if (length === 0 || reached[length - 1] !== true) return false;
    return sign === ONE_SIGN ? given !== ANY_SIGN : given === sign;
  });
}

/** True if some text matches both of two patterns. */
export function patternsMeet(one: string, other: string): boolean {
  if (one === other) return true;
  if (beginDifferently(one, other) || !WILDCARD.test(one + other)) return false;
  // meets[from]: the rest of `one` and the rest of `other` have a text in common.
  let stars = other.length;
  while (other[stars - 1] === ANY_SIGN) stars--;
  let meets = Array.from({ length: other.length + 1 }, (_, from) => from >= stars);
  for (let at = one.length - 1; at >= 0; at--) {
    const next: boolean[] = [];
    for (let from = other.length; from >= 0; from--) {
      const signs = [one[at], other[from]];
      const further = from < other.length && next[from + 1] === true;
      const isSame = signs[0] === signs[1] || (from < other.length && signs.includes(ONE_SIGN));
      next[from] = signs.includes(ANY_SIGN)
        ? meets[from] === true || further
        : isSame && meets[from + 1] === true;
    }
    meets = next;
  }
  return meets[0] === true;
}

/** True if two patterns differ before their first wildcard, as most do: no text matches both. */
export function beginDifferently(one: string, other: string): boolean {
  for (let at = 0; at < one.length && at < other.length; at++) {
    const [sign, another] = [one[at], other[at]];
    if (sign === another && sign !== ANY_SIGN) continue;
    return sign !== ANY_SIGN && sign !== ONE_SIGN && another !== ANY_SIGN && another !== ONE_SIGN;
  }
  return false;
}
