/*
 * The CredentialProviderConfig that the kubelets of a pool read, found by flag or platform.
 */

import { propertyPath } from "../../artefact/property-path";
import { list, own, record, text, texts } from "./access";
import type { ClusterRecord } from "./cluster-record";
import { type FirstDocument, firstYamlDocument } from "./embedded";
import { configFiles } from "./node-config-files";
import type { NodeFact, NodeFileFact } from "./node-facts";
import { type GateStatement, mayReach, nodeGateStatements } from "./node-gates";
import { flagDropIns } from "./node-kubelet-command";
import { isRuntimeFile } from "./runtime-files";
import { type Source, below } from "./source";

/** The token mode of an entry. */
export interface TokenAttributes {
  /** The one audience. */
  readonly audience: string;
  /** Keys without which the plugin is not run. */
  readonly requiredKeys: readonly string[];
  /** Keys that are handed on where they are present. */
  readonly optionalKeys: readonly string[];
  /** True where the plugin is not run for a pod without service account. */
  readonly requireServiceAccount: boolean;
}

/** One entry of a CredentialProviderConfig. */
export interface ProviderEntry {
  /** File name of the executable. */
  readonly name: string;
  /** Its patterns. */
  readonly matchImages: readonly string[];
  /** Its arguments. */
  readonly args: readonly string[];
  /** Names and values of its variables. */
  readonly env: ReadonlyMap<string, string>;
  /** Token mode; `undefined` where the plugin runs without a service account token. */
  readonly tokenAttributes: TokenAttributes | undefined;
  /** Where it stands. */
  readonly source: Source;
}

/** The document of a file that the kubelet reads. */
export interface ConfigurationDocument {
  /** The parsed value. */
  readonly value: unknown;
  /**
   * Why it is no YAML.
   *
   * @defaultValue - it is
   */
  readonly error?: string;
  /** Where it stands. */
  readonly source: Source;
}

/** What the kubelets of a pool are configured with. */
export interface NodeConfiguration {
  /** The pool. */
  readonly name: string;
  /** The first documents of the files; none where there is no configuration. */
  readonly documents: readonly ConfigurationDocument[];
  /** The entries of all documents, in their order. */
  readonly entries: readonly ProviderEntry[];
  /** Why the kubelet does not read what stands there; `undefined` where it does. */
  readonly problem: string | undefined;
  /** What the kubelet logs of that problem when it starts; `undefined` where it starts without a word. */
  readonly problemLog: string | undefined;
  /** Why it is not known whether the kubelet reads what stands there; `undefined` where it is. */
  readonly doubt: string | undefined;
  /** Feature gates that were read for these nodes; a later one wins over those before. */
  readonly gates: readonly GateStatement[];
  /** Where the nodes are described. */
  readonly source: Source;
  /** Files of the kubelet's configuration and flags that several MachineConfigs write, by path. */
  readonly contested: ReadonlyMap<string, NodeFileFact>;
  /** Files that tell the container runtime what to do with registries, by path. */
  readonly runtimeFiles: ReadonlyMap<string, NodeFileFact>;
  /** A file on these nodes. */
  readonly file: (path: string) => NodeFileFact | undefined;
}

const PROBLEM_UNREADABLE = "the file on the node cannot be read here: it is compressed or no data URL";

/** Finds and reads the configuration of a pool; `gates` are those that were read for all nodes of the cluster. */
export function nodeConfiguration(
  node: NodeFact,
  cluster: ClusterRecord,
  gates: readonly GateStatement[] = [],
): NodeConfiguration {
  const { paths, problem, log, doubt } = configFiles(node, cluster);
  const files = paths.flatMap((path) => {
    const file = node.files.get(path);
    return file ? [{ path, ...file, ...firstDocument(file) }] : [];
  });
  const documents = files
    .filter(({ content, isTooMuch }) => content !== undefined && !isTooMuch)
    .map(({ path, value, error, source }) => ({
      value,
      ...(error !== undefined && { error }),
      source: { ...source, path: `${source.path} (${path})` },
    }));
  return {
    ...unconfigured(node.name, node.source),
    documents,
    entries: documents.flatMap(({ value, source }) => providerEntries(value, source)),
    problem: node.absent ?? problem,
    problemLog: node.absent === undefined ? log : undefined,
    doubt: doubt ?? node.doubt ?? files.map(doubtOf).find((each) => each !== undefined),
    gates: [...gates.filter((gate) => mayReach(gate, node.name)), ...nodeGateStatements(node)],
    contested: contested(node, paths),
    runtimeFiles: new Map([...node.files].filter(([path]) => isRuntimeFile(path))),
    file: (path) => node.files.get(path),
  };
}

/** Nodes that nothing configures. */
export function unconfigured(name: string, source: Source): NodeConfiguration {
  return {
    name,
    documents: [],
    entries: [],
    problem: undefined,
    problemLog: undefined,
    doubt: undefined,
    gates: [],
    source,
    contested: new Map(),
    runtimeFiles: new Map(),
    file: () => undefined,
  };
}

/** A CredentialProviderConfig that stands alone, among manifests. */
export function standaloneConfiguration(
  value: unknown,
  source: Source,
  gates: readonly GateStatement[] = [],
): NodeConfiguration {
  return {
    ...unconfigured(source.file, source),
    documents: [{ value, source }],
    entries: providerEntries(value, source),
    gates,
  };
}

const NOTHING: FirstDocument = { value: undefined, error: undefined, isTooMuch: false };

/** Only the first document of a file is read by the kubelet. */
function firstDocument({ content }: NodeFileFact): FirstDocument {
  return content === undefined ? NOTHING : firstYamlDocument(content);
}

function doubtOf({
  path,
  content,
  doubt,
  error,
  isTooMuch,
}: NodeFileFact & FirstDocument & { readonly path: string }): string | undefined {
  if (content === undefined) return PROBLEM_UNREADABLE;
  return isTooMuch ? `${path} cannot be read here: ${error ?? ""}` : doubt;
}

/** Of what the kubelet reads, and of the drop-ins that set its flags. */
function contested(node: NodeFact, paths: readonly string[]): ReadonlyMap<string, NodeFileFact> {
  const dropIns = flagDropIns(node.files);
  const [path, file] = dropIns.at(-1) ?? [];
  const files = paths.flatMap((each): (readonly [string, NodeFileFact])[] => {
    const read = node.files.get(each);
    return read?.overwrites ? [[each, read]] : [];
  });
  if (path === undefined || file === undefined) return new Map(files);
  // Each sets the same variable of the kubelet's unit, so that of several files the last one sets all flags.
  const overwrites = [...dropIns.slice(0, -1).map(([, earlier]) => earlier), ...(file.overwrites ?? [])];
  return new Map([...files, ...(overwrites.length > 0 ? [[path, { ...file, overwrites }] as const] : [])]);
}

function providerEntries(document: unknown, source: Source): readonly ProviderEntry[] {
  return list(own(document, "providers")).map((provider, index) => ({
    name: text(own(provider, "name")),
    matchImages: texts(own(provider, "matchImages")),
    args: texts(own(provider, "args")),
    env: new Map(list(own(provider, "env")).map((row) => [text(own(row, "name")), text(own(row, "value"))])),
    tokenAttributes: tokenAttributes(own(provider, "tokenAttributes")),
    source: below(source, propertyPath(["providers", index])),
  }));
}

function tokenAttributes(value: unknown): TokenAttributes | undefined {
  const attributes = record(value);
  const audience = text(attributes["serviceAccountTokenAudience"]);
  if (audience === "") return undefined;
  return {
    audience,
    requiredKeys: texts(attributes["requiredServiceAccountAnnotationKeys"]),
    optionalKeys: texts(attributes["optionalServiceAccountAnnotationKeys"]),
    requireServiceAccount: attributes["requireServiceAccount"] !== false,
  };
}
