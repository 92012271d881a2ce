/*
 * Copies of a stack's files that Terraform delivers as texts: in locals, outputs, and the contents of files, objects and
 * user data. Where a copy differs from the file, it is read like a second document that contradicts the first.
 */

import { join, relative } from "node:path";
import { placeholder, placeholderPieces } from "../../artefact/placeholder";
import { grouped } from "../../model/grouped";
import { type Known, Reference, is, known, partsOf, textOf } from "../../model/known";
import { at, record } from "../../model/parsed";
import { nodeFormOf } from "../../rules/node/forms";
import { type BoundStack, isFilled } from "./bound-copies";
import { yamlValues } from "./documents";
import { bytesOfBase64 } from "./encoded-content";
import { canonical } from "./functions";
import { STACK_FILE } from "./input-files";
import { type LateReader, isEncodedPlaceholder, lateReader } from "./late-text";
import { type KubernetesDocument, isKubernetesDocument, keyOf } from "./objects";
import type { Scope } from "./scope";
import { type Source, below } from "./source";

/** A stack with the documents of the files that it wrote. */
export interface WrittenStack extends BoundStack {
  readonly written: readonly KubernetesDocument[];
}

/** Arguments with the text of a file, an object in a store, a manifest or user data, of any type. */
const CONTENTS: readonly string[] = ["content", "custom_data", "source_content", "user_data", "yaml_body"];

/** The documents of copies that contradict the files of stacks, by the stack's name. */
export function contradictingCopies(
  stacks: readonly WrittenStack[],
): ReadonlyMap<string, readonly KubernetesDocument[]> {
  const rows = stacks.map((stack): readonly [string, readonly KubernetesDocument[]] => {
    const { name, scope, identity, written } = stack;
    if (scope === undefined || identity === undefined) return [name, []];
    const files = grouped(written, ({ source }) => source.file);
    const byLocal = new Map([...files].map(([path, file]) => [localOf(stack, path), file]));
    const found = textsIn(scope).flatMap((text) => {
      const copy = readCopy(text);
      const file = byLocal.get(text.source.path) ?? mostAlike([...files.values()], copy);
      return file ? contradictions(file, copy, text.source) : [];
    });
    return [name, found];
  });
  return new Map(rows);
}

/** The name of the local that `rendered` makes for a file. */
function localOf({ folder }: WrittenStack, file: string): string {
  return `locals.${relative(folder, file).replace(/\W+/g, "_")}`;
}

/** A text as Terraform writes it. */
interface DeliveredText {
  readonly text: Known<string>;
  readonly source: Source;
}

function textsIn(scope: Scope): readonly DeliveredText[] {
  const file = join(scope.place, STACK_FILE);
  const locals = [...scope.named].flatMap(([name, value]): readonly DeliveredText[] =>
    name.startsWith("local.") && typeof value === "string"
      ? [{ text: scope.text(value), source: { file, path: name.replace("local.", "locals.") } }]
      : [],
  );
  const outputs = [...scope.outputs.keys()].map((name): DeliveredText => {
    return { text: scope.output(name) ?? known(""), source: { file, path: `output.${name}` } };
  });
  const contents = [...scope.resources.values()].flatMap((resource) =>
    CONTENTS.filter((name) => resource.names.includes(name)).map((name): DeliveredText => {
      return { text: resource.stated(name), source: below(resource.source, name) };
    }),
  );
  return [...locals, ...outputs, ...contents];
}

/** The documents of a text. */
interface Copy {
  readonly documents: readonly KubernetesDocument[];
  /** By their placeholders. */
  readonly references: ReadonlyMap<string, Reference>;
}

/** What begins documents of Kubernetes and of nodes; other texts need not be parsed. */
const DOCUMENT = /kind"?:|write_files"?:|"ignition"|variant:|machine"?:|kubeletFlags"?:|^MIME-Version/m;

function readCopy({ text, source }: DeliveredText): Copy {
  const references = new Map<string, Reference>();
  const pieces = (partsOf(text) ?? []).map((part) => {
    if (typeof part === "string") return part;
    const name = placeholder(`rendered.${references.size}`);
    references.set(name, part);
    return part.expression.startsWith("jsonencode(") ? JSON.stringify(name) : name;
  });
  const plain = pieces.join("").includes("\n") ? pieces.join("") : decoded(pieces.join(""));
  const values = isNodeText(plain) ? [plain] : DOCUMENT.test(plain) ? (yamlValues(plain) ?? []) : [];
  const late = lateReader(
    (each) => textOf([references.get(each) ?? new Reference(each)]),
    () => undefined,
  );
  const [head] = plain.split("\n", 1);
  const documents = values.map((value, document): KubernetesDocument => {
    const place = values.length > 1 ? { ...source, document } : source;
    return { value, source: place, head, late, management: false, ofStack: true, spoke: undefined };
  });
  return { documents, references };
}

function isNodeText(text: string): boolean {
  return nodeFormOf(text) !== undefined;
}

function decoded(text: string): string {
  return bytesOfBase64(text)?.toString() ?? text;
}

type File = readonly KubernetesDocument[];

/** What a document is of, to find it in a copy; `undefined` for one that no cluster or node takes. */
function titleIn({ value }: KubernetesDocument): string | undefined {
  const form = nodeFormOf(value);
  if (form) return form.id;
  return isKubernetesDocument(value) ? `${String(at(value, "kind"))} ${keyOf(value)}` : undefined;
}

/** The file of which a text has the most objects. */
function mostAlike(files: readonly File[], { documents }: Copy): File | undefined {
  const titles = new Set(documents.flatMap((each) => titleIn(each) ?? []));
  const shared = (file: File): number => file.filter((each) => titles.has(titleIn(each) ?? "")).length;
  const [first] = files.toSorted((one, other) => shared(other) - shared(one));
  return first && shared(first) > 0 ? first : undefined;
}

/** The documents of the copy that differ from the file's; one without fields for each that it lacks. */
function contradictions(file: File, copy: Copy, source: Source): readonly KubernetesDocument[] {
  const left = [...copy.documents];
  const differing = file.filter((own) => {
    const place = left.findIndex((each) => isSame(own, each, copy));
    if (place >= 0) left.splice(place, 1);
    return place < 0;
  });
  return differing.map((own): KubernetesDocument => {
    const { management, spoke, forNodes, value } = own;
    const place = { management, spoke, ...(forNodes !== undefined && { forNodes }) };
    const other = left.find((each) => titleIn(each) === titleIn(own));
    if (other) return { ...other, ...place };
    const { apiVersion, kind, metadata } = record(value);
    const { name, namespace } = record(metadata);
    const lacking = forNodes === true ? "" : { apiVersion, kind, metadata: { name, namespace } };
    return { ...own, value: lacking, source };
  });
}

function isSame(own: KubernetesDocument, other: KubernetesDocument, { references }: Copy): boolean {
  const pairs: (readonly [template: string, text: string])[] = [];
  const isAlike = isFilled(own.value, other.value, (template, text) => pairs.push([template, text]));
  const isHeaded = own.forNodes !== true || own.head === undefined || own.head === other.head;
  return (
    isAlike && isHeaded && pairs.every(([template, text]) => isSameText(own.late, template, text, references))
  );
}

/** Whether Terraform fills in what a placeholder of the file stands for. */
function isSameText(
  late: LateReader,
  template: string,
  text: string,
  references: ReadonlyMap<string, Reference>,
): boolean {
  const whole = references.get(text)?.expression;
  if (whole !== undefined && formsOf(late, template).includes(whole)) return true;
  const [own, other] = [placeholderPieces(template), placeholderPieces(text)];
  if (own.length !== other.length || own.length === 1) return is(late(template), text) === "yes";
  return own.every((piece, place) =>
    place % 2 === 0
      ? piece === other[place]
      : formsOf(late, piece).includes(references.get(other[place] ?? "")?.expression ?? ""),
  );
}

const DATA_URL = '"data:text/plain;charset=utf-8;base64,"';

/** The expressions with which `rendered` writes a text. */
function formsOf(late: LateReader, template: string): readonly string[] {
  const value = canonical("", [late(template)])?.slice(1, -1);
  if (value === undefined) return [];
  const plain = [value, `jsonencode(${value})`];
  if (!isEncodedPlaceholder(template)) return plain;
  const encoded = `base64encode(${value})`;
  return [encoded, `jsonencode(${encoded})`, `jsonencode(${DATA_URL} + ${encoded})`];
}
