/*
 * Line numbers of sources, looked up only for display: facts keep property paths, which cost nothing.
 */

import { type Scalar, isAlias, isMap, isScalar, isSeq, parseDocument } from "yaml";
import { YAML_RULES } from "../../artefact/yaml-rules";
import { remembered } from "../../model/once";
import { textEnd } from "../../model/repeated-key";
import { textIfReadable } from "./documents";
import type { Source } from "./source";

/** A file whose lines are looked up. */
interface OpenFile {
  readonly text: string;
  readonly lines: readonly number[];
  readonly isJson: boolean;
  /** The range of each document; a single one for JSON. */
  readonly documents: readonly (readonly [begin: number, end: number])[];
  /** Members of the containers that were searched, by the container's position. */
  readonly members: Map<number, ReadonlyMap<string, Member>>;
  /** The last few parsed documents, by their beginning: the evidence of one chain names the same ones. */
  readonly nodes: Map<number, unknown>;
}

/** The positions of a member's key and value. */
interface Member {
  readonly place: number;
  readonly value: number;
}

const FILES = new Map<string, OpenFile | undefined>();
/** The results for one cluster name few files, each of them often. */
const FILES_KEPT = 64;
const NODES_KEPT = 8;

/**
 * The line, from 1, to which a source points, or of the nearest enclosing node if the path does not match. `undefined`
 * if the file can no longer be read, or has only one line.
 */
export function lineOf(source: Source): number | undefined {
  if (source.line !== undefined) return source.line;
  const file = opened(source.file);
  if (file === undefined || file.lines.length < 2) return undefined;
  const [begin, end] = file.documents[source.document ?? 0] ?? file.documents[0] ?? [0, file.text.length];
  const path = stepsOf(source.path);
  if (path.length === 0 && (source.document === undefined || (begin === 0 && file.documents.length === 1)))
    return undefined;
  const place = file.isJson ? jsonPlace(file, path) : yamlPlace(file, begin, end, path);
  return lineAt(file.lines, place);
}

/** `manifests/20-service-accounts.yaml:12 metadata.annotations`, for display. */
export function placeText(source: Source): string {
  const line = lineOf(source);
  const document = source.document ? `#${source.document}` : "";
  const place = `${source.file}${line === undefined ? document : `:${line}`}`;
  return `${source.stated ? "stated in " : ""}${place}${source.path === "" ? "" : ` ${source.path}`}`;
}

/** Texts that are in no file, by the names that sources have for them. */
const GIVEN = new Map<string, string>();

/** Lets lines of standard input be looked up, under the name that its sources have. */
export function openText(name: string, text: string): void {
  GIVEN.set(name, text);
  FILES.delete(name);
}

function opened(path: string): OpenFile | undefined {
  if (FILES.size >= FILES_KEPT && !FILES.has(path)) FILES.clear();
  return remembered(FILES, path, () => {
    // A file that is gone or has changed has no lines to show.
    const text = GIVEN.get(path) ?? textIfReadable(path);
    return text === undefined ? undefined : openFile(text, path.endsWith(".json"));
  });
}

function openFile(text: string, isJson: boolean): OpenFile {
  const lines = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1))
    if (at + 1 < text.length) lines.push(at + 1);
  const documents = isJson ? [[0, text.length] as const] : documentsOf(text);
  return { text, lines, isJson, documents, members: new Map(), nodes: new Map() };
}

function lineAt(begins: readonly number[], place: number): number {
  let [low, high] = [0, begins.length];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((begins[middle] ?? 0) <= place) low = middle;
    else high = middle;
  }
  return low + 1;
}

const STEP = /\["((?:[^"\\]|\\.)*)"\]|\[(\d+)\]|([^.[\]\s]+)/y;

/** The steps of a path, without text after it, as in `spec.files[0].contents (/etc/x)`. */
function stepsOf(path: string): readonly (string | number)[] {
  const steps: (string | number)[] = [];
  STEP.lastIndex = 0;
  for (let place = 0; place < path.length;) {
    STEP.lastIndex = path[place] === "." ? place + 1 : place;
    const [all, quoted, index, name] = STEP.exec(path) ?? [];
    if (all === undefined) return steps;
    if (quoted !== undefined) steps.push(unescaped(quoted));
    else steps.push(index === undefined ? (name ?? "") : Number(index));
    place = STEP.lastIndex;
  }
  return steps;
}

function unescaped(quoted: string): string {
  try {
    return String(JSON.parse(`"${quoted}"`));
  } catch {
    return quoted;
  }
}

/** The ranges of the documents in a YAML text: only markers look like this at the beginning of a line. */
function documentsOf(text: string): readonly (readonly [number, number])[] {
  const marks = [...text.matchAll(/^(?:---|\.\.\.)(?=\s|$)/gm)];
  const begins = marks.filter(([mark]) => mark === "---").map(({ index }) => index);
  // Text before the first marker is a document too, unless it is nothing but comments.
  const [first] = begins;
  if (first === undefined || /^[^\s#%]/m.test(text.slice(0, first))) begins.unshift(0);
  return begins.map((begin, place) => [begin, begins[place + 1] ?? text.length]);
}

const OPTIONS = { ...YAML_RULES, uniqueKeys: false, logLevel: "silent" } as const;

/** The position of a path in one YAML document, or of the nearest enclosing node. */
function yamlPlace(
  { text, nodes }: OpenFile,
  begin: number,
  end: number,
  path: readonly (string | number)[],
): number {
  if (nodes.size > NODES_KEPT) nodes.clear();
  const document = text.slice(begin, end);
  const contents = remembered(nodes, begin, () => parseDocument(document, OPTIONS).contents);
  return begin + placeIn(document, contents, path);
}

/** As {@link yamlPlace} in a document that is parsed. */
function placeIn(document: string, contents: unknown, path: readonly (string | number)[]): number {
  let node = contents;
  let place = beginOf(node) ?? 0;
  for (const [at, step] of path.entries()) {
    if (isScalar(node) && node.type === "BLOCK_LITERAL") return placeInBlock(document, node, path.slice(at));
    const member: Placed | undefined = memberOf(node, step);
    if (member === undefined || isAlias(member.node)) return member?.place ?? place;
    place = member.place ?? place;
    node = member.node;
  }
  return place;
}

/** The beginning of the line in a block of text, such as a file in a ConfigMap, that is YAML itself. */
function placeInBlock(document: string, block: Scalar, path: readonly (string | number)[]): number {
  const written = String(block.value);
  const { contents } = parseDocument(written, OPTIONS);
  const lines = written.slice(0, placeIn(written, contents, path)).split("\n").length;
  let place = beginOf(block) ?? 0;
  for (let line = 0; line < lines; line++) place = document.indexOf("\n", place) + 1 || document.length;
  return place;
}

/** A node, and its position. */
interface Placed {
  readonly place: number | undefined;
  readonly node: unknown;
}

function memberOf(node: unknown, step: string | number): Placed | undefined {
  if (isSeq(node) && typeof step === "number") {
    const item = node.items[step];
    return item === undefined ? undefined : { place: beginOf(item), node: item };
  }
  if (!isMap(node)) return undefined;
  const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === String(step));
  return pair && { place: beginOf(pair.key), node: pair.value };
}

function beginOf(node: unknown): number | undefined {
  const range = typeof node === "object" && node !== null && "range" in node ? node.range : undefined;
  return Array.isArray(range) && typeof range[0] === "number" ? range[0] : undefined;
}

/** The position of a path in a JSON text, or of the nearest enclosing value; each container is searched once. */
function jsonPlace(file: OpenFile, path: readonly (string | number)[]): number {
  let place = behindBlanks(file.text, 0);
  let value = place;
  for (const step of path) {
    const member = membersOf(file, value).get(String(step));
    if (member === undefined) return place;
    ({ place, value } = member);
  }
  return place;
}

function membersOf(file: OpenFile, container: number): ReadonlyMap<string, Member> {
  const before = file.members.get(container);
  if (before) return before;
  const members = new Map<string, Member>();
  file.members.set(container, members);
  const { text } = file;
  const isList = text[container] === "[";
  if (!isList && text[container] !== "{") return members;
  let at = behindBlanks(text, container + 1);
  for (let index = 0; at < text.length && text[at] !== "]" && text[at] !== "}"; index++) {
    const place = at;
    let key = String(index);
    if (!isList) {
      const end = textEnd(text, at);
      key = unescaped(text.slice(at + 1, end - 1));
      at = behindBlanks(text, behindBlanks(text, end) + 1);
    }
    members.set(key, { place, value: at });
    at = behindBlanks(text, behindValue(text, at));
    if (text[at] === ",") at = behindBlanks(text, at + 1);
  }
  return members;
}

const BLANK = /\s*/y;

function behindBlanks(text: string, place: number): number {
  BLANK.lastIndex = place;
  BLANK.test(text);
  return BLANK.lastIndex;
}

const STRUCTURE = /["{}[\],]/g;

/** The position of what ends the value that begins at a place. */
function behindValue(text: string, place: number): number {
  let depth = 0;
  STRUCTURE.lastIndex = place;
  for (let match = STRUCTURE.exec(text); match; match = STRUCTURE.exec(text)) {
    const [sign] = match;
    if (sign === '"') STRUCTURE.lastIndex = textEnd(text, match.index);
    else if (sign === "{" || sign === "[") depth++;
    else if (sign === "," ? depth === 0 : depth-- === 0) return match.index;
  }
  return text.length;
}
