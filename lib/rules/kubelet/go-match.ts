/*
 * Go's filepath.Match on Linux (go/src/path/filepath/match.go), over byte strings. A pattern is a sequence of
 * chunks, with or without a `*` before each; a starred chunk takes the leftmost match, so nothing is tried twice.
 * A malformed pattern matches nothing, as the kubelet ignores the error.
 */

import { find, literalPattern } from "../wildcard";
import { runeAt } from "./go-text";

/** A part of the pattern between stars. */
interface Chunk {
  readonly starred: boolean;
  readonly text: string;
  /** False if the text contains `?`, `[` or an escape. */
  readonly literal: boolean;
  /** True for the chunk that ends the pattern. */
  readonly last: boolean;
}

/** True if the whole name matches the pattern; false also for a malformed pattern. Never throws. */
export function goMatch(pattern: string, name: string): boolean {
  if (!/[*?[\\]/.test(pattern)) return pattern === name;
  let [read, position] = [0, 0];
  let slash = nextSlash(name, 0);
  // One chunk at a time: building a list of half a million chunks would take longer than matching.
  while (read < pattern.length) {
    let start = read;
    while (pattern.charCodeAt(start) === STAR) start++;
    const { end, literal } = chunkEnd(pattern, start);
    if (slash < position) slash = nextSlash(name, position);
    const chunk = {
      starred: start > read,
      text: pattern.slice(start, end),
      literal,
      last: end === pattern.length,
    };
    const next = place(chunk, name, position, slash);
    if (next === undefined) return false;
    [read, position] = [end, next];
  }
  return position === name.length;
}

/** The first slash at or after the position, or the length of the name; a star does not match beyond it. */
function nextSlash(name: string, position: number): number {
  const slash = name.indexOf("/", position);
  return slash < 0 ? name.length : slash;
}

/** Where the chunk ends if it is matched at the position or, if starred, at the first match after it. */
function place(chunk: Chunk, name: string, position: number, slash: number): number | undefined {
  const { starred, text, literal, last } = chunk;
  if (!starred) return matchChunk(text, name, position);
  if (text === "") return slash === name.length ? slash : undefined;
  if (literal) return placeLiteral(chunk, name, position, slash);
  for (let start = position; start <= slash; start++) {
    const end = matchChunk(text, name, start);
    if (end !== undefined && (!last || end === name.length)) return end;
  }
  return undefined;
}

function placeLiteral(
  { text, last }: Chunk,
  name: string,
  position: number,
  slash: number,
): number | undefined {
  const start = last ? name.length - text.length : indexOf(name, text, position);
  const isThere = start >= position && start <= slash && (!last || name.endsWith(text));
  return isThere ? start + text.length : undefined;
}

const [STAR, QUESTION, BACKSLASH, OPEN, CLOSE] = [0x2a, 0x3f, 0x5c, 0x5b, 0x5d];

/** Where a chunk ends: before the next `*` outside a class, or at the end of the pattern. */
function chunkEnd(pattern: string, start: number): { readonly end: number; readonly literal: boolean } {
  let [inClass, literal] = [false, true];
  for (let i = start; i < pattern.length; i++) {
    const c = pattern.charCodeAt(i);
    if (c === STAR && !inClass) return { end: i, literal };
    if (c === OPEN) inClass = true;
    else if (c === CLOSE) inClass = false;
    if (c === OPEN || c === QUESTION || c === BACKSLASH) literal = false;
    if (c === BACKSLASH) i++;
  }
  return { end: pattern.length, literal };
}

/** The position after the chunk; `undefined` if it does not match here or is malformed. */
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

/** The position after the `]` if the code point is in the class; `undefined` if not, or if the class is malformed. */
function matchClass(chunk: string, start: number, code: number): number | undefined {
  const negated = chunk[start] === "^";
  let position = negated ? start + 1 : start;
  let isInClass = false;
  for (let ranges = 0; chunk[position] !== "]" || ranges === 0; ranges++) {
    const low = classRune(chunk, position);
    if (!low) return undefined;
    const high = chunk[low.end] === "-" ? classRune(chunk, low.end + 1) : low;
    if (!high) return undefined;
    isInClass ||= low.code <= code && code <= high.code;
    position = high.end;
  }
  return isInClass === negated ? undefined : position + 1;
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

/** From this length on, a hostile pattern could make the JavaScript engine's own search quadratic. */
const LONG = 64;

/** `text.indexOf(part, from)` in linear time, whatever the input. */
export function indexOf(text: string, part: string, from: number): number {
  if (part.length < LONG) return text.indexOf(part, from);
  return find(literalPattern(part), new Int32Array(part.length), text, from, text.length);
}
