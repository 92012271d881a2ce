/*
 * Which files of a node its kubelet reads as CredentialProviderConfig: by flag, unit or platform.
 */

import { posix } from "node:path";
import { isWorkloadIdentityError } from "../../errors";
import { compareVersions } from "../../model/version";
import { type PlatformNodes, openShiftPlatforms, platformNodes } from "../../rules/openshift/platforms";
import { openShiftRelease, openShiftVersions } from "../../rules/openshift/versions";
import { type ClusterRecord, kubeletVersion } from "./cluster-record";
import type { NodeFact } from "./node-facts";
import { BIN_FLAG, CONFIG_FLAG } from "./node-flags";
import { kubeletCommand } from "./node-kubelet-command";

/** The files that the kubelet reads, or those that were meant. */
export interface ConfigFiles {
  /** Their paths, sorted; those of files that look like a configuration where none is read. */
  readonly paths: readonly string[];
  /** Why the kubelet does not read them; `undefined` where it does, or where that is not known. */
  readonly problem: string | undefined;
  /**
   * What the kubelet logs of that problem when it starts.
   *
   * @defaultValue - it starts without a word
   */
  readonly log?: string | undefined;
  /**
   * Why it is not known whether the kubelet reads them.
   *
   * @defaultValue - it is known
   */
  readonly doubt?: string | undefined;
}

/** Files count in directories from this minor on. Source: kubernetes PR 131658. */
const DIRECTORY_SINCE = "1.34";
const CONFIG_FILE = /\.(?:json|ya?ml)$/;

/** Finds the files. */
export function configFiles(node: NodeFact, cluster: ClusterRecord): ConfigFiles {
  if (node.flags !== undefined) return flaggedFiles(node, node.flags, cluster);
  if (node.doubt !== undefined)
    return { paths: configuredPaths(node), problem: undefined, doubt: node.doubt };
  const command = kubeletCommand(node);
  if (command !== undefined && command.extent !== "added") {
    const { flags, extent, path } = command;
    const complete = flags[CONFIG_FLAG] !== undefined && flags[BIN_FLAG] !== undefined;
    if (complete) return flaggedFiles(node, flags, cluster);
    if (extent === "whole") return withoutFlag(node, flags, `; ${path} has the kubelet's whole command line`);
    const doubt = `${path} starts the kubelet with variables that were not read, which may set the flags or not`;
    const paths = configuredPaths(node);
    return { paths, problem: undefined, ...(paths.length > 0 && { doubt }) };
  }
  const platform = platformOf(cluster);
  // A file that the distribution itself writes is not among those of MachineConfigs.
  const added = command?.flags[CONFIG_FLAG];
  if (command && added !== undefined && isRead(node, added)) {
    const doubt =
      typeof platform === "object" && platform.flags === "drop-in"
        ? undefined
        : `${command.path} sets a variable with the flags, and it is not known that the kubelet's unit takes it`;
    const found = flaggedFiles(node, command.flags, cluster);
    return { ...found, doubt: doubt ?? found.doubt };
  }
  return platformFiles(node, platform);
}

function platformFiles(node: NodeFact, platform: PlatformNodes | string): ConfigFiles {
  const others = configuredPaths(node);
  if (typeof platform === "string")
    return { paths: others, problem: undefined, ...(others.length > 0 && { doubt: platform }) };
  const { configPath } = platform;
  if (node.files.has(configPath)) return { paths: [configPath], problem: undefined };
  const [other] = others;
  if (other === undefined) return { paths: [], problem: undefined };
  const problem = `the file stands at ${other}, but the kubelet of this platform reads ${configPath}`;
  return { paths: [other], problem };
}

/** What the platform's nodes bring, or why that is not known. */
function platformOf({ openShift, kubelet }: ClusterRecord): PlatformNodes | string {
  if (openShift === undefined)
    return "neither flags nor a platform were read that say which file the kubelet reads";
  try {
    const release = openShiftRelease(openShift.version);
    const named = kubelet === undefined ? undefined : kubeletVersion({ kubelet });
    if (kubelet !== undefined && (named === undefined || compareVersions(named, release.kubernetes) !== 0))
      return `OpenShift ${openShift.version} has the kubelet ${release.kubernetes}, and ${kubelet} is recorded`;
    const platform = openShiftPlatforms.find((name) => name === openShift.platform);
    if (platform !== undefined) return platformNodes(platform, release);
    return `the platform ${openShift.platform || "of OpenShift"} is not known`;
  } catch (error) {
    // A refusal of what was recorded is an answer here.
    if (!isWorkloadIdentityError(error)) throw error;
    return `which file the kubelet reads is known for OpenShift ${openShiftVersions.join(", ")} alone, and not for every platform: ${error.problem}`;
  }
}

function isRead(node: NodeFact, path: string): boolean {
  const { path: clean } = walked(node, path);
  return [...node.files.keys()].some((file) => file === clean || file.startsWith(`${clean}/`));
}

/** Where a path leads. */
interface Walked {
  /** The path without `.`, `..`, repeated slashes and one at the end; that of the file where it goes on behind one. */
  readonly path: string;
  /** True where it goes on behind a file: `/etc/a.yaml/`, `/etc/a.yaml/../b.yaml`. */
  readonly behindFile: boolean;
  /** A directory that it leads through, and of which nobody knows that it is there; empty where none is. */
  readonly through: string;
}

/** As the kubelet's system calls follow it: each name but the last must be that of a directory. Source: path_resolution(7). */
function walked({ files }: NodeFact, written: string): Walked {
  const isDirectory = (path: string): boolean =>
    path === "" || [...files.keys()].some((file) => file.startsWith(`${path}/`));
  let [path, through] = ["", ""];
  for (const name of written.replace(/^\/+/, "").split("/")) {
    if (files.has(path)) return { path, behindFile: true, through };
    if (name === "..") {
      if (!isDirectory(path)) through ||= path;
      path = path.slice(0, Math.max(0, path.lastIndexOf("/")));
    } else if (name !== "" && name !== ".") path += `/${name}`;
  }
  return { path, behindFile: false, through };
}

/** Why it is not known where a path leads. */
function pathDoubt(named: string, through: string): string | undefined {
  const flag = `the kubelet flag --${CONFIG_FLAG} names ${named}`;
  if (!named.startsWith("/")) return `${flag}, which depends on the directory that the kubelet is started in`;
  return through === "" ? undefined : `${flag}, and nothing says that ${through} is a directory`;
}

function withoutFlag(
  node: NodeFact,
  { [CONFIG_FLAG]: path, [BIN_FLAG]: directory }: Readonly<Record<string, string>>,
  where = "",
): ConfigFiles {
  const [flag, log] =
    path !== undefined
      ? [BIN_FLAG, "plugin binary directory  did not exist"]
      : [CONFIG_FLAG, directory === undefined ? undefined : "credential provider config path is empty"];
  return { paths: configuredPaths(node), problem: `the kubelet flag --${flag} is not set${where}`, log };
}

/**
 * With one flag of the two the kubelet does not start, with none it asks no plugin; an empty one is none.
 *
 * Source: kubernetes:pkg/credentialprovider/plugin, `RegisterCredentialProviderPlugins`.
 */
function flaggedFiles(
  node: NodeFact,
  flags: Readonly<Record<string, string>>,
  cluster: ClusterRecord,
): ConfigFiles {
  const set = Object.fromEntries(Object.entries(flags).filter(([, value]) => value !== ""));
  const named = set[CONFIG_FLAG];
  if (named === undefined) return withoutFlag(node, set);
  const { path, behindFile, through } = walked(node, named);
  const uncertain = pathDoubt(named, through);
  if (uncertain !== undefined) return { paths: configuredPaths(node), problem: undefined, doubt: uncertain };
  const version = kubeletVersion(cluster);
  const early = version !== undefined && compareVersions(version, DIRECTORY_SINCE) < 0;
  const unreadable = `unable to read external registry credential provider configuration from "${named}"`;
  const log = early ? unreadable : `unable to access path "${named}"`;
  if (behindFile) {
    const problem = `the kubelet flag --${CONFIG_FLAG} names ${named}, and ${path} is a file, no directory`;
    return { paths: [path], problem, log };
  }
  const inside = [...node.files.keys()]
    .filter((file) => posix.dirname(file) === path && CONFIG_FILE.test(file))
    .sort();
  const paths = node.files.has(path) ? [path] : inside;
  if (paths.length === 0) {
    const elsewhere = configuredPaths(node);
    const words = `the kubelet flag --${CONFIG_FLAG} names ${named}, which is none of the files here`;
    // Without any configuration among them, the file may be on the nodes for other reasons.
    if (elsewhere.length === 0) return { paths: [], problem: undefined, doubt: words };
    return { paths: elsewhere, problem: words, log };
  }
  if (set[BIN_FLAG] === undefined) return { ...withoutFlag(node, set), paths };
  if (node.files.has(path) || !early) return { paths, problem: undefined };
  return {
    paths,
    problem: `the kubelet flag --${CONFIG_FLAG} names the directory ${named}, and kubelet ${version} reads one file`,
    log: unreadable,
  };
}

/** Paths of files that look like a configuration. */
function configuredPaths(node: NodeFact): readonly string[] {
  return [...node.files]
    .filter(([, { content }]) => content?.includes("CredentialProviderConfig"))
    .map(([path]) => path)
    .sort();
}
