/*
 * Go's filepath.Match on Linux (go/src/path/filepath/match.go), over byte strings. A pattern is a sequence of
 * chunks, each preceded by `*` or not; each starred chunk takes its leftmost place, so nothing is tried twice.
 * A malformed pattern matches nothing, as the kubelet ignores the error.
 */

import { indexOf } from "./byte-search";
import { runeAt } from "./go-text";

interface Chunk {
  readonly starred: boolean;
  readonly text: string;
}

/** True where the whole name matches the pattern; false also for a malformed pattern. Never throws. */
export function goMatch(pattern: string, name: string): boolean {
  if (!/[*?[\\]/.test(pattern)) return pattern === name;
  const chunks = split(pattern);
  let position = 0;
  let slash = nextSlash(name, 0);
  for (const [index, chunk] of chunks.entries()) {
    const last = index === chunks.length - 1;
    if (slash < position) slash = nextSlash(name, position);
    const next = place(chunk, name, { position, slash, last });
    if (next === undefined) return false;
    position = next;
  }
  return position === name.length;
}

/** The first slash at or after the position; the length of the name where there is none. A star stops at it. */
function nextSlash(name: string, position: number): number {
  const found = name.indexOf("/", position);
  return found < 0 ? name.length : found;
}

interface Spot {
  readonly position: number;
  readonly slash: number;
  readonly last: boolean;
}

/** Where the chunk ends when it is placed at the position or, if starred, at the first place after it. */
function place(chunk: Chunk, name: string, spot: Spot): number | undefined {
  const { starred, text } = chunk;
  const { position, slash, last } = spot;
  if (!starred) return matchChunk(text, name, position);
  if (text === "") return slash === name.length ? slash : undefined;
  if (!/[?[\\]/.test(text)) return placeLiteral(text, name, spot);
  for (let start = position; start <= slash; start++) {
    const end = matchChunk(text, name, start);
    if (end !== undefined && (!last || end === name.length)) return end;
  }
  return undefined;
}

function placeLiteral(text: string, name: string, { position, slash, last }: Spot): number | undefined {
  const start = last ? name.length - text.length : indexOf(name, text, position);
  const found = start >= position && start <= slash && (!last || name.endsWith(text));
  return found ? start + text.length : undefined;
}

/** Splits before each run of `*` that stands outside a class; a pattern without stars is one chunk. */
function split(pattern: string): Chunk[] {
  const chunks: Chunk[] = [];
  let position = 0;
  while (position < pattern.length) {
    const start = position;
    while (pattern[position] === "*") position++;
    const end = chunkEnd(pattern, position);
    chunks.push({ starred: position > start, text: pattern.slice(position, end) });
    position = end;
  }
  return chunks;
}

function chunkEnd(pattern: string, start: number): number {
  let inClass = false;
  for (let i = start; i < pattern.length; i++) {
    const c = pattern[i];
    if (c === "\\") i++;
    else if (c === "[") inClass = true;
    else if (c === "]") inClass = false;
    else if (c === "*" && !inClass) return i;
  }
  return pattern.length;
}

/** The position after the chunk, or `undefined` when it does not match here or is malformed. */
function matchChunk(chunk: string, name: string, start: number): number | undefined {
  let position = start;
  for (let i = 0; i < chunk.length;) {
    if (position >= name.length) return undefined;
    const c = chunk[i];
    if (c === "[") {
      const rune = runeAt(name, position);
      const after = matchClass(chunk, i + 1, rune.code);
      if (after === undefined) return undefined;
      position += rune.width;
      i = after;
    } else if (c === "?") {
      if (name[position] === "/") return undefined;
      position += runeAt(name, position).width;
      i++;
    } else {
      if (c === "\\") i++;
      if (chunk[i] !== name[position]) return undefined;
      position++;
      i++;
    }
  }
  return position;
}

/** The position after the `]` when the code point is in the class, `undefined` when not, or when it is malformed. */
function matchClass(chunk: string, start: number, code: number): number | undefined {
  const negated = chunk[start] === "^";
  let position = negated ? start + 1 : start;
  let found = false;
  for (let ranges = 0; chunk[position] !== "]" || ranges === 0; ranges++) {
    const low = classRune(chunk, position);
    if (!low) return undefined;
    const high = chunk[low.end] === "-" ? classRune(chunk, low.end + 1) : low;
    if (!high) return undefined;
    found ||= low.code <= code && code <= high.code;
    position = high.end;
  }
  return found === negated ? undefined : position + 1;
}

function classRune(chunk: string, start: number): { code: number; end: number } | undefined {
  const escaped = chunk[start] === "\\";
  if (start >= chunk.length || chunk[start] === "-" || chunk[start] === "]") return undefined;
  const position = escaped ? start + 1 : start;
  if (position >= chunk.length) return undefined;
  const { code, width } = runeAt(chunk, position);
  const end = position + width;
  return (code === 0xfffd && width === 1) || end >= chunk.length ? undefined : { code, end };
}
