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
