/*
 * The documents in a text, JSON or YAML, with limits that keep every reader of them from overflowing the stack and from
 * taking minutes.
 */

import { type Document, type Tags, visit } from "yaml";
import { parsedYaml, yamlProblem } from "../model/parsed-yaml";
import { isRecord } from "../model/record";
import { repeatedKey } from "../model/repeated-key";
import { readWrittenYaml } from "./written-yaml";
import { YAML_RULES } from "./yaml-rules";

/** How often aliases may be repeated in one document; ordinary files have a handful. */
const ALIASES_MAX = 1000;
/** The parser for full YAML keeps five kilobytes for each document, however small; real files have thousands. */
const DOCUMENTS_MAX = 50_000;
/** Levels of nesting; the deepest Kubernetes object (a CRD's schema) has some dozens. */
const DEPTH_MAX = 200;

/** Why a text is not read. */
export interface InvalidText {
  /** From 1. */
  readonly line: number;
  /** A clause about the file: "is not JSON". */
  readonly reason: string;
  /** True for YAML that may be valid but exceeds a limit. */
  readonly isTooMuch: boolean;
}

export type ReadDocuments = { readonly values: readonly unknown[] } | InvalidText;

/** The line, from 1, of a position in a text. */
export function lineAt(text: string, position: number): number {
  return text.slice(0, Math.max(0, position)).split("\n").length;
}

/**
 * Parses one JSON document: `values` is that one. Repeated keys are refused unless a program wrote the text that never
 * repeats one.
 */
export function readJson(text: string, writtenByProgram = false): ReadDocuments {
  const parsed = attempted(text);
  if ("error" in parsed) return { line: firstWrongLine(text), reason: "is not JSON", isTooMuch: false };
  const repeated = writtenByProgram ? undefined : repeatedKey(text);
  if (repeated !== undefined)
    return { line: lineAt(text, repeated), reason: "has a key twice in one object", isTooMuch: false };
  return isDeeper(parsed.value) ? { line: 1, reason: TOO_DEEP, isTooMuch: true } : { values: [parsed.value] };
}

/** Reads JSON text that a program wrote and that must hold an object; calls `refuse` with the reason if it does not. */
export function jsonObject(text: string, refuse: (reason: string) => never): Record<string, unknown> {
  const read = readJson(text, true);
  if ("reason" in read) return refuse(read.reason);
  const [document] = read.values;
  return isRecord(document) ? document : refuse("is not a JSON object");
}

/** True for a value nested deeper than `levels`; an object that contains itself through an alias is infinitely deep. */
function isDeeper(value: unknown, levels = DEPTH_MAX): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((child) => isDeeper(child, levels - 1));
}

function attempted(text: string): { readonly value: unknown } | { readonly error: string } {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch (error) {
    return { error: String(error) };
  }
}

/** V8 reports an early end only for a text that could still be completed to valid JSON. */
const ENDS_EARLY = /end of JSON input|Unterminated/;
/** Beyond this size the search would take seconds, so the end of the file is reported instead. */
const SEARCHED = 4 * 1024 * 1024;

/** The first invalid line. Not every V8 reports a position; the shortest invalid prefix ends there. */
function firstWrongLine(text: string): number {
  if (text.length > SEARCHED) return lineAt(text, text.length);
  let [right, wrong] = [0, text.length];
  while (wrong - right > 1) {
    const middle = (right + wrong) >> 1;
    const parsed = attempted(text.slice(0, middle));
    const isWrong = "error" in parsed && !ENDS_EARLY.test(parsed.error);
    // For an end after a comma it says what it expected there.
    if (isWrong && !parsed.error.includes(`at position ${middle}`)) wrong = middle;
    else right = middle;
  }
  return lineAt(text, right);
}

/**
 * YAML 1.1, but dates and numbers to the base 60 are texts. Source: kubernetes-sigs/yaml, goyaml.v2, `scalar` in
 * decode.go, and README.md.
 */
const READ_RULES = {
  ...YAML_RULES,
  customTags: (tags: Tags): Tags =>
    tags.filter(
      (each) => typeof each === "string" || !(each.format === "TIME" || each.tag.endsWith(":timestamp")),
    ),
};
const ALIASES = "has aliases that refer to nothing, or that expand to too much";
const TOO_DEEP = `is nested deeper than ${DEPTH_MAX} levels`;

/** Reads all documents of a text, or only the first. Lines are counted only for errors. */
export function readYaml(text: string, firstOnly = false): ReadDocuments {
  const written = readWrittenYaml(text);
  if (written) return { values: written };
  const invalid = (reason: string, position = 0, isTooMuch = true): InvalidText => {
    return { line: lineAt(text, position), reason, isTooMuch };
  };
  const begin = beginOfDocument(text, DOCUMENTS_MAX);
  if (begin !== undefined) return invalid(`has more than ${DOCUMENTS_MAX} documents`, begin);
  try {
    const documents = parsedYaml(text, READ_RULES);
    const values: unknown[] = [];
    for (const document of firstOnly ? documents.slice(0, 1) : documents) {
      const [error] = document.errors;
      if (error?.message.includes(STACK)) return invalid(TOO_DEEP, error.pos[0]);
      if (error) return invalid(`is not YAML: ${yamlProblem(error)}`, error.pos[0], false);
      if (hasManyAliases(document)) return invalid(ALIASES);
      const value: unknown = document.toJS({ maxAliasCount: ALIASES_MAX });
      if (isDeeper(value)) return invalid(TOO_DEEP, document.range?.[0]);
      values.push(value);
    }
    return { values };
  } catch (error) {
    // Excessive nesting, or aliases that multiply.
    return invalid(error instanceof ReferenceError ? ALIASES : TOO_DEEP);
  }
}

/** The parser is recursive, and reports a stack overflow like any other error. */
const STACK = "Maximum call stack size exceeded";

/** True for more aliases than the package resolves in reasonable time. */
function hasManyAliases(document: Document.Parsed): boolean {
  let aliases = 0;
  visit(document, { Alias: () => (++aliases > ALIASES_MAX ? visit.BREAK : undefined) });
  return aliases > ALIASES_MAX;
}

/** The position of the first document beyond a number of documents; `undefined` if there are no more. */
function beginOfDocument(text: string, before: number): number | undefined {
  let count = 0;
  for (const { index } of text.matchAll(/^---(?=\s)/gm)) if (++count > before) return index;
  return undefined;
}
