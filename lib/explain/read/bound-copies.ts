/*
 * Files that `bind` wrote from a stack that is read too: each is the finished form of the stack's own file, not a
 * second document that could contradict it. It may still hold values that Terraform did not produce, filled in from old
 * outputs or those of another cluster.
 */

import { dirname, join, relative, resolve } from "node:path";
import { placeholderPieces, placeholdersIn } from "../../artefact/placeholder";
import type { OutputPlaceholder, WorkloadIdentityFile } from "../../artefact/workload-identity-file";
import { WRITTEN_FILES_LIST, readWrittenFiles } from "../../artefact/written-files-list";
import { grouped } from "../../model/grouped";
import { type Known, is, orElse, shown, unread } from "../../model/known";
import { isRecord } from "../../model/record";
import { type FileDocument, readText } from "./documents";
import { isThere } from "./input-files";
import type { LateReader } from "./late-text";
import type { Scope } from "./scope";
import { type Source, sourceText } from "./source";
import type { Terraform } from "./terraform";

export interface BoundStack {
  readonly name: string;
  readonly folder: string;
  readonly identity: WorkloadIdentityFile | undefined;
  readonly scope: Scope | undefined;
  readonly late: LateReader;
}

interface FilledText {
  readonly template: string;
  readonly text: string;
  readonly source: Source;
}

/** A stack's own file with its placeholders filled. */
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
 * The files that differ from a stack's template only where it has placeholders: if the filled-in values are right, they
 * say nothing new. A file that differs in anything else is read like any other.
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
  let bound: BoundFolder | undefined;
  if (isThere(list)) {
    const files = readWrittenFiles(readText(list)).filter(([, { charts }]) => charts === undefined);
    bound = { folder, stacks: new Map(files.map(([path, { stack }]) => [path, stack])) };
  } else if (above !== folder) bound = boundFolder(above, known);
  known.set(folder, bound);
  return bound;
}

/** The texts in place of the placeholders; `undefined` if the documents differ in anything else. */
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

/** Whether a text fills the placeholders of a template: it has the literal pieces in their order. */
function isFilledText(template: string, text: string): boolean {
  const [first = "", ...others] = placeholderPieces(template).filter((_, place) => place % 2 === 0);
  const last = others.pop();
  if (last === undefined) return template === text;
  if (!text.startsWith(first)) return false;
  let place = first.length;
  for (const piece of others) {
    // A placeholder is never filled with an empty text.
    const position = text.indexOf(piece, place + 1);
    if (position < 0) return false;
    place = position + piece.length;
  }
  return text.endsWith(last) && text.length - last.length > place;
}

/** One attribute of one Terraform resource, perhaps with its trailing slash trimmed. */
const ATTRIBUTE = /^\$\{(trimsuffix\()?(([a-z]\w*)\.[\w-]+)\.(\w+)(?:, "\/"\))?\}$/;
/** Attributes whose value is different for every resource of a type. */
const UNIQUE = /^(?:client_id|principal_id|object_id|unique_id|arn|id)$/;

/** How an identity that was filled in contradicts a state or the configuration. */
export interface Misfilled {
  /** One clause for people. */
  readonly what: string;
  /** True for a state: the configuration may differ from what is applied. */
  readonly isCertain: boolean;
}

export interface WronglyFilled {
  /**
   * Files in which the value of a placeholder contradicts a state or what is known from the configuration alone, differs
   * from its value in another file, or equals that of another resource's placeholder.
   */
  readonly files: readonly string[];
  readonly misfilled: ReadonlyMap<string, Misfilled>;
}

/** Compares the copies with the states, and with each other. */
export function wronglyFilled(
  copies: readonly BoundCopy[],
  stacks: readonly BoundStack[],
  terraform: Terraform,
): WronglyFilled {
  const misfilled = new Map<string, Misfilled>();
  const states = terraform.scopes.filter((scope) => stacks.every((stack) => stack.scope !== scope));
  const files = stacks.flatMap((stack) => {
    const stackCopies = copies.filter((copy) => copy.stack === stack.name);
    const fillings = stackCopies.flatMap(({ file, filled }) =>
      filled.map((each) => fillingOf(file, each, stack)),
    );
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
    const wrong = fillings.filter((filling) => {
      const right = statedTexts(filling.what, stack, states, stacks);
      const says = (against: string, what: string): string =>
        `${filling.became} was filled in, but the ${against} has ${what} there`;
      if (right.length === 0) {
        const computed = contradictedBy(filling, stack);
        if (computed !== undefined)
          misfilled.set(filling.where, { what: says("configuration", computed), isCertain: false });
        return computed !== undefined || contradicting.has(filling);
      }
      const isRight = right.includes(filling.became);
      if (!isRight && isUnique(filling))
        misfilled.set(filling.where, { what: says("state", right.join(" or ")), isCertain: true });
      return !isRight;
    });
    return wrong.map(({ file }) => file);
  });
  return { files: [...new Set(files)], misfilled };
}

/** The text in place of a placeholder, or of several in one text, which cannot be told apart. */
interface Filling {
  readonly file: string;
  readonly where: string;
  readonly what: string;
  readonly became: string;
  /** The resource and the attribute behind it; empty if there is none. */
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

/** What the configuration alone computes, such as the ARN of a role with another name; `undefined` if it may agree. */
function contradictedBy({ what, became }: Filling, stack: BoundStack): string | undefined {
  const isPlain = placeholdersIn(what).every((name) => outputOf(stack, name) !== undefined);
  const computed = stack.late(what);
  return isPlain && is(computed, became) === "no" ? shown(computed) : undefined;
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

/** The values in states for a placeholder, or for a text with several; empty if they are not certain. */
function statedTexts(
  what: string,
  stack: BoundStack,
  states: readonly Scope[],
  stacks: readonly BoundStack[],
): readonly string[] {
  const texts = placeholdersIn(what).map((name) => {
    const found = outputTexts(outputOf(stack, name), states);
    // If several stacks have a resource with that name, the state may belong to any of them.
    const having = stacks.filter((each) => Object.hasOwn(each.identity?.placeholders ?? {}, name));
    return found.length >= having.length ? [...new Set(found)] : [];
  });
  const [only = [], ...more] = texts;
  if (more.length === 0) return only;
  if (texts.some(({ length }) => length !== 1)) return [];
  const pieces = placeholderPieces(what);
  return [pieces.map((piece, place) => (place % 2 === 1 ? texts[(place - 1) / 2]?.[0] : piece)).join("")];
}

/** Looks up the output that fills a placeholder, else the attribute that the output holds. */
function outputTexts(entry: OutputPlaceholder | undefined, states: readonly Scope[]): readonly string[] {
  if (entry === undefined) return [];
  const [, trimmed, address = "", , attribute = ""] = attributeOf(entry);
  const literal = (text: Known<string> = unread("it is not there")): string | readonly string[] =>
    orElse(text, () => []);
  const outputs = states.flatMap((scope) =>
    literal(scope.isLiteral ? scope.output(entry.output) : undefined),
  );
  if (outputs.length > 0) return outputs;
  return states
    .flatMap((scope) => literal(scope.resources.get(address)?.attribute(attribute)))
    .map((text) => (trimmed ? text.replace(/\/$/, "") : text));
}
