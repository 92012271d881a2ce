/*
 * Everything that was read, each fact with its source. Reads artefacts, never construct objects, so that mistakes of
 * this library are seen as well as those of other people's manifests.
 */

import { dirname, join, resolve } from "node:path";
import { PLACEHOLDER_START } from "../../artefact/placeholder";
import {
  WORKLOAD_IDENTITY_FILE,
  type WorkloadIdentityFile,
  readWorkloadIdentity,
} from "../../artefact/workload-identity-file";
import { fail } from "../../errors";
import { type Known, andThen, known, unread } from "../../model/known";
import { at, list } from "../../model/parsed";
import { type BoundStack, boundCopies, wronglyFilled } from "./bound-copies";
import type { ClusterFacts, ClusterRecord } from "./cluster-record";
import { type FileDocument, documentsIn, readText } from "./documents";
import { STACK_FILE, type StackInput, inputFiles, isThere, otherFiles } from "./input-files";
import { type KubernetesFacts, readKubernetes } from "./kubernetes-facts";
import { type LateReader, plainLateReader, stackLateReader } from "./late-text";
import { isNodeSetup } from "./node-files";
import { type KubernetesDocument, type Objects, isKubernetesDocument, objectsOf } from "./objects";
import { type PodFact, podFragment } from "./pods";
import { followedRecord, readClusterRecord } from "./read-record";
import type { Scope } from "./scope";
import { type SkippedDocument, sourceText } from "./source";
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

export type { SkippedDocument } from "./source";

/** A cluster with its objects. */
export interface ClusterArtefacts extends KubernetesFacts {
  /** The stack; empty for manifests outside of stacks. */
  readonly stack: string;
  readonly cluster: ClusterFacts;
  /**
   * `iss` of its service account tokens: that of `Authentication/cluster` where it says one, else the recorded one, else
   * not known.
   */
  readonly issuer: Known<string>;
  /** What was written that pods of a service account need, by `namespace/name`. */
  readonly podFragments: ReadonlyMap<string, PodFact>;
  readonly spokes: SpokeFacts;
  readonly outputs: ReadonlyMap<string, Known<string>>;
  /** Identities that `bind` was given and that a state contradicts, a sentence, by the document's `sourceText`. */
  readonly misfilled: ReadonlyMap<string, string>;
}

/** All facts. */
export interface Facts {
  /** The clusters, one per stack that has one; one without name where there are only manifests. */
  readonly clusters: readonly ClusterArtefacts[];
  readonly terraform: Terraform;
  /** What was found and is not judged, and what would be refused. */
  readonly skipped: readonly SkippedDocument[];
}

/** How facts are read. */
export interface ReadFactsOptions {
  readonly computed: readonly ComputedAttribute[];
  /** What the caller knows of the clusters; wins over what was recorded. */
  readonly cluster: ClusterRecord;
}

/**
 * Reads synth folders, stack folders, manifests and Terraform JSON.
 *
 * Throws `explain-path-missing`, `explain-nothing-found`, `explain-bind-interrupted`, `explain-file-unreadable`,
 * `explain-file-too-large`, `explain-file-invalid`, or `bind-file-invalid` for a broken `workload-identity.json`.
 */
export function readFacts(paths: readonly string[], options: ReadFactsOptions): Facts {
  const input = inputFiles(paths);
  const files = new Files();
  const terraform = new Terraform(options.computed);
  const stacks = input.stacks.map((stack) => readStack(stack, terraform, files));
  const copies = boundCopies(input.files, stacks, (file) => files.documents(file));
  const copied = new Set(copies.map(({ file }) => file));
  const others = input.files.filter((file) => !copied.has(file));
  const modules = readPlainTerraform(
    terraform,
    others.flatMap((file) => files.documents(file)),
    paths,
  );
  const wrong = wronglyFilled(copies, stacks, terraform);
  const plain = plainDocuments([...others, ...wrong.files], files, plainLateReader(terraform));
  if (terraform.scopes.length + stacks.length + modules.length === 0 && plain.isEmpty)
    return fail("explain-nothing-found", paths);

  const { misfilled } = wrong;
  const clusters = stacks
    .filter(hasCluster)
    .map((stack) => ({ ...stackCluster(stack, plain, options.cluster), misfilled }));
  if (clusters.length === 0) clusters.push({ ...plainCluster(plain, terraform, options.cluster), misfilled });
  const variables = [...others, ...input.stacks.flatMap((stack) => stack.files)].filter(isVariablesFile);
  const unread = unreadTerraform(terraform, [...input.others, ...variables]);
  return {
    clusters,
    terraform,
    skipped: distinct([
      ...input.skipped,
      ...stacks.flatMap(({ skipped }) => skipped),
      ...plain.skipped,
      ...clusters.flatMap(({ skipped }) => skipped),
      ...modules,
      ...unread.skipped,
      ...otherFiles(unread.others),
    ]),
  };
}

function hasCluster({ identity, written }: StackDocuments): boolean {
  return identity !== undefined || written.some(({ documents }) => documents.length > 0);
}

/** Each file is read once. */
class Files {
  readonly #read = new Map<string, ReadFile>();

  documents(file: string): readonly FileDocument[] {
    return this.#file(file).documents;
  }

  /** The reader of its late values: there are none in most files, of which no text need be looked through. */
  late(file: string, late: LateReader): LateReader {
    return this.#file(file).hasLate ? late : known;
  }

  #file(file: string): ReadFile {
    const before = this.#read.get(file);
    if (before) return before;
    const text = readText(file);
    const read = { documents: documentsIn(text, file), hasLate: text.includes(PLACEHOLDER_START) };
    this.#read.set(file, read);
    return read;
  }
}

interface ReadFile {
  readonly documents: readonly FileDocument[];
  readonly hasLate: boolean;
}

/** A file that a stack lists. */
interface ListedFile {
  readonly file: string;
  readonly path: string;
  readonly documents: readonly FileDocument[];
  readonly late: LateReader;
}

/** One with objects, or setups of nodes. */
interface WrittenFile extends ListedFile {
  readonly management: boolean;
  readonly spoke: string | undefined;
}

interface StackDocuments extends BoundStack {
  readonly late: LateReader;
  readonly written: readonly WrittenFile[];
  /** Files that say what pods need. */
  readonly pods: readonly ListedFile[];
  readonly skipped: readonly SkippedDocument[];
}

function readStack(input: StackInput, terraform: Terraform, files: Files): StackDocuments {
  const { folder } = input;
  const scope = readStackConfiguration(terraform, folder);
  const record = join(folder, WORKLOAD_IDENTITY_FILE);
  const identity = isThere(record) ? readWorkloadIdentity(readText(record), record) : undefined;
  const late = stackLateReader(identity?.placeholders ?? {}, scope);
  const missing: string[] = [];
  const present = ({ file }: { readonly file: string }): readonly ListedFile[] => {
    const path = join(folder, file);
    if (!isThere(path)) missing.push(path);
    return missing.includes(path)
      ? []
      : [{ file, path, documents: files.documents(path), late: files.late(path, late) }];
  };
  const nodes = (identity?.nodes ?? []).map((node) => ({ ...node, appliesTo: "cluster" }));
  const written = [...(identity?.manifests ?? []), ...nodes].flatMap((each) =>
    present(each).map((file) => ({
      ...file,
      management: each.appliesTo === "management-cluster",
      spoke: typeof each.spoke === "string" ? each.spoke : undefined,
    })),
  );
  const pods = (identity?.pods ?? []).flatMap(present);
  const read = new Set([...written, ...pods].map(({ path }) => path));
  return {
    name: identity?.stack ?? input.name,
    folder,
    identity,
    scope,
    late,
    written,
    pods,
    skipped: [
      ...missing.map((file) => skippedFile(file, MISSING)),
      ...unlisted(input, identity, read),
      ...unknownDocuments(written.flatMap(({ documents }) => documents)),
    ],
  };
}

const MISSING = `${WORKLOAD_IDENTITY_FILE} lists it, and it is not there; its objects count as absent`;

/** Files in a stack's folder that are not read: whether manifests among them are applied is not known. */
function unlisted(
  { folder, files }: StackInput,
  identity: WorkloadIdentityFile | undefined,
  listed: ReadonlySet<string>,
): readonly SkippedDocument[] {
  const own = [STACK_FILE, WORKLOAD_IDENTITY_FILE].map((name) => join(folder, name));
  const reason = identity
    ? `${WORKLOAD_IDENTITY_FILE} does not list it, although it is in the stack's folder`
    : `it is in the folder of a stack without ${WORKLOAD_IDENTITY_FILE}, which would list it`;
  const isRead = (file: string): boolean =>
    listed.has(file) ||
    own.includes(file) ||
    (resolve(dirname(file)) === resolve(folder) && file.endsWith(".tf.json"));
  return files
    .filter((file) => !isRead(file) && !isVariablesFile(file))
    .map((file) => skippedFile(file, reason));
}

function skippedFile(file: string, reason: string): SkippedDocument {
  return { source: { file, path: "" }, reason };
}

/** Empty documents by file, and those without meaning here. */
function unknownDocuments(documents: readonly FileDocument[]): readonly SkippedDocument[] {
  const empty = new Map<string, number>();
  const unknown = documents.flatMap(({ value, source }): readonly SkippedDocument[] => {
    if (value === null || value === undefined) empty.set(source.file, (empty.get(source.file) ?? 0) + 1);
    else if (!isKubernetesDocument(value) && !isNodeSetup(value))
      return [{ source, reason: "neither a Kubernetes object, nor files of a node, nor Terraform JSON" }];
    return [];
  });
  const counted = [...empty].map(([file, count]) =>
    skippedFile(file, count === 1 ? "one document of it is empty" : `${count} documents of it are empty`),
  );
  return [...unknown, ...counted];
}

/** Objects, and setups of nodes. */
interface SortedDocuments {
  readonly objects: Objects;
  readonly setups: readonly KubernetesDocument[];
}

/** The documents outside of stacks, which may be of any cluster. */
interface PlainDocuments extends SortedDocuments {
  readonly skipped: readonly SkippedDocument[];
  readonly isEmpty: boolean;
}

function plainDocuments(paths: readonly string[], files: Files, late: LateReader): PlainDocuments {
  const all = paths.flatMap((path) => files.documents(path));
  const documents = paths.flatMap((path) =>
    files.documents(path).map(({ value, source }): KubernetesDocument => {
      const reader = files.late(path, late);
      return { value, source, late: reader, management: false, ofStack: false, spoke: undefined };
    }),
  );
  const { objects, setups } = sorted(documents);
  const others = all.filter(
    (each) => !isTerraformShow(each.value) && !isConfiguration(each) && !isVariablesFile(each.source.file),
  );
  const isEmpty = !documents.some(({ value }) => isKubernetesDocument(value)) && setups.length === 0;
  return { objects, setups, skipped: unknownDocuments(others), isEmpty };
}

function sorted(documents: readonly KubernetesDocument[]): SortedDocuments {
  return {
    objects: objectsOf(documents.filter(({ value }) => isKubernetesDocument(value))),
    setups: documents.filter(({ value }) => isNodeSetup(value)),
  };
}

/** Those of a stack, and those that may be of any. */
function together(one: SortedDocuments, other: SortedDocuments): SortedDocuments {
  return { objects: one.objects.and(other.objects), setups: [...one.setups, ...other.setups] };
}

function stackCluster(
  stack: StackDocuments,
  plain: PlainDocuments,
  known: ClusterRecord,
): Omit<ClusterArtefacts, "misfilled"> {
  const { name, identity, scope, late, written, pods } = stack;
  const recorded = { ...readClusterRecord(list(at(identity, "clusters"))[0]), ...known };
  const of = (ofSpoke: boolean): SortedDocuments => {
    const files = written.filter(({ spoke }) => (spoke !== undefined) === ofSpoke);
    return sorted(
      files.flatMap(({ documents, late: reader, management, spoke }) =>
        documents.map(({ value, source }) => {
          return { value, source, late: reader, management, spoke, ofStack: true };
        }),
      ),
    );
  };
  // Objects of a spoke are none of the hub's, whose names they may have.
  const ofSpokes = of(true);
  const fragments = pods.flatMap((pod) =>
    pod.documents.map(({ value, source }) => podFragment(pod.file, value, source, pod.late)),
  );
  return {
    ...clusterOf(name, together(of(false), plain), together(ofSpokes, plain), followedRecord(recorded, late)),
    podFragments: new Map(fragments),
    outputs: outputsOf(scope ? [scope] : []),
  };
}

function plainCluster(
  plain: PlainDocuments,
  terraform: Terraform,
  cluster: ClusterRecord,
): Omit<ClusterArtefacts, "misfilled"> {
  const facts = followedRecord(cluster, plainLateReader(terraform));
  return {
    ...clusterOf("", plain, plain, facts),
    podFragments: new Map(),
    outputs: outputsOf(terraform.scopes),
  };
}

function clusterOf(
  stack: string,
  own: SortedDocuments,
  ofSpokes: SortedDocuments,
  cluster: ClusterFacts,
): Omit<ClusterArtefacts, "podFragments" | "outputs" | "misfilled"> {
  const facts = readKubernetes(own.objects, own.setups, cluster);
  const recorded = cluster.issuer ?? unread("no issuer is recorded");
  const issuer = facts.authentication
    ? andThen(facts.authentication.issuer, (written) => (written === undefined ? recorded : known(written)))
    : recorded;
  const skipped = [...facts.skipped, ...ofSpokes.objects.skipped];
  return {
    ...facts,
    stack,
    cluster,
    issuer,
    spokes: new SpokeFacts(ofSpokes.objects, ofSpokes.setups),
    skipped,
  };
}

function outputsOf(scopes: readonly Scope[]): ReadonlyMap<string, Known<string>> {
  return new Map(
    scopes.flatMap((scope) =>
      [...scope.outputs.keys()].map(
        (name) => [name, scope.output(name) ?? unread(`output ${name}`)] as const,
      ),
    ),
  );
}

/** What stands outside of stacks is read with each of them, and is named once. */
function distinct(skipped: readonly SkippedDocument[]): readonly SkippedDocument[] {
  return [...new Map(skipped.map((each) => [`${sourceText(each.source)}\n${each.reason}`, each])).values()];
}
