/** From this length on a hostile pattern could make the engine's own search quadratic. */
const LONG = 64;

/**
 * `text.indexOf(part, from)` in linear time, whatever the input: Knuth, Morris and Pratt for long parts, the
 * engine's own search for short ones.
 */
export function indexOf(text: string, part: string, from: number): number {
  if (part.length < LONG) return text.indexOf(part, from);
  const borders = borderTable(part);
  let matched = 0;
  for (let i = from; i < text.length; i++) {
    const c = text.charCodeAt(i);
    while (matched > 0 && part.charCodeAt(matched) !== c) matched = borders[matched - 1] ?? 0;
    if (part.charCodeAt(matched) === c) matched++;
    if (matched === part.length) return i + 1 - matched;
  }
  return -1;
}

/** For each prefix, the length of its longest proper border (a prefix that is also its suffix). */
function borderTable(part: string): Int32Array {
  const borders = new Int32Array(part.length);
  let length = 0;
  for (let i = 1; i < part.length; i++) {
    while (length > 0 && part.charCodeAt(i) !== part.charCodeAt(length)) length = borders[length - 1] ?? 0;
    if (part.charCodeAt(i) === part.charCodeAt(length)) length++;
    borders[i] = length;
  }
  return borders;
}
