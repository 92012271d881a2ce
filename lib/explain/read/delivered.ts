/*
 * Objects that Terraform applies: those of a stack that delivers another stack's manifests, whose record says which
 * Terraform provider reaches which cluster; and those of plans, states and plain configurations. Also copies of a
 * stack's files that Terraform delivers as texts: in locals, outputs, and the contents of files, objects and user data.
 * Where a copy differs from the file, it is read like a second document that contradicts the first.
 */

import { join, relative } from "node:path";
import { placeholderPieces } from "../../artefact/placeholder";
import type { DeliveryEntry } from "../../artefact/workload-identity-file";
import { fail } from "../../errors";
import { grouped } from "../../model/grouped";
import { same } from "../../model/known";
import { once } from "../../model/once";
import { at, record } from "../../model/parsed";
import { nodeFormOf } from "../../rules/node/forms";
import type { Resource } from "./block";
import { type BoundStack, isFilled } from "./bound-copies";
import { yamlValues } from "./documents";
import { bytesOfBase64 } from "./encoded-content";
import { templateOf } from "./expression";
import { STACK_FILE } from "./input-files";
import type { LateReader } from "./late-text";
import {
  type ManifestResource,
  type ManifestResources,
  Texts,
  manifestResources,
  mayAnnotate,
  textOf,
} from "./manifest-resources";
import { type KubernetesDocument, OF_ANY, isKubernetesDocument, keyOf } from "./objects";
import type { Scope } from "./scope";
import { type SkippedDocument, type Source, below } from "./source";
import { Terraform } from "./terraform";
import { readStackConfiguration } from "./terraform-configuration";
import type { UnreadText } from "./unread-files";

export interface Delivered {
  readonly byStack: ReadonlyMap<string, readonly KubernetesDocument[]>;
  /** Objects that may be of any cluster; of some it is not known of which. */
  readonly any: readonly KubernetesDocument[];
  readonly skipped: readonly SkippedDocument[];
  /** What may hold service accounts, roles or bindings of any cluster. */
  readonly perhaps: readonly Source[];
  /** The texts of resources that are not read. */
  readonly unread: readonly UnreadText[];
  /** True if some of these may add annotations to service accounts. */
  readonly mayAnnotate: boolean;
}

const OTHER_STACK =
  "no stack records that it delivers its objects, so it is not known which cluster they are for";
const SEVERAL =
  "several Kubernetes providers are configured in Terraform, so it is not known which cluster the object is for";

/** The objects of the resources in a stack's folder, sorted by address; late texts in them are placeholders. */
export function objectsInResources(folder: string): readonly unknown[] {
  const scope = readStackConfiguration(new Terraform([]), folder);
  return scope === undefined ? [] : manifestResources(scope).objects.map(({ value }) => value);
}

/** The objects of all resources, the documents that they give to pools of nodes, and copies that contradict files. */
export function deliveredObjects(
  stacks: readonly WrittenStack[],
  terraform: Terraform,
  pools: readonly KubernetesDocument[],
): Delivered {
  const { byStack, any, ...others } = objectsOfResources(stacks, terraform);
  const ofPools = poolsByStack(pools, stacks);
  const copies = contradictingCopies(stacks);
  const rows = stacks.flatMap((stack) => {
    const further = [...(ofPools.get(stack) ?? []), ...(copies.get(stack.name) ?? [])];
    return further.length > 0
      ? [[stack.name, [...(byStack.get(stack.name) ?? []), ...further]] as const]
      : [];
  });
  return {
    ...others,
    byStack: new Map([...byStack, ...rows]),
    any: [...any, ...(ofPools.get(undefined) ?? [])],
  };
}

function objectsOfResources(stacks: readonly BoundStack[], terraform: Terraform): Delivered {
  const read = new Map(terraform.scopes.map((scope) => [scope, manifestResources(scope)]));
  const ofStacks = new Set(stacks.map(({ scope }) => scope));
  const others = [...read].filter(([scope]) => !ofStacks.has(scope)).map(([, each]) => each);
  const byStack = new Map<string, readonly KubernetesDocument[]>();
  const taken = new Set<ManifestResources>();
  for (const { name, identity } of stacks) {
    const delivery = identity?.delivery;
    if (delivery === undefined) continue;
    const scope = stacks.find((each) => each.name === delivery.stack)?.scope;
    const sameStack = scope && read.get(scope);
    // A plan or state takes the place of the missing stack.
    const sources =
      sameStack === undefined ? others.filter(({ objects }) => objects.length > 0) : [sameStack];
    if (sources.length === 0) refuseAbsent(name, delivery);
    for (const each of sources) taken.add(each);
    const resources = sources.flatMap(({ objects }) => objects);
    const plans = sameStack === undefined ? [] : others.flatMap(({ objects }) => objects);
    const differing = plans.filter((each) => resources.some((other) => isOther(other, each)));
    const documents = [...resources, ...differing].flatMap((each) => documentOf(each, delivery));
    byStack.set(name, documents);
  }
  const delivered = new Set([...taken].flatMap(({ objects }) => objects.map(({ address }) => address)));
  const open = [...read].filter(([, each]) => !taken.has(each));
  const any = open.flatMap(([scope, { objects }]) =>
    ofStacks.has(scope)
      ? objects.map((each) => plainObject(each, OTHER_STACK))
      : plainObjects(objects.filter(({ address }) => !delivered.has(address))),
  );
  return { byStack, any, ...notRead([...read.values()], any) };
}

/** What is known of the resources that were not read, and of objects of which the cluster is not known. */
function notRead(
  read: readonly ManifestResources[],
  any: readonly KubernetesDocument[],
): Omit<Delivered, "byStack" | "any"> {
  const perhaps = unreadOf(read, (each) => each.perhaps);
  const elsewhere = any.filter((each) => each.elsewhere !== undefined);
  const unread = unreadOf(read, (each) => each.unread);
  return {
    mayAnnotate: perhaps.some(mayAnnotate),
    perhaps: [...perhaps, ...elsewhere].map(({ source }) => source),
    unread: unread.map((each) => ({ source: each.source, text: textOf(each) })),
    skipped: read.flatMap((each) => each.skipped),
  };
}

/** A pool that names no cluster is of the one that is declared beside it, if there is one. */
function poolsByStack<S extends BoundStack>(
  pools: readonly KubernetesDocument[],
  stacks: readonly S[],
): ReadonlyMap<S | undefined, readonly KubernetesDocument[]> {
  const declared = stacks.filter(({ identity }) => identity !== undefined);
  return grouped(pools, ({ pool }) =>
    pool?.cluster === undefined ? declared.find(({ folder }) => folder === pool?.folder) : undefined,
  );
}

/** Resources that were not read, without those whose objects a plan or state has. */
function unreadOf(
  all: readonly ManifestResources[],
  unread: (each: ManifestResources) => readonly Resource[],
): readonly Resource[] {
  const whole = ({ address }: { readonly address: string }): string =>
    address.replace(/\[(?:\d+|"[^"]*")\]$/, "");
  const read = new Set(all.flatMap(({ objects }) => objects.map(whole)));
  return all.flatMap(unread).filter((each) => !read.has(whole(each)));
}

/** Whether a plan's object is the configuration's, but differs from what its templates become. */
function isOther(configured: ManifestResource, planned: ManifestResource): boolean {
  return (
    configured.address === planned.address && !isFilled(configured.value, planned.value, () => undefined)
  );
}

function documentOf(each: ManifestResource, { clusters }: DeliveryEntry): readonly KubernetesDocument[] {
  const place = clusters.find(({ provider }) => provider === each.provider);
  if (place === undefined) return [];
  const { appliesTo, spoke, cluster } = place;
  return [{ ...each, management: appliesTo === "management-cluster", ofStack: true, spoke, cluster }];
}

function plainObjects(objects: readonly ManifestResource[]): readonly KubernetesDocument[] {
  const isOne = new Set(objects.map(({ provider }) => provider)).size <= 1;
  return objects.map((each) => plainObject(each, isOne ? undefined : SEVERAL));
}

function plainObject(each: ManifestResource, elsewhere: string | undefined): KubernetesDocument {
  return { ...each, ...OF_ANY, ...(elsewhere !== undefined && { elsewhere }) };
}

function refuseAbsent(stack: string, delivery: DeliveryEntry): never {
  return fail("explain-missing", {
    problem: `stack ${stack} delivers its Kubernetes objects through stack ${delivery.stack}, which was not read`,
    value: delivery.stack,
    allowed: "the folders of both stacks, or the one of the whole synth",
    remedy: "also give explain the synth output folder, or a plan of that stack",
  });
}

/** A stack with the documents of the files that it wrote. */
interface WrittenStack extends BoundStack {
  readonly written: readonly KubernetesDocument[];
}

/** Arguments with the text of a file, an object in a store, a manifest or user data, of any type. */
const CONTENTS: readonly string[] = ["content", "custom_data", "source_content", "user_data", "yaml_body"];

/** The documents of copies that contradict the files of stacks, by the stack's name. */
function contradictingCopies(
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
    const contradicting = deliveredTexts(scope).flatMap((text) => {
      const copy = copiedDocuments(text, scope);
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

function deliveredTexts(scope: Scope): readonly DeliveredText[] {
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
    // The local of a file holds none of its documents if it is no text.
    ...locals.map(([name, value]) => ({
      template: typeof value === "string" ? value : "",
      source: { file, path: name.replace("local.", "locals.") },
    })),
    ...[...outputs, ...contents].flat().filter(({ template }) => MAY_HOLD.test(template)),
  ];
}

/** Lines, a local that has them, or base64 of them; most outputs have none of these. */
const MAY_HOLD = /\n|\blocal\.|^[\w+/]{64,}={0,2}$/;

/** What begins documents of Kubernetes and of nodes; other texts need not be parsed. */
const DOCUMENT = /kind"?:|write_files"?:|"ignition"|variant:|machine"?:|kubeletFlags"?:/;

const ENCODED = /^\$\{base64encode\((.*)\)\}$/;

/** The documents of a text; none if it is of something else. */
function copiedDocuments({ template, source }: DeliveredText, scope: Scope): readonly KubernetesDocument[] {
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

type WrittenFile = readonly KubernetesDocument[];

/** What a document is of, to find it in a copy; `undefined` for one that no cluster or node takes. */
function titleIn({ value }: KubernetesDocument): string | undefined {
  const form = nodeFormOf(value);
  if (form) return form.id;
  return isKubernetesDocument(value) ? `${String(at(value, "kind"))} ${keyOf(value)}` : undefined;
}

/** The file of each object, and those of each form of documents for nodes. */
function byTitle(files: readonly WrittenFile[]): ReadonlyMap<string, readonly WrittenFile[]> {
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
function mostAlike(
  files: ReadonlyMap<string, readonly WrittenFile[]>,
  copy: WrittenFile,
): readonly WrittenFile[] {
  const shared = grouped(
    copy.flatMap((each) => files.get(titleIn(each) ?? "") ?? []),
    (file) => file,
  );
  const most = Math.max(...[...shared.values()].map(({ length }) => length));
  return [...shared].flatMap(([file, { length }]) => (length === most ? [file] : []));
}

/** The documents of the copy that differ from the file's; one without fields for each that it lacks. */
function contradictions(file: WrittenFile, copy: WrittenFile, source: Source): readonly KubernetesDocument[] {
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
