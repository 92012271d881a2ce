import { createHash } from "node:crypto";
import { dirname, join, resolve, sep } from "node:path";
import { PLACEHOLDER_START } from "../../artefact/placeholder";
import { WORKLOAD_IDENTITY_FILE, readWorkloadIdentity } from "../../artefact/workload-identity-file";
import { grouped, push } from "../../model/grouped";
import { known } from "../../model/known";
import { remembered } from "../../model/once";
import { at, list, record } from "../../model/parsed";
import { step } from "../progress";
import type { BoundStack } from "./bound-copies";
import { type FileDocument, invalidFile, readText, textIfReadable, triedDocuments } from "./documents";
import { foreignForm } from "./foreign-forms";
import { STACK_FILE, type StackInput, isThere } from "./input-files";
import { type LateReader, stackLateReader } from "./late-text";
import { isNodeDocument } from "./node-forms";
import { type KubernetesDocument, OF_ANY, isKubernetesDocument } from "./objects";
import { podFragment } from "./pods";
import type { SkippedDocument } from "./source";
import type { Terraform } from "./terraform";
import { isVariablesFile, readStackConfiguration } from "./terraform-configuration";
import { UnreadFiles, textOfFile } from "./unread-files";

/** What the file of a document tells about it. */
type Origin = Pick<KubernetesDocument, "management" | "ofStack" | "spoke" | "cluster" | "forNodes">;

interface ReadFile {
  readonly documents: readonly FileDocument[];
  readonly hasLate: boolean;
}

const NOTHING: ReadFile = { documents: [], hasLate: false };

/** Each file is read once. */
export class Files {
  readonly unread: UnreadFiles = new UnreadFiles();
  readonly #found: ReadonlySet<string>;
  readonly #read = new Map<string, ReadFile>();

  /** Files that were found below a folder need not be valid. */
  constructor(found: ReadonlySet<string>) {
    this.#found = found;
  }

  documents(file: string, late: LateReader = known, origin: Origin = OF_ANY): readonly KubernetesDocument[] {
    const read = remembered(this.#read, file, () => this.#readFile(file, origin.ofStack));
    // Most files hold no late values, so their texts need no search.
    const reader = read.hasLate ? late : known;
    return read.documents.map((document) => ({ ...document, late: reader, ...origin }));
  }

  /** What a stack lists is what the library wrote. */
  #readFile(file: string, ofStack: boolean): ReadFile {
    step("files read");
    const isFound = this.#found.has(file);
    const text = isFound ? textIfReadable(file) : readText(file);
    if (text === undefined) {
      this.unread.add({ file, path: "" }, "it is larger than explain reads, or not UTF-8", undefined);
      return NOTHING;
    }
    const form = ofStack ? undefined : foreignForm(file, text);
    const documents = form ? { line: 1, reason: `is ${form.what}` } : triedDocuments(text, file);
    if (!("reason" in documents)) return { documents, hasLate: text.includes(PLACEHOLDER_START) };
    if (!isFound) return invalidFile(file, documents.line, documents.reason, undefined, form?.remedy);
    const source = { file, path: form ? "" : `line ${documents.line}` };
    const reason = form ? `${form.what}: ${form.remedy}` : `it ${documents.reason.replace(/:.*/s, "")}`;
    this.unread.add(source, reason, text);
    return NOTHING;
  }
}

/** What pods of a service account, `namespace/name`, need in a cluster of the stack. */
interface PodFragmentFact extends ReturnType<typeof podFragment> {
  readonly cluster: string | undefined;
}

export interface StackDocuments extends BoundStack {
  /** Objects, and setups of nodes. */
  readonly written: readonly KubernetesDocument[];
  /** What the API servers of the cluster's control plane read. */
  readonly controlPlane: readonly KubernetesDocument[];
  /** What the owners of registries must configure. */
  readonly registries: readonly KubernetesDocument[];
  /** The needs of pods, by service account. */
  readonly fragments: readonly PodFragmentFact[];
  readonly skipped: readonly SkippedDocument[];
}

export function readStack(input: StackInput, terraform: Terraform, files: Files): StackDocuments {
  const { folder } = input;
  const scope = readStackConfiguration(terraform, folder);
  const path = join(folder, WORKLOAD_IDENTITY_FILE);
  const identity = isThere(path) ? readWorkloadIdentity(readText(path), path) : undefined;
  const late = stackLateReader(identity?.placeholders ?? {}, scope);
  const read = new Set<string>();
  const missing: SkippedDocument[] = [];
  const documents = (file: string, place: Partial<Origin> = {}): readonly KubernetesDocument[] => {
    const listed = join(folder, file);
    if (!isThere(listed)) {
      missing.push(skippedFile(listed, MISSING));
      return [];
    }
    read.add(listed);
    return files.documents(listed, late, { ...OF_ANY, ...place, ofStack: true });
  };
  const { manifests = [], nodes = [], controlPlane: ofServers = [], pods = [] } = identity ?? {};
  const written = [
    ...manifests.flatMap(({ file, appliesTo, spoke, cluster }) =>
      documents(file, { management: appliesTo === "management-cluster", spoke, cluster }),
    ),
    ...nodes.flatMap(({ file, spoke, cluster }) => documents(file, { spoke, cluster, forNodes: true })),
  ];
  const controlPlane = ofServers.flatMap(({ file, cluster }) => documents(file, { cluster }));
  const registries = (identity?.registries ?? []).flatMap(({ file, cluster }) =>
    documents(file, { cluster }),
  );
  const fragments = pods.flatMap(({ file, cluster }) =>
    documents(file).map((document) => ({ ...podFragment(file, document), cluster })),
  );
  for (const { source, reason } of unlisted(input, identity !== undefined, read))
    files.unread.add(source, reason, textOfFile(source.file));
  const skipped = [...missing, ...unknownDocuments(written)];
  const name = identity?.stack ?? input.name;
  return { name, folder, identity, scope, late, written, controlPlane, registries, fragments, skipped };
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
export function unknownDocuments(documents: readonly FileDocument[]): readonly SkippedDocument[] {
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

/** What the files of a stack say, for a comparison: of service accounts and RBAC one by one, and of all else together. */
export interface StackDigest {
  /** The files that bear on nothing but the clusters of the stack. */
  readonly files: readonly string[];
  /** The documents of each service account, by `namespace/name`, and of the RBAC in a namespace, by `namespace/`. */
  readonly accounts: ReadonlyMap<string, readonly string[]>;
  /** A digest of everything else, apart from declared pulls. */
  readonly others: string;
}

/** `unread` are files that may hold objects of any cluster. */
export function stackDigest(
  { folder, identity, written, controlPlane, registries }: StackDocuments,
  unread: ReadonlySet<string>,
): StackDigest {
  const accounts = new Map<string, string[]>();
  const others: unknown[] = [controlPlane, registries].map((all) => all.map(contentOf));
  for (const each of written) {
    const key = touchedBy(each);
    const content = JSON.stringify(contentOf(each));
    if (key === undefined) others.push(content);
    else push(accounts, key, content);
  }
  const files = [...written.map(({ source }) => source.file), join(folder, WORKLOAD_IDENTITY_FILE)];
  const clusters = list(at(identity, "clusters")).map((each) => ({ ...record(each), pulls: undefined }));
  const digest = createHash("sha256").update(JSON.stringify([{ ...identity, clusters }, others]));
  return {
    files: files.filter((file) => file.startsWith(folder + sep) && !unread.has(file)),
    accounts,
    others: digest.digest("hex"),
  };
}

function contentOf({ value, head, management, spoke, cluster, forNodes }: KubernetesDocument): unknown {
  return [value, head, management, spoke, cluster, forNodes];
}

/** `undefined` for all other objects, patches and lists of these among them. */
function touchedBy({ value, management, spoke }: KubernetesDocument): string | undefined {
  const { apiVersion, kind, metadata, ...others } = record(value);
  const { namespace, name } = record(metadata);
  const [place, own] = [namespace, name].map((each) => typeof each === "string" && LABEL.test(each) && each);
  if (!place || others["$patch"] !== undefined) return undefined;
  if (apiVersion === "v1" && kind === "ServiceAccount") return own ? `${place}/${own}` : undefined;
  const isRbac = apiVersion === "rbac.authorization.k8s.io/v1" && (kind === "Role" || kind === "RoleBinding");
  return isRbac && !management && spoke === undefined ? `${place}/` : undefined;
}

const LABEL = /^[a-z\d.-]+$/;
