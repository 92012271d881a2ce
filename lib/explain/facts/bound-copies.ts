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

/**
 * True for a file of which a stack has the template, to the letter but for what the template leaves late: it says
 * nothing that the template does not. One that differs in anything else is a file like others.
 *
 * Throws `explain-file-unreadable`, `explain-file-too-large` or `explain-file-invalid`.
 */
export function boundCopies(stacks: readonly ReadStack[]): (file: string) => boolean {
  if (stacks.length === 0) return () => false;
  const folders = new Map(stacks.map(({ name, folder }) => [name, folder]));
  const lists = new Map<string, BoundFolder | undefined>();
  return (file) => {
    const bound = boundFolder(dirname(resolve(file)), lists);
    const path = bound && relative(bound.folder, resolve(file)).replaceAll("\\", "/");
    const stack = path === undefined ? undefined : bound?.stacks.get(path);
    const folder = stack === undefined ? undefined : folders.get(stack);
    if (path === undefined || stack === undefined || folder === undefined) return false;
    const template = join(folder, path.slice(stack.length + 1));
    return isThere(template) && areFilled(fileDocuments(template), fileDocuments(file));
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

function areFilled(templates: readonly PlainDocument[], texts: readonly PlainDocument[]): boolean {
  return (
    templates.length === texts.length &&
    templates.every(({ value }, place) => isFilled(value, texts[place]?.value))
  );
}

/** Whether a value is a template with texts in the place of its placeholders. */
function isFilled(template: unknown, value: unknown): boolean {
  if (typeof template === "string") return typeof value === "string" && isFilledText(template, value);
  if (Array.isArray(template))
    return (
      Array.isArray(value) &&
      template.length === value.length &&
      template.every((each, place) => isFilled(each, value[place]))
    );
  if (!isRecord(template)) return template === value;
  const keys = Object.keys(template);
  return (
    isRecord(value) &&
    keys.length === Object.keys(value).length &&
    keys.every((key) => Object.hasOwn(value, key) && isFilled(template[key], value[key]))
  );
}

/** The literal pieces in their order; each is looked for once, behind the one before. */
function isFilledText(template: string, text: string): boolean {
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
