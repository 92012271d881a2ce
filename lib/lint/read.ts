/*
 * The files that lint looks at, as facts: what kubelets read, whatever carries it to nodes, and the objects beside it.
 */

import { propertyPath } from "../model/property-path";
import { sorted } from "../explain/read/clusters";
import {
  type FileDocument,
  firstDocument,
  readText,
  textIfReadable,
  triedDocuments,
} from "../explain/read/documents";
import { foreignForm } from "../explain/read/foreign-forms";
import { inputFiles, otherFiles } from "../explain/read/input-files";
import { readMachineConfig } from "../explain/read/machine-configs";
import { nodesOfDocuments } from "../explain/read/node-forms";
import { type KubernetesObject, titleOf } from "../explain/read/objects";
import { type WorkloadFact, readWorkload } from "../explain/read/pods";
import { type ServiceAccountFact, readServiceAccounts } from "../explain/read/service-accounts";
import { type SkippedDocument, type Source, below } from "../explain/read/source";
import { unknownDocuments } from "../explain/read/stack-documents";
import { known, orElse } from "../model/known";
import { type Json, at, list, record, text, texts } from "../model/parsed";
import { isRecord } from "../model/record";
import { plainOf } from "../model/tree";
import { WORKLOAD_KINDS } from "../rules/pod-specs";

/** A CredentialProviderConfig, or one entry that an installer puts into the file of a node. */
export interface ConfigFact {
  readonly value: unknown;
  /** Why it is not YAML; `undefined` if it is. */
  readonly error: string | undefined;
  readonly isEntry: boolean;
  /** The path on a node, the key of a ConfigMap, or the file. */
  readonly title: string;
  readonly source: Source;
  readonly entries: readonly EntryFact[];
}

export interface EntryFact {
  readonly value: Json;
  readonly name: string;
  readonly patterns: readonly string[];
  /** Audience of its tokens; empty for an entry that sends none. */
  readonly audience: string;
  readonly requiredKeys: readonly string[];
  /** All annotation keys that the kubelet passes to the plugin. */
  readonly keys: readonly string[];
  readonly source: Source;
}

export interface FileFact {
  readonly file: string;
  readonly text: string;
}

/** What the rules look at. */
export interface LintFacts {
  readonly files: readonly FileFact[];
  readonly configs: readonly ConfigFact[];
  readonly rbac: readonly KubernetesObject[];
  readonly accounts: ReadonlyMap<string, ServiceAccountFact>;
  readonly workloads: readonly WorkloadFact[];
  /** Files that documents bring to nodes: the path there, and the file of the document. */
  readonly onNodes: readonly (readonly [path: string, file: string])[];
  /** Files and objects that are not looked at, and objects that the API server refuses. */
  readonly skipped: readonly SkippedDocument[];
  /** Files that cannot be read. */
  readonly unread: readonly SkippedDocument[];
}

/** As envsubst, templates, people who copy an example, and this library's synth leave them. */
const OPEN =
  /\$\{[^{}]{0,200}\}|\$\(\w{1,100}\)|\$[A-Z_]{2}|\{\{[^{}]{0,200}\}\}|<[A-Za-z][\w .-]{0,100}>|@late\(/;

/** True for a text with a placeholder: nothing is said about it. */
export function isOpen(text: string): boolean {
  return OPEN.test(text);
}

/** Names standard input. */
export const STDIN = "-";

/** Reads files and folders, and `input` under the name `-`. */
export function readLintFacts(paths: readonly string[], input: string): LintFacts {
  const inputs = inputFiles(paths.filter((path) => path !== STDIN));
  const unread: SkippedDocument[] = [];
  const files: FileFact[] = paths.includes(STDIN) ? [{ file: STDIN, text: input }] : [];
  for (const file of [...inputs.files, ...inputs.stacks.flatMap((stack) => stack.files)]) {
    const content = inputs.found.has(file) ? textIfReadable(file) : readText(file);
    if (content !== undefined) files.push({ file, text: content });
    else unread.push({ source: { file, path: "" }, reason: "it is larger than lint reads, or not UTF-8" });
  }
  const facts = factsOf(files.flatMap((file) => documentsOf(file, unread)));
  const skipped = [...facts.skipped, ...inputs.skipped, ...otherFiles(inputs.others)];
  const isRead = ({ file }: FileFact): boolean => !unread.some(({ source }) => source.file === file);
  return { ...facts, files: files.filter(isRead), skipped, unread };
}

function documentsOf({ file, text: content }: FileFact, unread: SkippedDocument[]): readonly FileDocument[] {
  const form = foreignForm(file, content);
  const read = form ? { line: 1, reason: `is ${form.what}` } : triedDocuments(content, file);
  if (!("reason" in read)) return read;
  const remedy = form ? `: ${form.remedy.replace("give explain", "give lint")}` : "";
  const reason = `it ${read.reason.replace(/^(is not YAML):.*/s, "$1")}${remedy}`;
  unread.push({ source: { file, path: "", line: read.line }, reason });
  return [];
}

function factsOf(documents: readonly FileDocument[]): Omit<LintFacts, "files" | "unread"> {
  const isConfig = ({ value }: FileDocument): boolean => isConfiguration(value) || isEntry(value);
  const others = documents.filter((each) => !isConfig(each));
  const { objects, setups } = sorted(
    others.map((each) => ({ ...each, late: known, management: false, ofStack: false, spoke: undefined })),
  );
  const machineConfigs = [
    ...objects.of("MachineConfig"),
    ...objects.of("ConfigMap").flatMap(hostedConfigs),
  ].map(({ value, source }) => readMachineConfig(value, source, known));
  const onNodes = [...nodesOfDocuments(setups), ...machineConfigs].flatMap(({ files }) => [...files]);
  return {
    configs: [
      ...documents.filter(isConfig).map(({ value, source }) => configOf(source.file, value, source)),
      ...onNodes.flatMap(([path, { content, source }]) =>
        configsIn(
          path,
          orElse(content, () => ""),
          source,
        ),
      ),
      ...objects.of("ConfigMap").flatMap(configsInMap),
    ],
    rbac: objects.of("Role", "ClusterRole", "RoleBinding", "ClusterRoleBinding"),
    accounts: readServiceAccounts(objects.of("ServiceAccount")),
    workloads: objects.of(...WORKLOAD_KINDS).flatMap((object) => readWorkload(object) ?? []),
    onNodes: onNodes.map(([path, { source }]) => [path, source.file]),
    skipped: [...objects.skipped, ...unknownDocuments(others)],
  };
}

function isConfiguration(value: unknown): boolean {
  const hasPatterns = list(at(value, "providers")).some((each) => Array.isArray(at(each, "matchImages")));
  return at(value, "kind") === "CredentialProviderConfig" || hasPatterns;
}

/** An entry alone, as charts keep it for a script that puts it into the file of a node. */
function isEntry(value: unknown): boolean {
  return Array.isArray(at(value, "matchImages")) && at(value, "kind") === undefined;
}

/** MachineConfigs of HyperShift, which are texts in ConfigMaps. */
function hostedConfigs({ value, source }: KubernetesObject): readonly FileDocument[] {
  return Object.entries(record(at(value, "data"))).flatMap(([key, content]) => {
    if (!text(content).includes("MachineConfig")) return [];
    const plain = plainOf(firstDocument(known(text(content))).value, "");
    const place = below(source, propertyPath(["data", key]));
    return at(plain, "kind") === "MachineConfig" ? [{ value: plain, source: place }] : [];
  });
}

function configsInMap({ value, kind, source }: KubernetesObject): readonly ConfigFact[] {
  return Object.entries(record(at(value, "data")))
    .filter(([key]) => /\.(?:ya?ml|json|conf)$/.test(key))
    .flatMap(([key, content]) =>
      configsIn(
        `${key} of ${titleOf(value, kind)}`,
        text(content),
        below(source, propertyPath(["data", key])),
      ),
    );
}

function configsIn(title: string, content: string, source: Source): readonly ConfigFact[] {
  if (!/CredentialProviderConfig|matchImages/.test(content)) return [];
  const { value, error } = firstDocument(known(content));
  const plain = plainOf(value, "");
  const isOne = error !== undefined || isConfiguration(plain) || isEntry(plain);
  return isOne ? [configOf(title, plain, source, error)] : [];
}

function configOf(title: string, value: unknown, source: Source, error?: string): ConfigFact {
  const isAlone = isEntry(value);
  const entries = isAlone
    ? [entryOf(value, source)]
    : list(at(value, "providers")).map((each, index) =>
        entryOf(each, below(source, propertyPath(["providers", index]))),
      );
  return { value, error, isEntry: isAlone, title, source, entries };
}

function entryOf(provider: unknown, source: Source): EntryFact {
  const tokens = at(provider, "tokenAttributes");
  const requiredKeys = texts(at(tokens, "requiredServiceAccountAnnotationKeys"));
  return {
    value: isRecord(provider) ? provider : {},
    name: text(at(provider, "name")) || "an entry without name",
    patterns: texts(at(provider, "matchImages")),
    audience: text(at(tokens, "serviceAccountTokenAudience")),
    requiredKeys,
    keys: [...requiredKeys, ...texts(at(tokens, "optionalServiceAccountAnnotationKeys"))],
    source,
  };
}
