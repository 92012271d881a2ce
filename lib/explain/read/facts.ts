/*
 * Everything that was read, each fact with its source. Reads artefacts, never construct objects, to find mistakes of
 * this library as well as those in other manifests.
 */

import { basename, dirname, join, relative, resolve } from "node:path";
import type { StatedResource } from "../../artefact/fact-shape";
import { noting } from "../../artefact/read-file";
import { WORKLOAD_IDENTITY_FILE } from "../../artefact/workload-identity-file";
import { fail } from "../../errors";
import { known, same, unread } from "../../model/known";
import { type Json, at, record, text } from "../../model/parsed";
import { Resource } from "./block";
import { boundCopies, wronglyFilled } from "./bound-copies";
import type { ClusterRecord } from "./cluster-record";
import { type ClusterArtefacts, type Inference, clustersOf, sorted } from "./clusters";
import { type Delivered, deliveredObjects } from "./delivered";
import { type FileDocument, textIfReadable } from "./documents";
import { foreignForm } from "./foreign-forms";
import { EXPLAINED, type InputFiles, inputFiles, otherFiles } from "./input-files";
import { type DeclaredCluster, isDiscovery } from "./inferred-cluster";
import { kustomized } from "./kustomizations";
import { plainLateReader } from "./late-text";
import { isNodeDocument } from "./node-forms";
import { type KubernetesDocument, OF_ANY, isKubernetesDocument } from "./objects";
import { type RecordedCommands, readRecorded } from "./recorded";
import { isRegistryFile } from "./registry-facts";
import { type SkippedDocument, type Source, sourceText } from "./source";
import { withOpenAnnotations } from "./service-accounts";
import {
  Files,
  type StackDigest,
  type StackDocuments,
  readStack,
  stackDigest,
  unknownDocuments,
} from "./stack-documents";
import { type ComputedAttribute, Terraform } from "./terraform";
import {
  isConfiguration,
  isVariablesFile,
  readPlainTerraform,
  unreadTerraform,
} from "./terraform-configuration";
import { isPlan } from "./terraform-show";
import { PerhapsObjects, type UnreadText, textOfFile } from "./unread-files";

export interface Facts {
  /** The clusters, one per stack that has one; a single unnamed one if there are only manifests. */
  readonly clusters: readonly ClusterArtefacts[];
  readonly terraform: Terraform;
  /** What was found but is not judged, and what would be refused. */
  readonly skipped: readonly SkippedDocument[];
  /** A digest of each file, by its path within the first one that was given, apart from Terraform's; and what was stated. */
  readonly digests: ReadonlyMap<string, string>;
  /** What the files of each stack say; empty if anything else may bear on clusters. */
  readonly stacks: ReadonlyMap<string, StackDigest>;
}

export interface ReadFactsOptions {
  readonly computed: readonly ComputedAttribute[];
  readonly nodePools?: (terraform: Terraform) => readonly KubernetesDocument[];
  readonly clusters?: (terraform: Terraform) => readonly DeclaredCluster[];
  /** The clouds' commands whose outputs are read. */
  readonly outputs?: readonly RecordedCommands[];
  /** Reads the state before each plan instead of what it makes of it; there must be a plan. False if absent. */
  readonly isBefore?: boolean;
  /** Name or issuer of the cluster that is meant; empty or absent if the caller does not say. */
  readonly which?: string;
  /** Facts about the clusters from the caller; they override recorded ones. */
  readonly cluster: ClusterRecord;
  readonly stated?: readonly StatedFact[];
  readonly recorded?: (facts: Json, source: Source) => readonly StatedFact[];
}

/** A resource that was stated and is in no Terraform file. */
export interface StatedFact extends Omit<StatedResource, "path"> {
  readonly source: Source;
}

/** Reads synth folders, stack folders, manifests and Terraform JSON. */
export function readFacts(paths: readonly string[], options: ReadFactsOptions): Facts {
  const [{ stacks, ...facts }, digests] = noting(() => readAll(paths, options));
  const nameOf = (file: string): string => relative(paths[0] ?? "", file) || basename(file);
  const folders = new Set(facts.terraform.scopes.map(({ place }) => place));
  const files = [...digests].map(([file, digest]) => {
    const isConfiguration = file.endsWith(".tf.json") && folders.has(dirname(file));
    return [nameOf(file), isConfiguration ? "" : digest] as const;
  });
  const named = [...stacks].map(
    ([name, each]) => [name, { ...each, files: each.files.map(nameOf) }] as const,
  );
  const { cluster, which, isBefore } = options;
  const all = { ...facts, stacks: new Map(named) };
  return { ...all, digests: new Map([...files, ["", JSON.stringify([cluster, which, isBefore])]]) };
}

function readAll(paths: readonly string[], options: ReadFactsOptions): Omit<Facts, "digests"> {
  const input = inputFiles(paths);
  const files = new Files(input.found);
  const terraform = new Terraform(options.computed);
  const stacks = input.stacks.map((stack) => readStack(stack, terraform, files));
  addStated(terraform, stacks, options);
  const copies = boundCopies(input.files, stacks, (file) => files.documents(file));
  const copied = new Set(copies.map(({ file }) => file));
  const others = input.files.filter((file) => !copied.has(file));
  const documents = others.flatMap((file) => files.documents(file));
  const modules = modulesAmong(terraform, documents, paths, files, options);
  const wrong = wronglyFilled(copies, stacks, terraform);
  const delivered = deliveredObjects(stacks, terraform, options.nodePools?.(terraform) ?? []);
  const late = plainLateReader(terraform);
  const named = [...others, ...wrong.files].flatMap((file) => files.documents(file, late, OF_ANY));
  const plain = [...kustomized(named), ...delivered.any];
  if (terraform.scopes.length + stacks.length + modules.length === 0 && !plain.some(isObject))
    return nothingFound(paths, input.others, files.unread.skipped);
  const whole = withDelivered(stacks, delivered);
  const inference = inferenceOf(terraform, named, options);
  const clusters = clustersOf(whole, sorted(plain), terraform, options.cluster, inference);
  const perhaps = new PerhapsObjects([...perhapsOf(delivered, plain), ...unreadTexts(input, files)]);
  const ofAll = { misfilled: wrong.misfilled, perhaps };
  const skipped = distinct([
    ...input.skipped,
    ...stacks.flatMap((stack) => stack.skipped),
    ...files.unread.skipped,
    ...delivered.skipped,
    ...unknownDocuments(named.filter(isOfCluster(terraform))),
    ...clusters.flatMap((cluster) => cluster.skipped),
    ...modules,
    ...unreadOthers(input, others, stacks, terraform),
  ]);
  const opened = (delivered.mayAnnotate ? clusters.map(withOpenAnnotations) : clusters).map((cluster) => ({
    ...cluster,
    ...ofAll,
  }));
  const isApart = named.length + delivered.byStack.size + perhapsOf(delivered, plain).length === 0;
  return { clusters: opened, terraform, skipped, stacks: isApart ? digestsOf(stacks, files) : new Map() };
}

/** Reads Terraform outside of stacks, and what command lines printed; returns what of it was not read. */
function modulesAmong(
  terraform: Terraform,
  documents: readonly FileDocument[],
  paths: readonly string[],
  { unread }: Files,
  { isBefore = false, outputs = [] }: ReadFactsOptions,
): readonly SkippedDocument[] {
  if (isBefore && !documents.some(({ value }) => isPlan(value))) return noPlan(paths);
  return [
    ...readPlainTerraform(terraform, documents, paths, unread, isBefore),
    ...readRecorded(terraform, documents, outputs),
  ];
}

function digestsOf(stacks: readonly StackDocuments[], { unread }: Files): Facts["stacks"] {
  const files = new Set(unread.all.map(({ source }) => source.file));
  return new Map(stacks.map((each) => [each.name, stackDigest(each, files)]));
}

function inferenceOf(
  terraform: Terraform,
  documents: readonly FileDocument[],
  { clusters, which = "" }: ReadFactsOptions,
): Inference {
  const [first, ...others] = documents.flatMap(({ value }) =>
    isDiscovery(value) ? [known(text(at(value, "issuer")))] : [],
  );
  const isOne = first === undefined || others.every((each) => same(each, first) === "yes");
  const printed = isOne ? first : unread("discovery documents of two clusters were read");
  return { clusters: clusters?.(terraform) ?? [], which, printed };
}

/** Modules, Terraform in HCL, values of variables, and files that are neither YAML nor JSON. */
function unreadOthers(
  input: InputFiles,
  read: readonly string[],
  stacks: readonly StackDocuments[],
  terraform: Terraform,
): readonly SkippedDocument[] {
  const variables = [...read, ...input.stacks.flatMap(({ files }) => files)].filter(isVariablesFile);
  const { skipped, others } = unreadTerraform(terraform, [...input.others, ...variables]);
  return [...skipped, ...otherFiles(others.filter((file) => !isListedForNodes(file, stacks)))];
}

function isObject({ value }: FileDocument): boolean {
  return isKubernetesDocument(value) || isNodeDocument(value);
}

/** Files that are not read, except those of a stack's folder that are named besides. */
function unreadTexts({ files, found, skipped }: InputFiles, { unread }: Files): readonly UnreadText[] {
  const named = new Set(files.filter((file) => !found.has(file)).map((file) => resolve(file)));
  const beside = skipped.map(({ source }) => ({ source, text: textOfFile(source.file).toLowerCase() }));
  return [...unread.all, ...beside].filter(({ source }) => !named.has(resolve(source.file)));
}

/** What may be objects of any cluster: resources that were not read, and what kustomize makes of manifests. */
function perhapsOf(delivered: Delivered, plain: readonly KubernetesDocument[]): readonly UnreadText[] {
  const all = [...delivered.perhaps, ...plain.flatMap(({ kustomization }) => kustomization ?? [])];
  return [...all.map((source) => ({ source, text: undefined })), ...delivered.unread];
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

function noPlan(paths: readonly string[]): never {
  return fail("explain-missing", {
    problem: "no plan was read, which alone holds both what is and what will be",
    value: paths,
    allowed: "what `terraform show -json` prints of a saved plan, or a folder with it",
    remedy:
      "run `terraform plan -out plan.out` and `terraform show -json plan.out > plan.json`, or name the old and the new side",
  });
}

/** How many reasons an error gives. */
const REASONS_MAX = 3;

function nothingFound(
  paths: readonly string[],
  others: readonly string[],
  unread: readonly SkippedDocument[],
): never {
  const forms = others.flatMap((file) => foreignForm(file, textIfReadable(file) ?? "") ?? []);
  const reasons = [
    ...forms.map(({ what, remedy }) => `${what} was found: ${remedy}`),
    ...unread.map(({ source, reason }) => `${JSON.stringify(sourceText(source))} was not read: ${reason}`),
  ];
  const remedies = [...new Set(reasons)].slice(0, REASONS_MAX).join("; ");
  return fail("explain-missing", {
    problem: "nothing to explain was found: no Terraform JSON and no Kubernetes object",
    value: paths,
    allowed: EXPLAINED,
    remedy: remedies || "run `cdktf synth` first, or name the folder that holds the manifests",
  });
}

/** Leaves out Terraform in JSON, recorded outputs, the discovery document, and configurations of registries. */
function isOfCluster({ scopes }: Terraform): (document: FileDocument) => boolean {
  const places = new Set(scopes.map(({ place }) => place));
  return (document) => {
    const { value, source } = document;
    const isApart = places.has(source.file) || isConfiguration(document) || isVariablesFile(source.file);
    return !isApart && !isDiscovery(value) && !isRegistryFile(value);
  };
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

/** Documents outside of stacks are read with each stack, but listed once. */
function distinct(skipped: readonly SkippedDocument[]): readonly SkippedDocument[] {
  return [...new Map(skipped.map((each) => [`${sourceText(each.source)}\n${each.reason}`, each])).values()];
}
