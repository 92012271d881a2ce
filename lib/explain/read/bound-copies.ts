/*
 * Files that `bind` wrote from a stack that is read as well: each is what the stack's own file becomes, and no second
 * document that could contradict it; unless what was filled in is not what Terraform made, since outputs of another
 * cluster, or old ones, fill a file as well.
 */

import { dirname, join, relative, resolve } from "node:path";
import { placeholderPieces, placeholdersIn } from "../../artefact/placeholder";
import type { OutputPlaceholder, WorkloadIdentityFile } from "../../artefact/workload-identity-file";
import { WRITTEN_FILES_LIST, readWrittenFiles } from "../../artefact/written-files-list";
import { grouped } from "../../model/grouped";
import { type Known, map, orElse } from "../../model/known";
import { isRecord } from "../../model/record";
import { type FileDocument, readText } from "./documents";
import { isThere } from "./input-files";
import type { Scope } from "./scope";
import { type Source, sourceText } from "./source";
import type { Terraform } from "./terraform";

export interface BoundStack {
  readonly name: string;
  readonly folder: string;
  readonly identity: WorkloadIdentityFile | undefined;
  readonly scope: Scope | undefined;
}

/** A text of a finished file in place of one with placeholders. */
interface FilledText {
  readonly template: string;
  readonly text: string;
  readonly source: Source;
}

/** A file that is a stack's own with its placeholders filled. */
export interface BoundCopy {
  readonly file: string;
  readonly stack: string;
  readonly filled: readonly FilledText[];
}

/** A folder that `bind` wrote to: the stack of each file that is a stack's own, by path below the folder. */
interface BoundFolder {
  readonly folder: string;
  readonly stacks: ReadonlyMap<string, string>;
}

/**
 * The files that equal a template of a stack but for what it leaves late: they say nothing that the template does not,
 * if what was filled in is right. One that differs in anything else is a file like others.
 */
export function boundCopies(
  files: readonly string[],
  stacks: readonly BoundStack[],
  read: (file: string) => readonly FileDocument[],
): readonly BoundCopy[] {
  if (stacks.length === 0) return [];
  const folders = new Map(stacks.map(({ name, folder }) => [name, folder]));
  const lists = new Map<string, BoundFolder | undefined>();
  return files.flatMap((file): readonly BoundCopy[] => {
    const bound = boundFolder(dirname(resolve(file)), lists);
    if (bound === undefined) return [];
    const path = relative(bound.folder, resolve(file)).replaceAll("\\", "/");
    const stack = bound.stacks.get(path) ?? "";
    const template = join(folders.get(stack) ?? "", path.slice(stack.length + 1));
    if (!folders.has(stack) || !isThere(template)) return [];
    const filled = filledTexts(read(template), read(file));
    return filled ? [{ file, stack, filled }] : [];
  });
}

/** The nearest folder with a list. */
function boundFolder(folder: string, known: Map<string, BoundFolder | undefined>): BoundFolder | undefined {
  if (known.has(folder)) return known.get(folder);
  const list = join(folder, WRITTEN_FILES_LIST);
  const above = dirname(folder);
  let found: BoundFolder | undefined;
  if (isThere(list)) {
    const own = readWrittenFiles(readText(list)).filter(([, { charts }]) => charts === undefined);
    found = { folder, stacks: new Map(own.map(([path, { stack }]) => [path, stack])) };
  } else if (above !== folder) found = boundFolder(above, known);
  known.set(folder, found);
  return found;
}

/** What was written in place of the placeholders; `undefined` where documents differ in anything else. */
function filledTexts(
  templates: readonly FileDocument[],
  copies: readonly FileDocument[],
): readonly FilledText[] | undefined {
  const filled: FilledText[] = [];
  const isCopy = copies.every(({ value, source }, place) =>
    isFilled(templates[place]?.value, value, (template, text) => filled.push({ template, text, source })),
  );
  return isCopy && templates.length === copies.length ? filled : undefined;
}

/** Whether a value is a template with texts in place of its placeholders. */
export function isFilled(
  template: unknown,
  value: unknown,
  filled: (template: string, text: string) => void,
): boolean {
  if (typeof template === "string") {
    if (typeof value !== "string" || !isFilledText(template, value)) return false;
    if (template !== value) filled(template, value);
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

/** One attribute of one resource that Terraform makes, perhaps without the slash at its end. */
const ATTRIBUTE = /^\$\{(trimsuffix\()?(([a-z]\w*)\.[\w-]+)\.(\w+)(?:, "\/"\))?\}$/;
/** Attributes of which no two resources of a type have the same value. */
const UNIQUE = /^(?:client_id|principal_id|object_id|unique_id|arn|id)$/;

export interface WronglyFilled {
  /**
   * Files in which a placeholder became something else than a state says or than it became elsewhere, or the same as the
   * placeholder of another resource.
   */
  readonly files: readonly string[];
  /** What was filled in for an identity against what a state says, a sentence, by the document's {@link sourceText}. */
  readonly misfilled: ReadonlyMap<string, string>;
}

/** Compares the copies with the states, and with each other. */
export function wronglyFilled(
  copies: readonly BoundCopy[],
  stacks: readonly BoundStack[],
  terraform: Terraform,
): WronglyFilled {
  const misfilled = new Map<string, string>();
  const states = terraform.scopes.filter((scope) => stacks.every((stack) => stack.scope !== scope));
  const files = stacks.flatMap((stack) => {
    const own = copies.filter((copy) => copy.stack === stack.name);
    const fillings = own.flatMap(({ file, filled }) => filled.map((each) => fillingOf(file, each, stack)));
    const differing = (key: (each: Filling) => string, what: (each: Filling) => string): readonly Filling[] =>
      [...grouped(fillings, key).values()].filter((all) => new Set(all.map(what)).size > 1).flat();
    const contradicting = new Set([
      ...differing(
        ({ what }) => what,
        ({ became }) => became,
      ),
      ...differing(
        ({ address, attribute, became }) => JSON.stringify([address.split(".")[0], attribute, became]),
        (each) => (isUnique(each) ? each.address : ""),
      ),
    ]);
    const wrong = fillings.filter((each) => {
      const right = statedTexts(each.what, stack, states, stacks);
      if (right.length === 0) return contradicting.has(each);
      const isRight = right.includes(each.became);
      if (!isRight && isUnique(each))
        misfilled.set(
          each.where,
          `${each.became} was filled in, and the state has ${right.join(" or ")} there`,
        );
      return !isRight;
    });
    return wrong.map(({ file }) => file);
  });
  return { files: [...new Set(files)], misfilled };
}

/** What was written in place of a placeholder; of several in one text, which cannot be told apart, the text as a whole. */
interface Filling {
  readonly file: string;
  readonly where: string;
  readonly what: string;
  readonly became: string;
  /** The resource and its attribute that it is; empty where it is none. */
  readonly address: string;
  readonly attribute: string;
}

function fillingOf(file: string, { template, text, source }: FilledText, stack: BoundStack): Filling {
  const [before = "", name = "", after = "", ...more] = placeholderPieces(template);
  const where = sourceText(source);
  if (more.length > 0) return { file, where, what: template, became: text, address: "", attribute: "" };
  const [, , address = "", , attribute = ""] = attributeOf(outputOf(stack, name));
  const became = text.slice(before.length, text.length - after.length);
  return { file, where, what: name, became, address, attribute };
}

function isUnique({ attribute }: Filling): boolean {
  return UNIQUE.test(attribute);
}

function outputOf({ identity }: BoundStack, placeholder: string): OutputPlaceholder | undefined {
  const all = identity?.placeholders ?? {};
  const entry = Object.hasOwn(all, placeholder) ? all[placeholder] : undefined;
  return entry && "output" in entry ? entry : undefined;
}

function attributeOf(entry: OutputPlaceholder | undefined): readonly string[] {
  return ATTRIBUTE.exec(String(entry?.expression)) ?? [];
}

/** What states say of a placeholder, or of a text with several of them; none where they do not say it for certain. */
function statedTexts(
  what: string,
  stack: BoundStack,
  states: readonly Scope[],
  stacks: readonly BoundStack[],
): readonly string[] {
  const texts = placeholdersIn(what).map((name) => {
    const found = outputTexts(outputOf(stack, name), states);
    // One state of several stacks with a resource of that name may be another stack's.
    const having = stacks.filter((each) => Object.hasOwn(each.identity?.placeholders ?? {}, name));
    return found.length >= having.length ? [...new Set(found)] : [];
  });
  const [only = [], ...more] = texts;
  if (more.length === 0) return only;
  if (texts.some(({ length }) => length !== 1)) return [];
  const pieces = placeholderPieces(what);
  return [pieces.map((piece, place) => (place % 2 === 1 ? texts[(place - 1) / 2]?.[0] : piece)).join("")];
}

/** By the output that fills a placeholder, else by the attribute that the output holds. */
function outputTexts(entry: OutputPlaceholder | undefined, states: readonly Scope[]): readonly string[] {
  if (entry === undefined) return [];
  const [, trimmed, address = "", , attribute = ""] = attributeOf(entry);
  const outputs = states.flatMap((scope) => (scope.isLiteral ? textsOf(scope.output(entry.output)) : []));
  if (outputs.length > 0) return outputs;
  return states
    .flatMap((scope) => textsOf(scope.resources.get(address)?.attribute(attribute)))
    .map((text) => (trimmed ? text.replace(/\/$/, "") : text));
}

function textsOf(text: Known<string> | undefined): readonly string[] {
  return text === undefined
    ? []
    : orElse(
        map(text, (each) => [each]),
        () => [],
      );
}
