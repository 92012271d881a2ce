/*
 * The CredentialProviderConfig that the kubelets of a pool read, found by flag or platform.
 */

import { propertyPath } from "../../artefact/property-path";
import { minorOf } from "../../model/version";
import { openShiftPlatforms, platformNodes } from "../../rules/openshift/platforms";
import { openShiftRelease, openShiftVersions } from "../../rules/openshift/versions";
import { list, own, record, text, texts } from "./access";
import type { ClusterRecord } from "./cluster-record";
import type { NodeFact, NodeFileFact } from "./node-facts";
import { parseYaml } from "./read-documents";
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

/** What the kubelets of a pool are configured with. */
export interface NodeConfiguration {
  /** The pool. */
  readonly name: string;
  /** The parsed documents, each with its place; none where there is no configuration. */
  readonly documents: readonly { readonly value: unknown; readonly source: Source }[];
  /** The entries of all documents, in their order. */
  readonly entries: readonly ProviderEntry[];
  /** Why the kubelet does not read what stands there; `undefined` where it does. */
  readonly problem: string | undefined;
  /** What the kubelet logs of that problem when it starts; `undefined` where it starts without a word. */
  readonly problemLog: string | undefined;
  /** Where the nodes are described. */
  readonly source: Source;
  /** Files of the kubelet's configuration and flags that several MachineConfigs write, by path. */
  readonly contested: ReadonlyMap<string, NodeFileFact>;
  /** Files of the container runtime about registries, by path. */
  readonly registriesConf: ReadonlyMap<string, NodeFileFact>;
  /** A file on these nodes. */
  readonly file: (path: string) => NodeFileFact | undefined;
}

const CONFIG_FLAG = "image-credential-provider-config";
const BIN_FLAG = "image-credential-provider-bin-dir";
const REGISTRIES_CONF = /^\/etc\/containers\/registries\.conf(?:$|\.d\/[^/]+\.conf$)/;
const DROP_IN = /^\/etc\/systemd\/system\/kubelet\.service\.d\/[^/]+\.conf$/;
const FLAG = /--(image-credential-provider-(?:config|bin-dir))[= ]["']?([^\s"']+)/g;
const CONFIG_FILE = /\.(?:json|ya?ml)$/;
const PROBLEM_UNREADABLE = "the file on the node cannot be read here: it is compressed or no data URL";

/** Finds and reads the configuration of a pool. Throws `explain-file-invalid` for a file that is no YAML. */
export function nodeConfiguration(node: NodeFact, cluster: ClusterRecord): NodeConfiguration {
  const { paths, problem, log } = configFiles(node, cluster);
  const files = paths.flatMap((path) => {
    const file = node.files.get(path);
    return file ? [{ path, ...file }] : [];
  });
  const documents = files.flatMap(({ path, content, source }) => {
    // Only the first document of a file is read by the kubelet.
    const [first] = content === undefined ? [] : parseYaml(content, `${source.file} (${path})`);
    return first ? [{ value: first.value, source: { ...source, path: `${source.path} (${path})` } }] : [];
  });
  const unreadable = files.some(({ content }) => content === undefined) ? PROBLEM_UNREADABLE : undefined;
  return {
    name: node.name,
    documents,
    entries: documents.flatMap(({ value, source }) => providerEntries(value, source)),
    problem: problem ?? unreadable,
    problemLog: log,
    source: node.source,
    contested: contested(node, paths),
    registriesConf: new Map([...node.files].filter(([path]) => REGISTRIES_CONF.test(path))),
    file: (path) => node.files.get(path),
  };
}

/** A CredentialProviderConfig that stands alone, among manifests. */
export function standaloneConfiguration(value: unknown, source: Source): NodeConfiguration {
  return {
    name: source.file,
    documents: [{ value, source }],
    entries: providerEntries(value, source),
    problem: undefined,
    problemLog: undefined,
    source,
    contested: new Map(),
    registriesConf: new Map(),
    file: () => undefined,
  };
}

/** Of what the kubelet reads, and of the drop-ins that set its flags. */
function contested(node: NodeFact, paths: readonly string[]): ReadonlyMap<string, NodeFileFact> {
  const dropIns = flagDropIns(node);
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

interface ConfigFiles {
  readonly paths: readonly string[];
  readonly problem: string | undefined;
  readonly log?: string | undefined;
}

function configFiles(node: NodeFact, cluster: ClusterRecord): ConfigFiles {
  if (node.flags !== undefined) return flaggedFiles(node, node.flags);
  const flags = dropInFlags(node);
  // A file that the distribution itself writes is not among those of MachineConfigs.
  if (flags[CONFIG_FLAG] !== undefined && isRead(node, flags[CONFIG_FLAG])) return flaggedFiles(node, flags);
  const expected = platformPath(cluster);
  if (expected === undefined) return { paths: configuredPaths(node), problem: undefined };
  if (node.files.has(expected)) return { paths: [expected], problem: undefined };
  const [other] = configuredPaths(node);
  return other === undefined
    ? { paths: [], problem: undefined }
    : {
        paths: [other],
        problem: `the file stands at ${other}, but the kubelet of this platform reads ${expected}`,
      };
}

/**
 * The drop-ins of the kubelet's unit that hold one of the flags, in the order in which systemd reads them.
 *
 * Source: systemd.unit(5); all drop-ins are read by the names of their files, and the later setting wins.
 */
function flagDropIns(node: NodeFact): readonly (readonly [string, NodeFileFact])[] {
  return [...node.files]
    .filter(([path, { content }]) => DROP_IN.test(path) && content?.includes(`--${CONFIG_FLAG}`))
    .sort(([one], [other]) => (one < other ? -1 : 1));
}

function dropInFlags(node: NodeFact): Readonly<Record<string, string>> {
  const content = flagDropIns(node).at(-1)?.[1].content ?? "";
  return Object.fromEntries([...content.matchAll(FLAG)].map(([, name = "", value = ""]) => [name, value]));
}

function isRead(node: NodeFact, path: string): boolean {
  return [...node.files.keys()].some((file) => file === path || file.startsWith(`${path}/`));
}

/**
 * With one flag of the two the kubelet does not start, with none it asks no plugin.
 *
 * Source: kubernetes:pkg/credentialprovider/plugin, `RegisterCredentialProviderPlugins`.
 */
function flaggedFiles(node: NodeFact, flags: Readonly<Record<string, string>>): ConfigFiles {
  const [path, directory] = [flags[CONFIG_FLAG], flags[BIN_FLAG]];
  const missing = path === undefined ? CONFIG_FLAG : directory === undefined ? BIN_FLAG : undefined;
  if (path === undefined) {
    const log = directory === undefined ? undefined : "credential provider config path is empty";
    return { paths: configuredPaths(node), problem: `the kubelet flag --${CONFIG_FLAG} is not set`, log };
  }
  const inside = [...node.files.keys()]
    .filter(
      (file) =>
        file.startsWith(`${path}/`) && CONFIG_FILE.test(file) && !file.slice(path.length + 1).includes("/"),
    )
    .sort();
  const paths = node.files.has(path) ? [path] : inside;
  if (paths.length === 0) {
    const elsewhere = configuredPaths(node);
    const problem = `the kubelet flag --${CONFIG_FLAG} names ${path}, which is none of the files here`;
    return { paths: elsewhere, problem, log: `unable to access path "${path}"` };
  }
  if (missing === undefined) return { paths, problem: undefined };
  return {
    paths,
    problem: `the kubelet flag --${missing} is not set`,
    log: "plugin binary directory  did not exist",
  };
}

/** Paths of files that look like a configuration. */
function configuredPaths(node: NodeFact): readonly string[] {
  return [...node.files]
    .filter(([, { content }]) => content?.includes("CredentialProviderConfig"))
    .map(([path]) => path)
    .sort();
}

/** The path that the platform's kubelet reads; `undefined` where release or platform are not known. */
function platformPath({ openShift }: ClusterRecord): string | undefined {
  if (openShift === undefined || !/^\d+\.\d+/.test(openShift.version)) return undefined;
  const platform = openShiftPlatforms.find((name) => name === openShift.platform);
  if (platform === undefined || !openShiftVersions.includes(minorOf("OpenShift version", openShift.version)))
    return undefined;
  return platformNodes(platform, openShiftRelease(openShift.version)).configPath;
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
