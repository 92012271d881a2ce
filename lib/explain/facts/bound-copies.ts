/*
 * Files that `bind` wrote from a stack that is read as well: each is what the stack's own file becomes, and no second
 * document that could contradict it.
 */

import { dirname, join, relative, resolve } from "node:path";
import { placeholderPieces } from "../../artefact/placeholder";
import { WRITTEN_FILES_LIST, readWrittenFiles } from "../../artefact/written-files-list";
import { isRecord } from "../../model/record";
import { type PlainDocument, fileDocuments } from "./file-documents";
import { isThere, readUtf8 } from "./read-text";

/** A stack that is read. */
interface ReadStack {
  /** Its id. */
  readonly name: string;
  /** Its folder. */
  readonly folder: string;
}

/** A text of a finished file in the place of one with placeholders. */
export interface FilledText {
  /** The text of the stack's own file. */
  readonly template: string;
  /** What it became. */
  readonly text: string;
}

/** A file that is a stack's own with its placeholders filled. */
export interface BoundCopy {
  /** The file. */
  readonly file: string;
  /** The stack's id. */
  readonly stack: string;
  /** What was filled. */
  readonly filled: readonly FilledText[];
}

/**
 * Finds of a file the template that a stack has, which is the same to the letter but for what it leaves late: the file
 * says nothing that the template does not, if what was filled is right. One that differs in anything else is a file like
 * others, and `undefined`.
 *
 * Throws `explain-file-unreadable`, `explain-file-too-large` or `explain-file-invalid`.
 */
export function boundCopies(stacks: readonly ReadStack[]): (file: string) => BoundCopy | undefined {
  if (stacks.length === 0) return () => undefined;
  const folders = new Map(stacks.map(({ name, folder }) => [name, folder]));
  const lists = new Map<string, BoundFolder | undefined>();
  return (file) => {
    const bound = boundFolder(dirname(resolve(file)), lists);
    const path = bound && relative(bound.folder, resolve(file)).replaceAll("\\", "/");
    const stack = path === undefined ? undefined : bound?.stacks.get(path);
    const folder = stack === undefined ? undefined : folders.get(stack);
    if (path === undefined || stack === undefined || folder === undefined) return undefined;
    const template = join(folder, path.slice(stack.length + 1));
    if (!isThere(template)) return undefined;
    const filled: FilledText[] = [];
    return areFilled(fileDocuments(template), fileDocuments(file), filled)
      ? { file, stack, filled }
      : undefined;
  };
}

/** A folder that `bind` wrote to. */
interface BoundFolder {
  readonly folder: string;
  /** The stack of each file that is a stack's own, by path below the folder. */
  readonly stacks: ReadonlyMap<string, string>;
}

/** The nearest folder with a list. */
function boundFolder(folder: string, known: Map<string, BoundFolder | undefined>): BoundFolder | undefined {
  if (known.has(folder)) return known.get(folder);
  const list = join(folder, WRITTEN_FILES_LIST);
  const above = dirname(folder);
  const found = isThere(list)
    ? { folder, stacks: stacksIn(readUtf8(list)) }
    : above === folder
      ? undefined
      : boundFolder(above, known);
  known.set(folder, found);
  return found;
}

function stacksIn(list: string): ReadonlyMap<string, string> {
  const own = readWrittenFiles(list).filter(([, { charts }]) => charts === undefined);
  return new Map(own.map(([path, { stack }]) => [path, stack]));
}

function areFilled(
  templates: readonly PlainDocument[],
  texts: readonly PlainDocument[],
  filled: FilledText[],
): boolean {
  return (
    templates.length === texts.length &&
    templates.every(({ value }, place) => isFilled(value, texts[place]?.value, filled))
  );
}

/** Whether a value is a template with texts in the place of its placeholders. */
function isFilled(template: unknown, value: unknown, filled: FilledText[]): boolean {
  if (typeof template === "string") {
    if (typeof value !== "string" || !isFilledText(template, value)) return false;
    if (template !== value) filled.push({ template, text: value });
    return true;
  }
  if (Array.isArray(template))
    return (
      Array.isArray(value) &&
      template.length === value.length &&
      template.every((each, place) => isFilled(each, value[place], filled))
    );
  if (!isRecord(template)) return template === value;
  const keys = Object.keys(template);
  return (
    isRecord(value) &&
    keys.length === Object.keys(value).length &&
    keys.every((key) => Object.hasOwn(value, key) && isFilled(template[key], value[key], filled))
  );
}

/** Whether a text is another one with its placeholders filled: its literal pieces in their order, each looked for once. */
export function isFilledText(template: string, text: string): boolean {
  const [first = "", ...others] = placeholderPieces(template).filter((_, place) => place % 2 === 0);
  const last = others.pop();
  if (last === undefined) return template === text;
  if (!text.startsWith(first)) return false;
  let place = first.length;
  for (const piece of others) {
    // What fills a placeholder is never empty.
    const found = text.indexOf(piece, place + 1);
    if (found < 0) return false;
    place = found + piece.length;
  }
  return text.endsWith(last) && text.length - last.length > place;
}
