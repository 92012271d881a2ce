/** How many letters may be wrong in a name for a suggestion to be made. */
const TYPOS_MAX = 3;

/** Returns the name that was probably meant; `undefined` if none is similar. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  const [best] = known
    .map((candidate) => ({ candidate, typos: distance(name.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ typos }) => typos <= Math.min(TYPOS_MAX, name.length / 2))
    .sort((a, b) => a.typos - b.typos);
  return best?.candidate;
}

/** Typing errors in a name of which nothing else is known than that it looks like a known one. */
const NEAR_MISS = 2;

/** Returns the known name that a name misses by one or two letters; `undefined` for a known name. */
export function nearMiss(
  name: string,
  known: readonly string[],
  letterCase: "counts" | "ignored" = "counts",
): string | undefined {
  const same = (each: string): boolean =>
    letterCase === "counts" ? each === name : each.toLowerCase() === name.toLowerCase();
  if (known.some(same)) return undefined;
  const most = Math.min(NEAR_MISS, name.length / 4);
  return known.find(
    (each) =>
      Math.abs(each.length - name.length) <= most && distance(name.toLowerCase(), each.toLowerCase()) <= most,
  );
}

/** Returns the similar names, the most similar first. */
export function byNearness(name: string, known: readonly string[]): readonly string[] {
  const far = new Map(known.map((each) => [each, distance(name.toLowerCase(), each.toLowerCase())]));
  return [...far.keys()].sort((a, b) => (far.get(a) ?? 0) - (far.get(b) ?? 0) || (a < b ? -1 : 1));
}

/** Letters to insert, delete or replace (Levenshtein). */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [place, letter] of [...from].entries()) {
    const next = [place + 1];
    for (const [index, other] of [...to].entries()) {
      const replaced = (row[index] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(replaced, (row[index + 1] ?? 0) + 1, (next[index] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
