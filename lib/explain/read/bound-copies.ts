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
import { type Known, orElse } from "../../model/known";
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

/** A text of a finished file in the place of one with placeholders. */
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

/** What stands in the places of placeholders; `undefined` where documents differ in anything else. */
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

/** Whether a value is a template with texts in the place of its placeholders. */
function isFilled(
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

/** Texts that one placeholder may become; `undefined` where nothing says any. */
type Texts = ReadonlySet<string> | undefined;

/** One attribute of one resource that Terraform makes, perhaps without the slash at its end. */
const ATTRIBUTE = /^\$\{(?:trimsuffix\()?(([a-z]\w*)\.[\w-]+)\.(\w+)(?:, "\/"\))?\}$/;
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
  if (copies.length === 0) return { files: [], misfilled };
  const stated = statedTexts(stacks, terraform);
  const files = stacks.flatMap(({ name, identity }) => {
    const outputs = outputsOf(identity);
    const own = copies.filter(({ stack }) => stack === name);
    const became = fillings(own.flatMap(({ filled }) => filled));
    const shared = sharedBy(became, outputs);
    const isRight = (each: FilledText): boolean => {
      const names = placeholdersIn(each.template);
      const texts = names.map((placeholder) => stated(placeholder, outputs.get(placeholder)));
      if (texts.every((text) => text !== undefined)) {
        if (isOneOf(each, texts)) return true;
        const [, , , attribute = ""] = attributeOf(outputs.get(names[0] ?? ""));
        const right = [...(texts[0] ?? [])].join(" or ");
        if (names.length === 1 && UNIQUE.test(attribute))
          misfilled.set(
            sourceText(each.source),
            `${each.text} was filled in, and the state has ${right} there`,
          );
        return false;
      }
      return names.every(
        (placeholder) => !shared.has(placeholder) && (became.get(placeholder)?.size ?? 0) < 2,
      );
    };
    // Not `every`: each wrong text is noted.
    return own.filter(({ filled }) => filled.filter((each) => !isRight(each)).length > 0);
  });
  return { files: files.map(({ file }) => file), misfilled };
}

function outputsOf(identity: WorkloadIdentityFile | undefined): ReadonlyMap<string, OutputPlaceholder> {
  const all = Object.entries(identity?.placeholders ?? {});
  return new Map(all.flatMap(([name, entry]) => ("output" in entry ? [[name, entry] as const] : [])));
}

/** What a placeholder that stands alone in a text became; of several in one text it cannot be seen for certain. */
function fillings(filled: readonly FilledText[]): ReadonlyMap<string, ReadonlySet<string>> {
  const rows = filled.flatMap(({ template, text }) => {
    const [before = "", name, after = "", ...more] = placeholderPieces(template);
    return name === undefined || more.length > 0
      ? []
      : [{ name, became: text.slice(before.length, text.length - after.length) }];
  });
  const byName = [...grouped(rows, ({ name }) => name)];
  return new Map(byName.map(([name, all]) => [name, new Set(all.map(({ became }) => became))]));
}

function isOneOf({ template, text }: FilledText, texts: readonly ReadonlySet<string>[]): boolean {
  // Where several states say several texts, every choice of them would have to be tried.
  if (texts.length > 1 && texts.some(({ size }) => size !== 1)) return true;
  const [first = new Set<string>(), ...others] = texts;
  const rest = others.flatMap((each) => [...each]);
  return [...first].some((value) => {
    const values = [value, ...rest];
    const pieces = placeholderPieces(template);
    return (
      text === pieces.map((piece, place) => (place % 2 === 1 ? values[(place - 1) / 2] : piece)).join("")
    );
  });
}

/** Placeholders of one attribute of several resources that became one text. */
function sharedBy(
  became: ReadonlyMap<string, ReadonlySet<string>>,
  outputs: ReadonlyMap<string, OutputPlaceholder>,
): ReadonlySet<string> {
  const rows = [...became].flatMap(([name, texts]) => {
    const [, address, type, attribute = ""] = attributeOf(outputs.get(name));
    if (!UNIQUE.test(attribute)) return [];
    return [...texts].map((text) => ({ name, address, key: JSON.stringify([type, attribute, text]) }));
  });
  const shared = [...grouped(rows, ({ key }) => key).values()].filter(
    (all) => new Set(all.map(({ address }) => address)).size > 1,
  );
  return new Set(shared.flat().map(({ name }) => name));
}

function attributeOf(entry: OutputPlaceholder | undefined): readonly string[] {
  return ATTRIBUTE.exec(String(entry?.expression)) ?? [];
}

/** What states say of a placeholder: by the output that fills it, or by the attribute that the output holds. */
function statedTexts(
  stacks: readonly BoundStack[],
  terraform: Terraform,
): (placeholder: string, entry: OutputPlaceholder | undefined) => Texts {
  const states = terraform.scopes.filter((scope) => stacks.every((stack) => stack.scope !== scope));
  const known = new Map<string, Texts>();
  return (placeholder, entry) => {
    if (entry === undefined || known.has(placeholder)) return known.get(placeholder);
    const outputs = states.flatMap((scope) => (scope.isLiteral ? textsOf(scope.output(entry.output)) : []));
    const texts = outputs.length > 0 ? outputs : states.flatMap((scope) => attributeTexts(scope, entry));
    // One state of several stacks with a resource of that name may be another stack's.
    const stacksOf = stacks.filter(({ identity }) =>
      Object.hasOwn(identity?.placeholders ?? {}, placeholder),
    );
    const said = texts.length > 0 && texts.length >= stacksOf.length ? new Set(texts) : undefined;
    known.set(placeholder, said);
    return said;
  };
}

function attributeTexts(scope: Scope, entry: OutputPlaceholder): readonly string[] {
  const [, address = "", , attribute = ""] = attributeOf(entry);
  const isTrimmed = entry.expression.includes("trimsuffix(");
  return textsOf(scope.resources.get(address)?.attribute(attribute)).map((text) =>
    isTrimmed ? text.replace(/\/$/, "") : text,
  );
}

function textsOf(text: Known<string> | undefined): readonly string[] {
  const found = text === undefined ? undefined : orElse(text, () => undefined);
  return found === undefined ? [] : [found];
}
