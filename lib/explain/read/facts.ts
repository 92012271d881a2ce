/*
 * Everything that was read, each fact with its source. Reads artefacts, never construct objects, to find mistakes of
 * this library as well as those in other manifests.
 */

import { dirname, join, resolve } from "node:path";
import { PLACEHOLDER_START } from "../../artefact/placeholder";
import { WORKLOAD_IDENTITY_FILE, readWorkloadIdentity } from "../../artefact/workload-identity-file";
import { fail } from "../../errors";
import { grouped } from "../../model/grouped";
import { type Known, andThen, known, unread, same } from "../../model/known";
import { type Json, at, list, record } from "../../model/parsed";
import { Resource } from "./block";
import { type BoundStack, type Misfilled, boundCopies, wronglyFilled } from "./bound-copies";
import type { ClusterFacts, ClusterRecord } from "./cluster-record";
import { type Delivered, deliveredObjects } from "./delivered";
import { type FileDocument, documentsIn, readText } from "./documents";
import { EXPLAINED, STACK_FILE, type StackInput, inputFiles, isThere, otherFiles } from "./input-files";
import { type KubernetesFacts, readKubernetes } from "./kubernetes-facts";
import { kustomized } from "./kustomizations";
import { type LateReader, plainLateReader, stackLateReader } from "./late-text";
import { isNodeDocument } from "./node-forms";
import { type KubernetesDocument, type Objects, isKubernetesDocument, objectsOf } from "./objects";
import { type PodFact, podFragment } from "./pods";
import { followedRecord, readClusterRecord } from "./read-record";
import type { Scope } from "./scope";
import { type SkippedDocument, type Source, sourceText } from "./source";
import { withOpenAnnotations } from "./service-accounts";
import { SpokeFacts } from "./spoke-facts";
import { type ComputedAttribute, Terraform } from "./terraform";
import {
  isConfiguration,
  isVariablesFile,
  readPlainTerraform,
  readStackConfiguration,
  unreadTerraform,
} from "./terraform-configuration";
import { isTerraformShow } from "./terraform-show";
import { step } from "../progress";

export type { SkippedDocument } from "./source";

export interface ClusterArtefacts extends KubernetesFacts {
  /** The stack; empty for manifests outside of stacks. */
  readonly stack: string;
  readonly cluster: ClusterFacts;
  /**
   * `iss` of its service account tokens: from `Authentication/cluster` if it states one, else as recorded, else
   * unknown.
   */
  readonly issuer: Known<string>;
  /** The declared needs of a service account's pods, by `namespace/name`. */
  readonly podFragments: ReadonlyMap<string, PodFact>;
  readonly spokes: SpokeFacts;
  readonly outputs: ReadonlyMap<string, Known<string>>;
  /** By the document's `sourceText`. */
  readonly misfilled: ReadonlyMap<string, Misfilled>;
  /** Resources of Terraform that were not read and may be service accounts, roles or bindings of the cluster. */
  readonly perhaps: readonly Source[];
}

export interface Facts {
  /** The clusters, one per stack that has one; a single unnamed one if there are only manifests. */
  readonly clusters: readonly ClusterArtefacts[];
  readonly terraform: Terraform;
  /** What was found but is not judged, and what would be refused. */
  readonly skipped: readonly SkippedDocument[];
}

export interface ReadFactsOptions {
  readonly computed: readonly ComputedAttribute[];
  readonly nodePools?: (terraform: Terraform) => readonly KubernetesDocument[];
  /** Facts about the clusters from the caller; they override recorded ones. */
  readonly cluster: ClusterRecord;
  /** Further facts that the caller states. */
  readonly stated?: readonly StatedFact[];
  /** Reads facts that a synth recorded as stated. */
  readonly recorded?: (facts: Json, source: Source) => readonly StatedFact[];
}

/** A resource that was stated and is in no Terraform file. */
export interface StatedFact {
  readonly type: string;
  /** Its attributes, in the form of a state. */
  readonly values: Json;
  readonly source: Source;
}

/** Reads synth folders, stack folders, manifests and Terraform JSON. */
export function readFacts(paths: readonly string[], options: ReadFactsOptions): Facts {
  const input = inputFiles(paths);
  const files = new Files();
  const terraform = new Terraform(options.computed);
  const stacks = input.stacks.map((stack) => readStack(stack, terraform, files));
  addStated(terraform, stacks, options);
  const copies = boundCopies(input.files, stacks, (file) => files.documents(file));
  const copied = new Set(copies.map(({ file }) => file));
  const others = input.files.filter((file) => !copied.has(file));
  const modules = readPlainTerraform(
    terraform,
    others.flatMap((file) => files.documents(file)),
    paths,
  );
  const wrong = wronglyFilled(copies, stacks, terraform);
  const delivered = deliveredObjects(stacks, terraform, options.nodePools?.(terraform) ?? []);
  const late = plainLateReader(terraform);
  const named = [...others, ...wrong.files].flatMap((file) => files.documents(file, late, OF_ANY));
  const plain = [...kustomized(named), ...delivered.any];
  if (terraform.scopes.length + stacks.length + modules.length === 0 && !plain.some(isObject))
    return nothingFound(paths);
  const clusters = clustersOf(withDelivered(stacks, delivered), sorted(plain), terraform, options.cluster);
  const ofAll = { misfilled: wrong.misfilled, perhaps: perhapsOf(delivered, plain) };
  const variables = [...others, ...input.stacks.flatMap((stack) => stack.files)].filter(isVariablesFile);
  const unread = unreadTerraform(terraform, [...input.others, ...variables]);
  const skipped = distinct([
    ...input.skipped,
    ...stacks.flatMap((stack) => stack.skipped),
    ...delivered.skipped,
    ...unknownDocuments(named.filter((document) => !isTerraform(document))),
    ...clusters.flatMap((cluster) => cluster.skipped),
    ...modules,
    ...unread.skipped,
    ...otherFiles(unread.others.filter((file) => !isListedForNodes(file, stacks))),
  ]);
  const opened = delivered.mayAnnotate ? clusters.map(withOpenAnnotations) : clusters;
  return { clusters: opened.map((cluster) => ({ ...cluster, ...ofAll })), terraform, skipped };
}

function isObject({ value }: FileDocument): boolean {
  return isKubernetesDocument(value) || isNodeDocument(value);
}

/** What may be objects of any cluster: resources that were not read, and what kustomize makes of manifests. */
function perhapsOf(delivered: Delivered, plain: readonly KubernetesDocument[]): readonly Source[] {
  return [...delivered.perhaps, ...plain.flatMap(({ kustomization }) => kustomization ?? [])];
}

/** Whether a stack lists the file for nodes, so that it was read whatever its extension is. */
function isListedForNodes(file: string, stacks: readonly StackDocuments[]): boolean {
  return stacks.some(({ folder, identity }) =>
    identity?.nodes?.some((each) => join(folder, each.file) === file),
  );
}

function withDelivered(stacks: readonly StackDocuments[], { byStack }: Delivered): readonly StackDocuments[] {
  return stacks.map((stack) => {
    const objects = byStack.get(stack.name);
    return objects === undefined ? stack : { ...stack, written: [...stack.written, ...objects] };
  });
}

function nothingFound(paths: readonly string[]): never {
  return fail("explain-missing", {
    problem: "nothing to explain was found: no Terraform JSON and no Kubernetes object",
    value: paths,
    allowed: EXPLAINED,
    remedy: "run `cdktf synth` first, or name the folder that holds the manifests",
  });
}

function isTerraform(document: FileDocument): boolean {
  const { value, source } = document;
  return isTerraformShow(value) || isConfiguration(document) || isVariablesFile(source.file);
}

/** Adds the facts that the caller states or synths have recorded as stated, as resources. */
function addStated(
  terraform: Terraform,
  stacks: readonly StackDocuments[],
  { stated = [], recorded = () => [] }: ReadFactsOptions,
): void {
  const facts = stacks.flatMap(({ identity, folder }) =>
    recorded(record(identity?.stated), { file: join(folder, WORKLOAD_IDENTITY_FILE), path: "stated" }),
  );
  if (stated.length + facts.length === 0) return;
  const scope = terraform.scope("stated facts", true);
  for (const { type, values, source } of [...stated, ...facts]) {
    const address = `${type}.${source.path}`;
    const place = { type, address, adopted: true, certain: true, source: () => source };
    scope.resources.set(`${source.file} ${address}`, new Resource(scope, values, place));
  }
}

/** What the file of a document tells about it. */
type Origin = Pick<KubernetesDocument, "management" | "ofStack" | "spoke" | "forNodes">;

/** Documents outside of stacks, which may be of any cluster. */
const OF_ANY: Origin = { management: false, ofStack: false, spoke: undefined };

/** Each file is read once. */
class Files {
  readonly #read = new Map<string, { documents: readonly FileDocument[]; hasLate: boolean }>();

  documents(file: string, late: LateReader = known, origin: Origin = OF_ANY): readonly KubernetesDocument[] {
    let read = this.#read.get(file);
    if (read === undefined) {
      step("files read");
      const text = readText(file);
      read = { documents: documentsIn(text, file), hasLate: text.includes(PLACEHOLDER_START) };
      this.#read.set(file, read);
    }
    // Most files hold no late values, so their texts need no search.
    const reader = read.hasLate ? late : known;
    return read.documents.map((document) => ({ ...document, late: reader, ...origin }));
  }
}

interface StackDocuments extends BoundStack {
  /** Objects, and setups of nodes. */
  readonly written: readonly KubernetesDocument[];
  /** The needs of pods, by service account. */
  readonly fragments: readonly (readonly [string, PodFact])[];
  readonly skipped: readonly SkippedDocument[];
}

/** Where the objects of a file go, as far as it is recorded. */
interface RecordedPlace {
  readonly management?: boolean;
  readonly spoke?: unknown;
  readonly forNodes?: boolean;
}

function readStack(input: StackInput, terraform: Terraform, files: Files): StackDocuments {
  const { folder } = input;
  const scope = readStackConfiguration(terraform, folder);
  const path = join(folder, WORKLOAD_IDENTITY_FILE);
  const identity = isThere(path) ? readWorkloadIdentity(readText(path), path) : undefined;
  const late = stackLateReader(identity?.placeholders ?? {}, scope);
  const read = new Set<string>();
  const missing: SkippedDocument[] = [];
  const documents = (file: string, place: RecordedPlace = {}): readonly KubernetesDocument[] => {
    const listed = join(folder, file);
    if (!isThere(listed)) {
      missing.push(skippedFile(listed, MISSING));
      return [];
    }
    read.add(listed);
    const { management = false, forNodes = false, spoke } = place;
    const ofSpoke = typeof spoke === "string" ? spoke : undefined;
    return files.documents(listed, late, { management, ofStack: true, forNodes, spoke: ofSpoke });
  };
  const { manifests = [], nodes = [], pods = [] } = identity ?? {};
  const written = [
    ...manifests.flatMap(({ file, appliesTo, spoke }) =>
      documents(file, { management: appliesTo === "management-cluster", spoke }),
    ),
    ...nodes.flatMap(({ file, spoke }) => documents(file, { spoke, forNodes: true })),
  ];
  const fragments = pods.flatMap(({ file }) =>
    documents(file).map((document) => podFragment(file, document)),
  );
  const skipped = [
    ...missing,
    ...unlisted(input, identity !== undefined, read),
    ...unknownDocuments(written),
  ];
  return { name: identity?.stack ?? input.name, folder, identity, scope, late, written, fragments, skipped };
}

const MISSING = `${WORKLOAD_IDENTITY_FILE} lists it, but it does not exist; its objects count as absent`;

/** Files in a stack's folder that are not read: whether manifests among them are applied is not known. */
function unlisted(
  { folder, files }: StackInput,
  hasList: boolean,
  listed: ReadonlySet<string>,
): readonly SkippedDocument[] {
  const ownFiles = [STACK_FILE, WORKLOAD_IDENTITY_FILE].map((name) => join(folder, name));
  const reason = hasList
    ? `${WORKLOAD_IDENTITY_FILE} does not list it, although it is in the stack's folder`
    : `it is in the folder of a stack without ${WORKLOAD_IDENTITY_FILE}, which would list it`;
  const isRead = (file: string): boolean =>
    listed.has(file) ||
    ownFiles.includes(file) ||
    isVariablesFile(file) ||
    (resolve(dirname(file)) === resolve(folder) && file.endsWith(".tf.json"));
  return files.filter((file) => !isRead(file)).map((file) => skippedFile(file, reason));
}

function skippedFile(file: string, reason: string): SkippedDocument {
  return { source: { file, path: "" }, reason };
}

/** Empty documents, and documents that explain does not know. */
function unknownDocuments(documents: readonly FileDocument[]): readonly SkippedDocument[] {
  const isEmpty = ({ value }: FileDocument): boolean => value === null || value === undefined;
  const unknown = documents.filter(
    (each) => !isEmpty(each) && !isKubernetesDocument(each.value) && !isNodeDocument(each.value),
  );
  const empty = grouped(documents.filter(isEmpty), ({ source }) => source.file);
  return [
    ...unknown.map(({ source }) => ({
      source,
      reason: "neither a Kubernetes object, nor files of a node, nor Terraform JSON",
    })),
    ...[...empty].map(([file, { length }]) =>
      skippedFile(file, length === 1 ? "one document of it is empty" : `${length} documents of it are empty`),
    ),
  ];
}

/** Objects, and setups of nodes. */
interface SortedDocuments {
  readonly objects: Objects;
  readonly setups: readonly KubernetesDocument[];
}

function sorted(documents: readonly KubernetesDocument[]): SortedDocuments {
  return {
    objects: objectsOf(
      documents.filter(({ value }) => isKubernetesDocument(value) && !isNodeDocument(value)),
    ),
    setups: documents.filter(
      ({ value, forNodes }) => isNodeDocument(value) || (forNodes === true && !isKubernetesDocument(value)),
    ),
  };
}

type StackCluster = Omit<ClusterArtefacts, "misfilled" | "perhaps">;

/** One cluster for each stack that has one; without stacks a single one of everything that was read. */
function clustersOf(
  stacks: readonly StackDocuments[],
  any: SortedDocuments,
  terraform: Terraform,
  given: ClusterRecord,
): readonly StackCluster[] {
  const clusters = stacks
    .filter(({ identity, written }) => identity !== undefined || written.length > 0)
    .map((stack) => stackCluster(stack, any, given));
  if (clusters.length > 0) return withIssuersElsewhere(clusters);
  const cluster = followedRecord(given, plainLateReader(terraform));
  const outputs = outputsOf(terraform.scopes);
  return [{ ...clusterOf("", any, any, cluster), podFragments: new Map(), outputs }];
}

/** Stacks with one name and a common issuer are for one cluster, so each must expect the issuers of all. */
function withIssuersElsewhere(clusters: readonly StackCluster[]): readonly StackCluster[] {
  const byName = grouped(clusters, ({ cluster }) => cluster.name ?? "");
  return clusters.map((own) => {
    const { name = "" } = own.cluster;
    const accepted = acceptedBy(own);
    const isOwn = (issuer: Known<string>): boolean => accepted.some((each) => same(each, issuer) === "yes");
    const alike = name === "" ? [] : (byName.get(name) ?? []).map(acceptedBy);
    const issuersElsewhere = alike
      .filter((issuers) => issuers.some(isOwn))
      .flatMap((issuers) => issuers.filter((each) => !isOwn(each)));
    return issuersElsewhere.length === 0 ? own : { ...own, cluster: { ...own.cluster, issuersElsewhere } };
  });
}

function acceptedBy({ cluster: { issuer, additionalIssuers = [] } }: StackCluster): readonly Known<string>[] {
  return issuer === undefined ? additionalIssuers : [issuer, ...additionalIssuers];
}

function stackCluster(stack: StackDocuments, any: SortedDocuments, known: ClusterRecord): StackCluster {
  const { name, identity, scope, late, written, fragments } = stack;
  const recorded = { ...readClusterRecord(list(at(identity, "clusters"))[0]), ...known };
  const withAny = (documents: readonly KubernetesDocument[]): SortedDocuments => {
    const { objects, setups } = sorted(documents);
    return { objects: objects.and(any.objects), setups: [...setups, ...any.setups] };
  };
  // Objects of a spoke do not belong to the hub, even if they have the same names.
  const ofCluster = withAny(written.filter(({ spoke }) => spoke === undefined));
  const ofSpokes = withAny(written.filter(({ spoke }) => spoke !== undefined));
  return {
    ...clusterOf(name, ofCluster, ofSpokes, followedRecord(recorded, late)),
    podFragments: new Map(fragments),
    outputs: outputsOf(scope ? [scope] : []),
  };
}

function clusterOf(
  stack: string,
  own: SortedDocuments,
  ofSpokes: SortedDocuments,
  cluster: ClusterFacts,
): Omit<StackCluster, "podFragments" | "outputs"> {
  const facts = readKubernetes(own.objects, own.setups, cluster);
  const recorded = cluster.issuer ?? unread("no issuer is recorded");
  const issuer = andThen(facts.authentication?.issuer ?? known(undefined), (written) =>
    written === undefined ? recorded : known(written),
  );
  const spokes = new SpokeFacts(ofSpokes.objects, ofSpokes.setups);
  const skipped = [...facts.skipped, ...ofSpokes.objects.skipped];
  return { ...facts, stack, cluster, issuer, spokes, skipped };
}

function outputsOf(scopes: readonly Scope[]): ReadonlyMap<string, Known<string>> {
  const rows = scopes.flatMap((scope) =>
    [...scope.outputs.keys()].map((name) => [name, scope.output(name) ?? unread(`output ${name}`)] as const),
  );
  return new Map(rows);
}

/** Documents outside of stacks are read with each stack, but listed once. */
function distinct(skipped: readonly SkippedDocument[]): readonly SkippedDocument[] {
  return [...new Map(skipped.map((each) => [`${sourceText(each.source)}\n${each.reason}`, each])).values()];
}
