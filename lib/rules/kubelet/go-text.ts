/*
 * Go strings are bytes. Here a byte string is a JavaScript string with one character (U+0000 to U+00FF) per
 * byte of UTF-8, so that positions, lengths and comparisons are those of Go.
 */

/** The UTF-8 bytes of a text as a byte string; a lone surrogate becomes U+FFFD, as Go's JSON decoder does. */
export function toBytes(text: string): string {
  return /[^\x00-\x7f]/.test(text) ? Buffer.from(text, "utf8").toString("latin1") : text;
}

/** The text with U+FFFD for each lone surrogate, as Go's JSON decoder reads it. */
export function wellFormed(text: string): string {
  return /[\ud800-\udfff]/.test(text) ? Buffer.from(text, "utf8").toString("utf8") : text;
}

/**
 * Go's `strings.ToLower`, which maps each code point by itself: U+0130 becomes one `i`, where JavaScript adds a
 * combining dot.
 */
export function goLower(text: string): string {
  return text.replaceAll("\u0130", "i").toLowerCase();
}

/** Orders texts by their UTF-8 bytes, as Go compares strings. */
export function compareBytes(a: string, b: string): number {
  const [left, right] = [toBytes(a), toBytes(b)];
  return left < right ? -1 : Number(left > right);
}

/** One code point decoded at a position of a byte string, as Go's `utf8.DecodeRuneInString` does. */
interface Rune {
  readonly code: number;
  /** Number of bytes; 1 for an invalid byte. */
  readonly width: number;
}

const INVALID: Rune = { code: 0xfffd, width: 1 };

/** Lead byte limits, width, least code point: the table of RFC 3629. */
const SEQUENCES: readonly (readonly [from: number, to: number, width: number, least: number])[] = [
  [0xc2, 0xdf, 2, 0x80],
  [0xe0, 0xef, 3, 0x800],
  [0xf0, 0xf4, 4, 0x10000],
];

/** Decodes the code point at a position; the position must lie inside the byte string. */
export function runeAt(bytes: string, position: number): Rune {
  const lead = bytes.charCodeAt(position);
  if (lead < 0x80) return { code: lead, width: 1 };
  const sequence = SEQUENCES.find(([from, to]) => lead >= from && lead <= to);
  if (!sequence) return INVALID;
  const [, , width, least] = sequence;
  let code = lead & (0xff >> (width + 1));
  for (let i = 1; i < width; i++) {
    const next = bytes.charCodeAt(position + i);
    if (!(next >= 0x80 && next <= 0xbf)) return INVALID;
    code = (code << 6) | (next & 0x3f);
  }
  const valid = code >= least && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
  return valid ? { code, width } : INVALID;
}

const NAMED_ESCAPES: Readonly<Record<number, string>> = {
  0x07: "\\a",
  0x08: "\\b",
  0x09: "\\t",
  0x0a: "\\n",
  0x0b: "\\v",
  0x0c: "\\f",
  0x0d: "\\r",
  0x22: '\\"',
  0x5c: "\\\\",
};

/** What Go's `strconv.IsPrint` calls printable: letters, marks, numbers, punctuation, symbols, and the ASCII space. */
const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;
const SPECIAL = /[^ !#-[\]-~]/;

/** Go's `%q` of a byte string; the result is ordinary text. */
export function goQuote(bytes: string): string {
  if (!SPECIAL.test(bytes)) return `"${bytes}"`;
  const parts: string[] = [];
  for (let i = 0; i < bytes.length;) {
    const { code, width } = runeAt(bytes, i);
    parts.push(code === INVALID.code && width === 1 ? hex("\\x", bytes.charCodeAt(i), 2) : quoteRune(code));
    i += width;
  }
  return `"${parts.join("")}"`;
}

/** Go's `%q` of ordinary text. */
export function quoted(text: string): string {
  return goQuote(toBytes(text));
}

function quoteRune(code: number): string {
  const named = NAMED_ESCAPES[code];
  if (named !== undefined) return named;
  const text = String.fromCodePoint(code);
  if (PRINTABLE.test(text)) return text;
  if (code < 0x80) return hex("\\x", code, 2);
  return code < 0x10000 ? hex("\\u", code, 4) : hex("\\U", code, 8);
}

function hex(prefix: string, value: number, digits: number): string {
  return prefix + value.toString(16).padStart(digits, "0");
}

const KINDS: Readonly<Record<string, string>> = {
  boolean: "bool",
  number: "number",
  bigint: "number",
  string: "string",
};

/** The word that Go's JSON decoder uses for a value: `bool`, `number`, `string`, `array` or `object`. */
export function jsonKind(value: unknown): string {
  return Array.isArray(value) ? "array" : (KINDS[typeof value] ?? "object");
}

/** The texts of a decoded list; a missing value is empty, as in Go. */
export function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(textOf) : [];
}

/** A decoded text; a missing value is empty, as in Go. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

const SHOWN = 20_000;
const DEPTH = 100;

/**
 * JSON without white space, cut off after 20,000 characters and below 100 levels, so that neither a cycle nor a
 * document that repeats a part a million times through YAML aliases can do harm.
 */
export function compactJson(value: unknown): string {
  const parts: string[] = [];
  let budget = SHOWN;
  const write = (text: string): void => {
    if (budget > 0) parts.push(text);
    budget -= text.length;
  };
  const visit = (item: unknown, depth: number): void => {
    if (budget <= 0) return;
    if (depth > DEPTH) return write("…");
    if (typeof item !== "object" || item === null) {
      write(typeof item === "bigint" ? String(item) : (JSON.stringify(item) ?? "null"));
      return;
    }
    const isList = Array.isArray(item);
    write(isList ? "[" : "{");
    Object.entries(item).forEach(([key, child], index) => {
      write((index > 0 ? "," : "") + (isList ? "" : `${JSON.stringify(key)}:`));
      visit(child, depth + 1);
    });
    write(isList ? "]" : "}");
  };
  visit(value, 0);
  return budget >= 0 ? parts.join("") : `${parts.join("").slice(0, SHOWN)}…`;
}

/** Go's `encoding/json` of a string: like JSON.stringify, but escapes `<`, `>`, `&` and line separators too. */
export function goJsonString(text: string): string {
  return JSON.stringify(wellFormed(text)).replace(
    /[<>&\u2028\u2029]/g,
    (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
