import { wellFormed } from "./go-text";

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

/** The texts of a decoded list; what is not there is empty, as in Go. */
export function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(textOf) : [];
}

/** A decoded text; what is not there is empty, as in Go. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

const SHOWN = 20_000;
const DEPTH = 100;

/**
 * JSON without blanks, cut after 20,000 characters and below 100 levels; so neither a cycle nor a document
 * that repeats one part a million times by YAML aliases can hurt.
 */
export function compactJson(value: unknown): string {
  const parts: string[] = [];
  let left = SHOWN;
  const write = (text: string): void => {
    if (left > 0) parts.push(text);
    left -= text.length;
  };
  const visit = (item: unknown, depth: number): void => {
    if (left <= 0) return;
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
  return left >= 0 ? parts.join("") : `${parts.join("").slice(0, SHOWN)}…`;
}

/** Go's `encoding/json` of a string: as JSON.stringify, and `<`, `>`, `&` and line separators escaped. */
export function goJsonString(text: string): string {
  return JSON.stringify(wellFormed(text)).replace(
    /[<>&\u2028\u2029]/g,
    (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
