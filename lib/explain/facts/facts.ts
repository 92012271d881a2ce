/*
 * Everything that was read, each fact with its source. Reads artefacts, never construct objects, so that mistakes of
 * this library are seen as well as those of other people's manifests.
 */

import { join } from "node:path";
import {
  WORKLOAD_IDENTITY_FILE,
  type WorkloadIdentityFile,
  readWorkloadIdentity,
} from "../../artefact/workload-identity-file";
import { fail } from "../../errors";
import { followedComponents } from "./access-record";
import { boundCopies } from "./bound-copies";
import { wronglyFilled } from "./bound-values";
import { type ClusterRecord, issuing, readClusterRecord } from "./cluster-record";
import { type PlainDocument, fileDocuments } from "./file-documents";
import { STACK_FILE, type StackInput, inputFiles } from "./input-files";
import {
  type KubernetesDocument,
  type KubernetesFacts,
  isKubernetesDocument,
  readKubernetes,
} from "./kubernetes-facts";
import { type LateReader, lateReader, plainLateReader } from "./late-text";
import { addPlainScopes, isConfiguration, unreadTerraform } from "./plain-terraform";
import { type PodFact, fragmentAccount, podFragment } from "./pod-fragments";
import { isThere, readUtf8 } from "./read-text";
import {
  type SkippedDocument,
  missingFiles,
  unknownDocuments,
  unplacedConfigurations,
  unreadFiles,
  unreadObjects,
} from "./skipped";
import { SpokeFacts } from "./spoke-facts";
import { type ComputedAttribute, Terraform, type TerraformScope } from "./terraform";
import { outputTexts } from "./terraform-outputs";
import { stackConfiguration } from "./terraform-folders";
import { isTerraformShow } from "./terraform-show";
import { isVariablesFile } from "./terraform-variables";

export type { SkippedDocument } from "./skipped";

/** A cluster with its objects. */
export interface ClusterArtefacts extends KubernetesFacts {
  /** The stack; empty for manifests outside of stacks. */
  readonly stack: string;
  /** What is known of it besides its objects. */
  readonly cluster: ClusterRecord;
  /** What was written that pods of a service account need, by `namespace/name`. */
  readonly podFragments: ReadonlyMap<string, PodFact>;
  /** What was read of the spokes of its fleet. */
  readonly spokes: SpokeFacts;
  /** What a state says in the place of a text that `bind` filled in, by that text; only where they differ. */
  readonly misfilled: ReadonlyMap<string, string>;
  /** Texts of the Terraform outputs beside it, references followed, by name. */
  readonly outputs: ReadonlyMap<string, string>;
}

/** All facts. */
export interface Facts {
  /** The clusters, one per stack that has one; one without name where there are only manifests. */
  readonly clusters: readonly ClusterArtefacts[];
  /** The Terraform resources of all documents. */
  readonly terraform: Terraform;
  /** Documents without facts. */
  readonly skipped: readonly SkippedDocument[];
}

/** How facts are read. */
export interface ReadFactsOptions {
  /** Attributes that the clouds can compute. */
  readonly computed: readonly ComputedAttribute[];
  /** What the caller knows of the clusters; wins over what was recorded. */
  readonly cluster: ClusterRecord;
}

/** A file that a stack lists. */
interface WrittenFile {
  readonly documents: readonly PlainDocument[];
  readonly management: boolean;
  readonly spoke: string | undefined;
}

interface StackDocuments {
  readonly name: string;
  readonly folder: string;
  readonly identity: WorkloadIdentityFile | undefined;
  readonly scope: TerraformScope | undefined;
  readonly files: readonly WrittenFile[];
  readonly podFragments: ReadonlyMap<string, PodFact>;
  readonly missing: readonly SkippedDocument[];
}

/**
 * Reads synth folders, stack folders, manifests and Terraform JSON.
 *
 * Throws `explain-path-missing`, `explain-nothing-found`, `explain-bind-interrupted`, `explain-file-unreadable`,
 * `explain-file-too-large`, `explain-file-invalid`, or `bind-file-invalid` for a broken `workload-identity.json`.
 */
export function readFacts(paths: readonly string[], options: ReadFactsOptions): Facts {
  const input = inputFiles(paths);
  const scopes: TerraformScope[] = [];
  const stacks = input.stacks.map((stack) => readStack(stack, scopes));
  const copyOf = boundCopies(stacks);
  const copies = input.files.flatMap((file) => copyOf(file) ?? []);
  const copied = new Set(copies.map(({ file }) => file));
  const others = input.files.filter((file) => !copied.has(file)).flatMap(fileDocuments);
  addPlainScopes(others, paths, scopes);
  const terraform = new Terraform(scopes, options.computed);
  const wrong = wronglyFilled(copies, stacks, others, terraform);
  const plain = [...others, ...wrong.copies.flatMap(({ file }) => fileDocuments(file))];
  const objects = plain.filter(({ value }) => isKubernetesDocument(value));
  if (scopes.length === 0 && objects.length === 0 && stacks.length === 0)
    return fail("explain-nothing-found", paths);

  const clusters = stacks
    .filter(
      ({ identity, files }) => identity !== undefined || files.some(({ documents }) => documents.length > 0),
    )
    .map((stack) => stackCluster(stack, objects, terraform, options.cluster))
    .map((cluster) => ({ ...cluster, misfilled: wrong.misfilled }));
  const anonymous = clusters.length > 0 ? [] : [plainCluster(objects, terraform, options.cluster)];
  return {
    clusters: [...clusters, ...anonymous],
    terraform,
    skipped: [
      ...unreadFiles(input.unread),
      ...stacks.flatMap(({ missing }) => missing),
      ...unplacedConfigurations([...clusters, ...anonymous].flatMap(({ unplaced }) => unplaced)),
      ...skippedOf(plain),
      ...unreadTerraform(input.stacks, plain),
    ],
  };
}

function readStack({ folder, name }: StackInput, scopes: TerraformScope[]): StackDocuments {
  const scope = stackConfiguration(folder, STACK_FILE, scopes.length);
  if (scope) scopes.push(scope);
  const file = join(folder, WORKLOAD_IDENTITY_FILE);
  const identity = isThere(file) ? readWorkloadIdentity(readUtf8(file), file) : undefined;
  const listed = [
    ...(identity?.manifests ?? []),
    ...(identity?.nodes ?? []).map((node) => ({ ...node, appliesTo: "cluster" })),
  ];
  const pods = identity?.pods ?? [];
  const isMissing = ({ file: path }: { readonly file: string }): boolean => !isThere(join(folder, path));
  const files = listed.filter((each) => !isMissing(each));
  return {
    name: identity?.stack ?? name,
    folder,
    identity,
    scope,
    podFragments: podFragments(
      folder,
      pods.filter((each) => !isMissing(each)),
    ),
    missing: missingFiles(folder, [...listed, ...pods].filter(isMissing)),
    files: files.map(({ file: path, appliesTo, spoke }) => ({
      documents: fileDocuments(join(folder, path)),
      management: appliesTo === "management-cluster",
      spoke,
    })),
  };
}

function podFragments(
  folder: string,
  pods: readonly { readonly file: string }[],
): ReadonlyMap<string, PodFact> {
  return new Map(
    pods.flatMap(({ file }) =>
      fileDocuments(join(folder, file)).map(({ value, source }) => [
        fragmentAccount(file),
        podFragment(value, source),
      ]),
    ),
  );
}

function stackCluster(
  { name, identity, scope, files, podFragments: fragments }: StackDocuments,
  plain: readonly PlainDocument[],
  terraform: Terraform,
  known: ClusterRecord,
): ClusterArtefacts {
  const late = lateReader(identity?.placeholders ?? {}, terraform, scope);
  const recorded = readClusterRecord(identity?.clusters[0]);
  const issuer = recorded.issuer === undefined ? {} : { issuer: late(recorded.issuer) };
  const components = recorded.components && { components: followedComponents(recorded.components, late) };
  const cluster = issuing({ ...recorded, ...issuer, ...components, ...known });
  const plainLate = plainLateReader(terraform);
  const others = plain.map((each) => asClusterDocument(each, plainLate));
  const written = (ofSpoke: boolean): readonly StackDocument[] =>
    files
      .filter(({ spoke }) => (spoke !== undefined) === ofSpoke)
      .flatMap(({ documents, management, spoke }) =>
        documents.map(({ value, source }) => ({ value, source, management, spoke, late, ofStack: true })),
      );
  const spokes = new SpokeFacts([...written(true), ...others]);
  const outputs = outputTexts(scope ? [scope] : [], terraform);
  // Objects of a spoke are none of the hub's, whose names they may have.
  const own = readKubernetes([...written(false), ...others], cluster);
  return { stack: name, cluster, podFragments: fragments, spokes, outputs, misfilled: new Map(), ...own };
}

function plainCluster(
  plain: readonly PlainDocument[],
  terraform: Terraform,
  known: ClusterRecord,
): ClusterArtefacts {
  const cluster = issuing(known);
  const late = plainLateReader(terraform);
  const all = plain.map((each) => asClusterDocument(each, late));
  return {
    stack: "",
    cluster,
    podFragments: new Map(),
    misfilled: new Map(),
    spokes: new SpokeFacts(all),
    outputs: outputTexts(terraform.scopes, terraform),
    ...readKubernetes(all, cluster),
  };
}

/** A document, and whose it is. */
type StackDocument = KubernetesDocument & { readonly spoke: string | undefined };

function asClusterDocument(document: PlainDocument, late: LateReader): StackDocument {
  return { ...document, late, management: false, ofStack: false, spoke: undefined };
}

function skippedOf(plain: readonly PlainDocument[]): readonly SkippedDocument[] {
  const isObject = ({ value }: PlainDocument): boolean => isKubernetesDocument(value);
  const others = plain.filter(
    (document) =>
      !isObject(document) &&
      !isTerraformShow(document.value) &&
      !isConfiguration(document) &&
      !isVariablesFile(document.source.file),
  );
  return [...unknownDocuments(others), ...unreadObjects(plain.filter(isObject))];
}
