/*
 * Files as text, and their documents.
 */

import { isAscii, isUtf8 } from "node:buffer";
import { statSync } from "node:fs";
import { type Document, type Node, type Tags, isScalar, parseAllDocuments, visit } from "yaml";
import { isDeeper } from "../../artefact/nesting";
import { readFile } from "../../artefact/read-file";
import { errorCode } from "../../artefact/synth-folder";
import { readWrittenYaml } from "../../artefact/written-yaml";
import { YAML_RULES } from "../../artefact/yaml-rules";
import { fail } from "../../errors";
import { type Known, notKnown, unread, whyNot } from "../../model/known";
import { syntaxOf } from "../../model/node-document";
import { repeatedKey } from "../../model/repeated-key";
import { type Tree, parsedTree, treeOf } from "../../model/tree";
import { withoutCredentials } from "./credentials";
import { foreignForm } from "./foreign-forms";
import type { Source } from "./source";

export interface FileDocument {
  /** The parsed document; `null` or `undefined` for an empty one. */
  readonly value: unknown;
  readonly source: Source;
  /** The first line of a file with a single YAML document; empty for one of several. */
  readonly head?: string;
}

const MEBIBYTE = 1024 * 1024;
/** Plans of large estates have tens of megabytes, which V8 reads in a second or two. */
const JSON_MAX = 256 * MEBIBYTE;
/** YAML takes some hundred times as long; 100,000 service accounts fit. */
const YAML_MAX = 32 * MEBIBYTE;
/** How often aliases may be repeated in one document; ordinary files have a handful. */
const ALIASES_MAX = 1000;
/** The parser for full YAML keeps five kilobytes for each document, however small; real files have thousands. */
const DOCUMENTS_MAX = 50_000;
/** Levels of nesting; the deepest Kubernetes object (a CRD's schema) has some dozens. */
const DEPTH_MAX = 200;

/** Refuses a file; `reason` follows "file". */
export function invalidFile(
  file: string,
  line: number,
  reason: string,
  allowed: string = "YAML or JSON in UTF-8",
  remedy: string = "correct the file: a verdict from half of the facts would be worthless",
): never {
  return fail("explain-invalid", {
    problem: `file ${reason}`,
    value: `${file}:${line}`,
    allowed,
    remedy,
  });
}

/** The result of a file system call; throws if the system refuses it. */
export function readable<Value>(path: string, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    if (error instanceof Error && !("syscall" in error)) throw error;
    const code = errorCode(error);
    return fail("explain-invalid", {
      problem: `file cannot be read (${code})`,
      value: path,
      remedy:
        code === "ENOENT"
          ? "there is no such file: check the path, and that no other program removes it while it is read"
          : "check its permissions",
    });
  }
}

/** The text of a UTF-8 file without its byte order mark; throws above 256 MiB for JSON, 32 MiB for YAML. */
export function readText(path: string): string {
  const bytes = readable(path, () => {
    const { size } = statSync(path);
    const most = path.endsWith(".json") ? JSON_MAX : YAML_MAX;
    if (size <= most) return readFile(path);
    return fail("explain-limit", {
      problem: `file of ${size} bytes is larger than explain reads`,
      value: path,
      allowed: `at most ${most} bytes`,
      remedy: "split the file, or name only the files that the question is about",
    });
  });
  // Much faster, and true for nearly every file.
  if (isAscii(bytes)) return bytes.toString("latin1");
  const decoded = bytes.toString("utf8");
  if (isUtf8(bytes)) return decoded.startsWith("\ufeff") ? decoded.slice(1) : decoded;
  const again = Buffer.from(decoded, "utf8");
  const first = again.findIndex((byte, place) => byte !== bytes[place]);
  const form = foreignForm(path, bytes.toString("latin1"));
  const line = lineAt(bytes.toString("latin1"), first);
  return invalidFile(path, line, form ? `is ${form.what}` : "is not UTF-8", undefined, form?.remedy);
}

/** The text of a file; `undefined` if it is gone or is not a file. */
export function textIfReadable(path: string): string | undefined {
  try {
    return readText(path);
  } catch {
    return undefined;
  }
}

function lineAt(text: string, position: number): number {
  return text.slice(0, Math.max(0, position)).split("\n").length;
}

/** Why a text is not read. */
interface InvalidText {
  /** From 1. */
  readonly line: number;
  /** A clause about the file: "is not JSON". */
  readonly reason: string;
}

/**
 * The documents of a text, JSON or YAML by the name of its file. Throws, with file and line, for syntax errors,
 * repeated keys, more than 200 levels, aliases that multiply, and more than 50,000 documents that this library did not
 * write.
 */
export function documentsIn(text: string, file: string): readonly FileDocument[] {
  const read = triedDocuments(text, file);
  return "reason" in read ? invalidFile(file, read.line, read.reason) : read;
}

/** As {@link documentsIn}, without throwing. */
export function triedDocuments(text: string, file: string): readonly FileDocument[] | InvalidText {
  const syntax = syntaxOf(file);
  if (syntax === "json") {
    const json = jsonOf(text, false);
    return "reason" in json ? json : [{ value: json.value, source: { file, path: "" } }];
  }
  // Only forms of node configuration have such files, and each form reads its own.
  if (syntax === "text") return [{ value: text, source: { file, path: "" } }];
  const read = readYaml(text);
  if (!("values" in read)) return { line: lineAt(text, read.position), reason: read.problem };
  const head = read.values.length === 1 ? (/^.*/.exec(text)?.[0] ?? "") : "";
  return read.values.map((value, document) => ({ value, source: { file, document, path: "" }, head }));
}

/**
 * Parses one JSON document. Throws, with file and line, for syntax errors, for more than 200 levels, so that readers
 * may recurse, and for repeated keys, unless a program wrote the file that never repeats one.
 */
export function parseJson(text: string, file: string, writtenByProgram = false): unknown {
  const read = jsonOf(text, writtenByProgram);
  return "reason" in read ? invalidFile(file, read.line, read.reason) : read.value;
}

function jsonOf(text: string, writtenByProgram: boolean): { readonly value: unknown } | InvalidText {
  const parsed = attempted(text);
  if ("error" in parsed) return { line: firstWrongLine(text), reason: "is not JSON" };
  const repeated = writtenByProgram ? undefined : repeatedKey(text);
  if (repeated !== undefined)
    return { line: lineAt(text, repeated), reason: "has a key twice in one object" };
  return isDeeper(parsed.value, DEPTH_MAX) ? { line: 1, reason: TOO_DEEP } : parsed;
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
const SEARCHED = 4 * MEBIBYTE;

/** The first invalid line. Not every V8 reports a position; the shortest invalid prefix ends there. */
function firstWrongLine(text: string): number {
  if (text.length > SEARCHED) return lineAt(text, text.length);
  let [right, wrong] = [0, text.length];
  while (wrong - right > 1) {
    const middle = (right + wrong) >> 1;
    const parsed = attempted(text.slice(0, middle));
    if ("error" in parsed && !ENDS_EARLY.test(parsed.error)) wrong = middle;
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
  // Repeated keys and lines of errors are found here: the package compares all keys, and splits the text for each error.
  uniqueKeys: false,
  logLevel: "silent" as const,
  prettyErrors: false,
  customTags: (tags: Tags): Tags =>
    tags.filter(
      (each) => typeof each === "string" || !(each.format === "TIME" || each.tag.endsWith(":timestamp")),
    ),
};
const ALIASES = "has aliases that refer to nothing, or that expand to too much";
const TOO_DEEP = `is nested deeper than ${DEPTH_MAX} levels`;

interface YamlProblem {
  readonly problem: string;
  readonly position: number;
  /** True if the text may be valid but exceeds a limit of the parser. */
  readonly isTooMuch: boolean;
}

type Yaml = { readonly values: readonly unknown[] } | YamlProblem;

/** Reads all documents of a text, or only the first. */
function readYaml(text: string, firstOnly = false): Yaml {
  const written = readWrittenYaml(text);
  if (written) return { values: written };
  const begin = beginOfDocument(text, DOCUMENTS_MAX);
  if (begin !== undefined) return tooMuch(`has more than ${DOCUMENTS_MAX} documents`, begin);
  try {
    const parsed = parseAllDocuments(text, READ_RULES);
    const documents = Array.isArray(parsed) ? parsed : [];
    const values: unknown[] = [];
    for (const document of firstOnly ? documents.slice(0, 1) : documents) {
      const problem = problemOf(document);
      if (problem) return problem;
      const value: unknown = document.toJS({ maxAliasCount: ALIASES_MAX });
      if (isDeeper(value, DEPTH_MAX)) return tooMuch(TOO_DEEP, document.range?.[0] ?? 0);
      values.push(value);
    }
    return { values };
  } catch (error) {
    // Excessive nesting, or aliases that multiply.
    return tooMuch(error instanceof ReferenceError ? ALIASES : TOO_DEEP, 0);
  }
}

/** All documents of a YAML or JSON text; `undefined` if it is neither. */
export function yamlValues(text: string): readonly unknown[] | undefined {
  const read = readYaml(text);
  return "values" in read ? read.values : undefined;
}

/** The parser is recursive, and reports a stack overflow like any other error. */
const STACK = "Maximum call stack size exceeded";

function problemOf(document: Document.Parsed): YamlProblem | undefined {
  const [error] = document.errors;
  if (error?.message.includes(STACK)) return tooMuch(TOO_DEEP, error.pos[0]);
  if (error) return notYaml(error.message, error.pos[0]);
  const problem = repeatedKeyOrAliases(document);
  if (problem === undefined || problem === "aliases") return problem && tooMuch(ALIASES, 0);
  return notYaml("Map keys must be unique", problem.range?.[0] ?? 0);
}

const notYaml = (what: string, position: number): YamlProblem => ({
  problem: `is not YAML: ${what}`,
  position,
  isTooMuch: false,
});

const tooMuch = (problem: string, position: number): YamlProblem => ({ problem, position, isTooMuch: true });

/** A repeated key of a map, or "aliases" for more aliases than the package resolves in reasonable time. */
function repeatedKeyOrAliases(document: Document.Parsed): Node | "aliases" | undefined {
  let problem: Node | "aliases" | undefined;
  let aliases = 0;
  visit(document, {
    Alias: () => {
      if (++aliases <= ALIASES_MAX) return undefined;
      problem = "aliases";
      return visit.BREAK;
    },
    Map: (_, { items }) => {
      const keys = new Set<unknown>();
      const repeated = items.find(({ key }) => isScalar(key) && keys.size === keys.add(key.value).size);
      if (!isScalar(repeated?.key)) return undefined;
      problem = repeated.key;
      return visit.BREAK;
    },
  });
  return problem;
}

/** The position of the first document beyond a number of documents; `undefined` if there are no more. */
function beginOfDocument(text: string, before: number): number | undefined {
  let count = 0;
  for (const { index } of text.matchAll(/^---(?=\s)/gm)) if (++count > before) return index;
  return undefined;
}

/** The JSON or YAML that another document holds as a text, without its credentials; unknown if it is neither. */
export function embedded(text: Known<string>): Tree {
  return withoutCredentials(firstDocument(text).value);
}

export interface FirstDocument {
  /** The parsed value; `null` for an empty document, unknown if it cannot be read. */
  readonly value: Tree;
  /** What is certainly wrong with it; `undefined` if nothing is. */
  readonly error: string | undefined;
}

/**
 * Reads only the first document, as the kubelet does. Errors are returned, not thrown, because a node reads this file,
 * and the caller did not name it.
 */
export function firstDocument(text: Known<string>): FirstDocument {
  let error: string | undefined;
  const value = parsedTree(text, (plain) => {
    const read = readYaml(plain, true);
    if ("values" in read) return treeOf(read.values[0] ?? null);
    if (read.isTooMuch) return unread(`it cannot be read here: it ${read.problem}`);
    error = read.problem.replace(/^is not YAML: /, "");
    return notKnown({ kind: "malformed", what: `it ${read.problem}` });
  });
  // If it holds references, the values that they get may make it valid.
  return { value, error: whyNot(text) === undefined ? error : undefined };
}
