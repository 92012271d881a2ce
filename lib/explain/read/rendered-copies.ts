/*
 * Copies of a stack's files that Terraform delivers as texts: in locals, outputs, and the contents of files, objects and
 * user data. Where a copy differs from the file, it is read like a second document that contradicts the first.
 */

import { join, relative } from "node:path";
import { placeholderPieces } from "../../artefact/placeholder";
import { grouped } from "../../model/grouped";
import { same } from "../../model/known";
import { once } from "../../model/once";
import { at, record } from "../../model/parsed";
import { nodeFormOf } from "../../rules/node/forms";
import { type BoundStack, isFilled } from "./bound-copies";
import { yamlValues } from "./documents";
import { bytesOfBase64 } from "./encoded-content";
import { templateOf } from "./expression";
import { STACK_FILE } from "./input-files";
import type { LateReader } from "./late-text";
import { Texts } from "./manifest-resources";
import { type KubernetesDocument, OF_ANY, isKubernetesDocument, keyOf } from "./objects";
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
    // The names of the locals that `rendered` makes for files.
    const localOf = (path: string): string => `locals.${relative(stack.folder, path).replace(/\W+/g, "_")}`;
    const byLocal = new Map([...files].map(([path, file]) => [localOf(path), file]));
    // Few stacks have texts with documents.
    const titled = once((all: typeof files) => byTitle([...all.values()]));
    const contradicting = textsIn(scope).flatMap((text) => {
      const copy = documentsOf(text, scope);
      const own = byLocal.get(text.source.path);
      const alike = own ? [own] : copy.length > 0 ? mostAlike(titled(files), copy) : [];
      const differing = alike.map((file) => contradictions(file, copy, text.source));
      // It is a copy of one of them, and of which is not known if it differs from all.
      return differing.some(({ length }) => length === 0) ? [] : differing.flat();
    });
    return [name, contradicting];
  });
  return new Map(rows);
}

/** A text as Terraform writes it. */
interface DeliveredText {
  readonly template: string;
  readonly source: Source;
}

function textsIn(scope: Scope): readonly DeliveredText[] {
  const file = join(scope.place, STACK_FILE);
  const delivered = (template: unknown, source: Source): readonly DeliveredText[] =>
    typeof template === "string" ? [{ template, source }] : [];
  const locals = [...scope.named].filter(([name]) => name.startsWith("local."));
  const outputs = [...scope.outputs].map(([name, value]) =>
    delivered(value, { file, path: `output.${name}` }),
  );
  const contents = [...scope.resources.values()].flatMap((resource) =>
    CONTENTS.filter((name) => resource.names.includes(name)).map((name) =>
      delivered(resource.written([name]), below(resource.source, name)),
    ),
  );
  return [
    ...locals.flatMap(([name, value]) => delivered(value, { file, path: name.replace("local.", "locals.") })),
    ...[...outputs, ...contents].flat().filter(({ template }) => MAY_HOLD.test(template)),
  ];
}

/** Lines, a local that has them, or base64 of them; most outputs have none of these. */
const MAY_HOLD = /\n|\blocal\.|^[\w+/]{64,}={0,2}$/;

/** What begins documents of Kubernetes and of nodes; other texts need not be parsed. */
const DOCUMENT = /kind"?:|write_files"?:|"ignition"|variant:|machine"?:|kubeletFlags"?:/;

const ENCODED = /^\$\{base64encode\((.*)\)\}$/;

/** The documents of a text; none if it is of something else. */
function documentsOf({ template, source }: DeliveredText, scope: Scope): readonly KubernetesDocument[] {
  const texts = new Texts(scope);
  const [, encoded] = ENCODED.exec(template) ?? [];
  const text = texts.document(encoded === undefined ? template : templateOf(encoded));
  const plain = text.includes("\n") ? text : (bytesOfBase64(text)?.toString() ?? text);
  const isNodeText = nodeFormOf(plain) !== undefined;
  const values = isNodeText ? [plain] : DOCUMENT.test(plain) ? (yamlValues(plain) ?? []) : [];
  const [head] = plain.split("\n", 1);
  const { late } = texts;
  return values.map((value, document) => {
    const place = values.length > 1 ? { ...source, document } : source;
    return { value, source: place, head, late, ...OF_ANY, ofStack: true };
  });
}

type File = readonly KubernetesDocument[];

/** What a document is of, to find it in a copy; `undefined` for one that no cluster or node takes. */
function titleIn({ value }: KubernetesDocument): string | undefined {
  const form = nodeFormOf(value);
  if (form) return form.id;
  return isKubernetesDocument(value) ? `${String(at(value, "kind"))} ${keyOf(value)}` : undefined;
}

/** The file of each object, and those of each form of documents for nodes. */
function byTitle(files: readonly File[]): ReadonlyMap<string, readonly File[]> {
  const rows = files.flatMap((file) =>
    file.flatMap((each) => {
      const title = titleIn(each);
      return title === undefined ? [] : [[title, file] as const];
    }),
  );
  const all = grouped(rows, ([title]) => title);
  return new Map([...all].map(([title, found]) => [title, found.map(([, file]) => file)]));
}

/** The file of which a text has the most objects; several if they have equally many, as files of two clusters may. */
function mostAlike(files: ReadonlyMap<string, readonly File[]>, copy: File): readonly File[] {
  const shared = grouped(
    copy.flatMap((each) => files.get(titleIn(each) ?? "") ?? []),
    (file) => file,
  );
  const most = Math.max(...[...shared.values()].map(({ length }) => length));
  return [...shared].flatMap(([file, { length }]) => (length === most ? [file] : []));
}

/** The documents of the copy that differ from the file's; one without fields for each that it lacks. */
function contradictions(file: File, copy: File, source: Source): readonly KubernetesDocument[] {
  const unmatched = [...copy];
  const differing = file.filter((own) => {
    const place = unmatched.findIndex((each) => isSame(own, each));
    if (place >= 0) unmatched.splice(place, 1);
    return place < 0;
  });
  return differing.map((document): KubernetesDocument => {
    const { management, spoke, cluster, forNodes, value } = document;
    const place = { management, spoke, cluster, ...(forNodes !== undefined && { forNodes }) };
    const other = unmatched.find((each) => titleIn(each) === titleIn(document));
    if (other) return { ...other, ...place };
    const { apiVersion, kind, metadata } = record(value);
    const { name, namespace } = record(metadata);
    const lacking = forNodes === true ? "" : { apiVersion, kind, metadata: { name, namespace } };
    return { ...document, value: lacking, source };
  });
}

function isSame(own: KubernetesDocument, other: KubernetesDocument): boolean {
  const pairs: (readonly [template: string, text: string])[] = [];
  const isAlike = isFilled(own.value, other.value, (template, text) => pairs.push([template, text]));
  const isHeaded = own.forNodes !== true || own.head === undefined || own.head === other.head;
  return (
    isAlike && isHeaded && pairs.every(([template, text]) => isSameText(own.late, template, other.late, text))
  );
}

/** Whether Terraform fills in what the placeholders of the file stand for. */
function isSameText(late: LateReader, template: string, lateOfCopy: LateReader, text: string): boolean {
  const [own, other] = [placeholderPieces(template), placeholderPieces(text)];
  if (own.length !== other.length) return same(late(template), lateOfCopy(text)) === "yes";
  return own.every((piece, place) => same(late(piece), lateOfCopy(other[place] ?? "")) === "yes");
}
