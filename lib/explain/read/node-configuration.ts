/*
 * The CredentialProviderConfig that the kubelets of a pool read, located by flag or platform.
 */

import { propertyPath } from "../../model/property-path";
import {
  type Known,
  type Why,
  isKnown,
  notKnown,
  orElse,
  unread,
  whether,
  whyNot,
  whyText,
} from "../../model/known";
import { type Tree, itemsAt, textAt, treeAt } from "../../model/tree";
import { isPluginExecutable } from "../../rules/plugins";
import type { ClusterFacts } from "./cluster-record";
import { type KubeletReads, READ, configFiles } from "./config-files";
import { withoutCredentials } from "./credentials";
import { type FirstDocument, firstDocument } from "./documents";
import { type Judged, nodeDoubt } from "./node-doubts";
import { type NodeFact, type NodeFileFact, flagDropIns } from "./node-files";
import { type GateStatement, nodeGateStatements } from "./node-gates";
import { kubeletVersion } from "./read-record";
import { type Source, below } from "./source";

/** The token mode of an entry. */
export interface TokenAttributes {
  readonly audience: Known<string>;
  /** Annotation keys without which the kubelet does not run the plugin. */
  readonly requiredKeys: readonly string[];
  /** Annotation keys that the kubelet passes on if they are present. */
  readonly optionalKeys: readonly string[];
  /** True if the kubelet does not run the plugin for a pod without a service account. */
  readonly requireServiceAccount: boolean;
  readonly cacheType: Known<string>;
}

export interface ProviderEntry {
  /** File name of the executable; empty if it is not a text, which the kubelet refuses. */
  readonly name: string;
  readonly matchImages: readonly Known<string>[];
  readonly args: readonly Known<string>[];
  readonly env: ReadonlyMap<string, Known<string>>;
  /** Token mode; `undefined` if the plugin runs without a service account token. */
  readonly tokenAttributes: TokenAttributes | undefined;
  readonly source: Source;
}

/** The document of a file that the kubelet reads. */
export interface ConfigurationDocument extends FirstDocument {
  readonly source: Source;
}

/** The configuration of a pool's kubelets. */
export interface NodeConfiguration {
  readonly name: string;
  /** The first documents of the files; empty without a configuration. */
  readonly documents: readonly ConfigurationDocument[];
  readonly entries: readonly ProviderEntry[];
  readonly isRead: Known<KubeletReads>;
  /** Feature gates that were read for these nodes; later ones override earlier ones. */
  readonly gates: readonly GateStatement[];
  readonly source: Source;
  /** Files of the kubelet's configuration and flags that several MachineConfigs write, by path. */
  readonly contested: ReadonlyMap<string, NodeFileFact>;
  readonly files: ReadonlyMap<string, NodeFileFact>;
  /** What to do about nodes that take no configuration. */
  readonly remedy?: string | undefined;
}

/** Finds and reads the configuration of a pool; `gates` holds those for all nodes of the cluster. */
export function nodeConfiguration(
  node: NodeFact,
  cluster: ClusterFacts,
  gates: readonly GateStatement[],
): NodeConfiguration {
  const { paths, isRead } = configFiles(node, cluster);
  const files = paths.flatMap((path) => {
    const file = node.files.get(path);
    return file ? [{ path, file, first: firstDocument(file.content) }] : [];
  });
  const documents = files
    .filter(({ first }) => first.error !== undefined || isKnown(first.value))
    .map(({ path, file: { source }, first: { value, error } }) => ({
      value,
      error,
      source: { ...source, path: `${source.path} (${path})` },
    }));
  const unreadable = files.map(({ path, first }) => doubtOf(path, first)).find((each) => each !== undefined);
  const entries = documents.flatMap(({ value, source }) => providerEntries(value, source));
  const doubt =
    files.length === 0
      ? undefined
      : (unreadable ??
        node.doubt ??
        versionDoubt(node, cluster) ??
        nodeDoubt(node, judgedOf(paths, entries, cluster), kubeletVersion(cluster)));
  return {
    ...unconfigured(node.name, node.source),
    documents,
    entries,
    isRead: doubt !== undefined && orElse(isRead, () => undefined)?.reads === true ? unread(doubt) : isRead,
    gates: [...gates, ...nodeGateStatements(node)],
    contested: contestedFiles(node, paths),
    files: node.files,
  };
}

/** A version of the kubelets that contradicts the record. */
function versionDoubt({ kubelet, name }: NodeFact, cluster: ClusterFacts): string | undefined {
  const recorded = kubeletVersion(cluster);
  const stated = kubelet === undefined ? undefined : kubeletVersion({ kubelet });
  return kubelet === undefined || recorded === undefined || stated === recorded
    ? undefined
    : `the nodes ${name} have the kubelet ${kubelet}, but ${recorded} is recorded`;
}

/** The files that the kubelet and its plugins read, and the plugins' names. */
function judgedOf(
  paths: readonly string[],
  entries: readonly ProviderEntry[],
  { plugins = {} }: ClusterFacts,
): Judged {
  const inArguments = entries.flatMap(({ args }) => args.flatMap((each) => orElse(each, () => [])));
  const names = entries.map(({ name }) => name);
  const checksums = Object.entries(plugins).flatMap(([plugin, { source }]) =>
    names.flatMap((name) =>
      source && isPluginExecutable(plugin, name) ? [[name, source.sha256] as const] : [],
    ),
  );
  return { paths: [...paths, ...inArguments], plugins: names, checksums: new Map(checksums) };
}

/** Nodes without a configuration, and why none was read. */
export function unconfigured(name: string, source: Source, why?: Why): NodeConfiguration {
  return {
    name,
    documents: [],
    entries: [],
    isRead: why === undefined ? READ : notKnown(why),
    gates: [],
    source,
    contested: new Map(),
    files: new Map(),
  };
}

/** A CredentialProviderConfig that is a document of its own among manifests. */
export function standaloneConfiguration(
  value: Tree,
  source: Source,
  gates: readonly GateStatement[],
): NodeConfiguration {
  return {
    ...unconfigured(source.file, source),
    documents: [{ value, error: undefined, source }],
    entries: providerEntries(value, source),
    gates,
  };
}

/** Why explain cannot read a file; an error in the file itself is not such a reason. */
function doubtOf(path: string, { value, error }: FirstDocument): string | undefined {
  const parts = [value, treeAt(value, "providers"), ...itemsAt(value, "providers")];
  const why = parts.map(whyNot).find((each) => each !== undefined);
  return why === undefined || error !== undefined
    ? undefined
    : `${path} cannot be read here: ${whyText(why)}`;
}

/** The contested files among those that the kubelet reads and the drop-ins that set its flags. */
function contestedFiles(node: NodeFact, paths: readonly string[]): ReadonlyMap<string, NodeFileFact> {
  const dropIns = flagDropIns(node.files);
  const [path, file] = dropIns.at(-1) ?? [];
  const files = paths.flatMap((each): (readonly [string, NodeFileFact])[] => {
    const read = node.files.get(each);
    return read && read.overwrites.length > 0 ? [[each, read]] : [];
  });
  if (path === undefined || file === undefined) return new Map(files);
  // Each sets the same variable of the kubelet's unit, so the last file sets all flags.
  const overwrites = [...dropIns.slice(0, -1).map(([, earlier]) => earlier), ...file.overwrites];
  return new Map([...files, ...(overwrites.length > 0 ? [[path, { ...file, overwrites }] as const] : [])]);
}

function textsAt(tree: Tree, ...path: readonly string[]): readonly Known<string>[] {
  return itemsAt(tree, ...path).map(textAt);
}

/** The texts that are known: keys of annotations and names are never late. */
function wordsAt(tree: Tree, ...path: readonly string[]): readonly string[] {
  return textsAt(tree, ...path).flatMap((each) => orElse(each, () => []));
}

function providerEntries(document: Tree, source: Source): readonly ProviderEntry[] {
  return itemsAt(withoutCredentials(document), "providers").map((provider, index) => ({
    name: orElse(textAt(treeAt(provider, "name")), () => ""),
    matchImages: textsAt(provider, "matchImages"),
    args: textsAt(provider, "args"),
    env: new Map(
      itemsAt(provider, "env").map((row) => [
        orElse(textAt(treeAt(row, "name")), () => ""),
        textAt(treeAt(row, "value")),
      ]),
    ),
    tokenAttributes: tokenAttributes(treeAt(provider, "tokenAttributes")),
    source: below(source, propertyPath(["providers", index])),
  }));
}

function tokenAttributes(attributes: Tree): TokenAttributes | undefined {
  const audience = treeAt(attributes, "serviceAccountTokenAudience");
  if (whether(audience, (text) => typeof text !== "string" || text === "") === "yes") return undefined;
  return {
    audience: textAt(audience),
    requiredKeys: wordsAt(attributes, "requiredServiceAccountAnnotationKeys"),
    optionalKeys: wordsAt(attributes, "optionalServiceAccountAnnotationKeys"),
    requireServiceAccount: orElse(treeAt(attributes, "requireServiceAccount"), () => true) !== false,
    cacheType: textAt(treeAt(attributes, "cacheType")),
  };
}
