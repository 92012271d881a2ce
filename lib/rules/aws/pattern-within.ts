const ANY = "*";
const ONE = "?";

/**
 * True where every text that a pattern of IAM matches is matched by another one: `b/x*` within `b/*`, `b*` not within
 * `b?`. Never true wrongly; false also for some that are within, `?*` and `*?` say.
 */
export function patternWithin(narrow: string, wide: string): boolean {
  // reached[j]: the part of `wide` read so far can stand for the first j characters of `narrow`.
  let reached = Array.from({ length: narrow.length + 1 }, (_, length) => length === 0);
  for (const sign of wide) reached = sign === ANY ? fromFirst(reached) : oneFurther(reached, sign, narrow);
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
    return sign === ONE ? given !== ANY : given === sign;
  });
}
