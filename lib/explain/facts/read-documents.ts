import { LineCounter, isNode } from "yaml";
import { readWrittenYaml } from "../../artefact/written-yaml";
import { YAML_RULES } from "../../artefact/yaml-rules";
import { fail } from "../../errors";
import { parsedYaml } from "../../model/parsed-yaml";
import { repeatedKey } from "../../model/repeated-key";
import { lineAt } from "./read-text";

/** One parsed document. */
export interface ReadDocument {
  /** Place in the file, from 0; `undefined` for JSON, which is one document. */
  readonly index: number | undefined;
  /** The parsed value. */
  readonly value: unknown;
}

/** How often aliases may be repeated in one document; ordinary files have a handful. */
const ALIASES_MAX = 1000;

/** The parser of the whole language keeps five kilobytes of each document, however small; people have thousands. */
const DOCUMENTS_MAX = 50_000;

/** Levels of nesting; the deepest Kubernetes object (a CRD's schema) has some dozens. */
const DEPTH_MAX = 200;

/**
 * Parses one JSON document; throws `explain-file-invalid` naming file and line for what is no JSON, and for keys given
 * twice, unless a program wrote the file that cannot do so.
 *
 * What is nested deeper than 200 levels is refused, so that no reader of the result needs to fear its depth.
 */
export function parseJson(text: string, file: string, writtenByProgram = false): unknown {
  const parsed = attempted(text);
  if ("error" in parsed) return fail("explain-file-invalid", file, firstWrongLine(text), "is not JSON");
  const repeated = writtenByProgram ? undefined : repeatedKey(text);
  if (repeated !== undefined)
    return fail("explain-file-invalid", file, lineAt(text, repeated), "has a key twice in one object");
  return isDeeper(parsed.value, DEPTH_MAX) ? tooDeep(file, 1) : parsed.value;
}

function attempted(text: string): { readonly value: unknown } | { readonly error: string } {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch (error) {
    return { error: String(error) };
  }
}

/** V8 says of a beginning that could still become JSON that it ends too early, and of no other. */
const ENDS_EARLY = /end of JSON input|Unterminated/;

/** Beyond this the search would take seconds; the end of the file is named instead. */
const SEARCHED = 4 * 1024 * 1024;

/** Not every V8 says where; the shortest beginning that is wrong ends there. */
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
 * Parses YAML, several documents; empty ones are left out.
 *
 * Throws `explain-file-invalid` naming file and line for what is no YAML, for keys given twice, for more than 200
 * levels, for aliases that multiply, and for more than 50,000 documents that this library has not written.
 */
export function parseYaml(text: string, file: string): readonly ReadDocument[] {
  const written = readWrittenYaml(text);
  if (written) return written.map((value, index) => ({ index, value }));
  const begin = beginOfDocument(text, DOCUMENTS_MAX);
  if (begin !== undefined)
    return fail(
      "explain-file-invalid",
      file,
      lineAt(text, begin),
      `has more than ${DOCUMENTS_MAX} documents`,
    );
  const lineCounter = new LineCounter();
  const documents = parsed(text, file, lineCounter);
  return documents.flatMap((document, index): ReadDocument[] => {
    const [error] = document.errors;
    const line = lineCounter.linePos(error?.pos[0] ?? document.range?.[0] ?? 0).line;
    if (error?.message.includes(STACK)) return tooDeep(file, line);
    if (error)
      return fail("explain-file-invalid", file, line, `is not YAML: ${error.message.split(" at line")[0]}`);
    const value = valueOf(document, file, line);
    return value === null || value === undefined ? [] : [{ index, value }];
  });
}

/** The line of a property of a text that was parsed: JSON is YAML too. */
export function lineOf(text: string, path: readonly (string | number)[]): number {
  const lineCounter = new LineCounter();
  const [document] = parsed(text, "", lineCounter);
  const node = path.length === 0 ? document?.contents : document?.getIn(path, true);
  return lineCounter.linePos((isNode(node) ? node.range?.[0] : undefined) ?? 0).line;
}

/** Where the document begins before which there are so many; `undefined` where there are not. */
function beginOfDocument(text: string, before: number): number | undefined {
  let count = 0;
  for (const { index } of text.matchAll(/^---(?=\s)/gm)) if (++count > before) return index;
  return undefined;
}

/** The parser descends by recursion, and reports that it went too deep like any other mistake. */
const STACK = "Maximum call stack size exceeded";

type YamlDocument = ReturnType<typeof parsedYaml>[number];

function parsed(text: string, file: string, lineCounter: LineCounter): readonly YamlDocument[] {
  try {
    return parsedYaml(text, { ...YAML_RULES, lineCounter });
  } catch (error) {
    return error instanceof RangeError ? tooDeep(file, 1) : rethrow(error);
  }
}

function valueOf(document: YamlDocument, file: string, line: number): unknown {
  try {
    const value: unknown = document.toJS({ maxAliasCount: ALIASES_MAX });
    return isDeeper(value, DEPTH_MAX) ? tooDeep(file, line) : value;
  } catch (error) {
    if (error instanceof RangeError) return tooDeep(file, line);
    if (error instanceof ReferenceError)
      return fail("explain-file-invalid", file, line, "has aliases that refer to nothing or multiply");
    return rethrow(error);
  }
}

/** An object that an alias makes hold itself is infinitely deep. */
function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  if (Array.isArray(value)) return value.some((child) => isDeeper(child, levels - 1));
  // Without a list of the values: there are hundreds of thousands of objects. A parsed one inherits nothing to list.
  const object = value as Readonly<Record<string, unknown>>;
  for (const key in object) {
    const child = object[key];
    if (typeof child === "object" && child !== null && isDeeper(child, levels - 1)) return true;
  }
  return false;
}

function tooDeep(file: string, line: number): never {
  return fail("explain-file-invalid", file, line, `is nested deeper than ${DEPTH_MAX} levels`);
}

function rethrow(error: unknown): never {
  throw error;
}
