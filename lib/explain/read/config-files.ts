/*
 * Which files of a node its kubelet reads as CredentialProviderConfig, decided by flag, unit or platform.
 */

import { posix } from "node:path";
import { isWorkloadIdentityError } from "../../errors";
import { type Known, isKnown, known, match, orElse, unread, whyNot, whyText } from "../../model/known";
import { compareVersions } from "../../model/version";
import {
  type PlatformNodes,
  openShiftPlatforms,
  platformNodes,
  openShiftRelease,
  openShiftVersions,
} from "../../rules/openshift/versions";
import type { ClusterFacts } from "./cluster-record";
import {
  BIN_FLAG,
  CONFIG_FLAG,
  type KubeletCommand,
  type KubeletFlags,
  type NodeFact,
  kubeletCommand,
  mayHold,
} from "./node-files";
import { kubeletVersion } from "./read-record";

/** Whether the kubelet reads the files, and what an operator sees if it does not. */
export type KubeletReads =
  | { readonly reads: true }
  | {
      readonly reads: false;
      /** Why not, a clause. */
      readonly reason: string;
      /** The kubelet's log at start, before it exits; `undefined` if it starts and logs nothing. */
      readonly log: string | undefined;
    };

export interface ConfigFiles {
  /** Their paths, sorted; if the kubelet reads none, those of files that look like a configuration. */
  readonly paths: readonly string[];
  readonly isRead: Known<KubeletReads>;
}

export const READ: Known<KubeletReads> = known({ reads: true });
/** From this minor version on the kubelet reads all files of a directory. Source: kubernetes PR 131658. */
const DIRECTORY_SINCE = "1.34";
const CONFIG_FILE = /\.(?:json|ya?ml)$/;
/** Flags that affect credential providers. */
export const JUDGED: readonly string[] = [CONFIG_FLAG, BIN_FLAG, "feature-gates", "config"];

function notRead(reason: string, log?: string): Known<KubeletReads> {
  return known({ reads: false, reason, log });
}

export function configFiles(node: NodeFact, cluster: ClusterFacts): ConfigFiles {
  const there = filesOnNode(node, cluster);
  return match(
    node.absence,
    (absence) => (absence === undefined ? there : { ...there, isRead: notRead(absence) }),
    (why) =>
      isRefused(there) && node.flags !== undefined ? there : { ...there, isRead: unread(whyText(why)) },
  );
}

function isRefused({ isRead }: ConfigFiles): boolean {
  return orElse(isRead, () => undefined)?.reads === false;
}

/** The files that the kubelet would read if they are on the nodes. */
function filesOnNode(node: NodeFact, cluster: ClusterFacts): ConfigFiles {
  const paths = configuredPaths(node);
  if (node.flags !== undefined)
    return match(
      node.flags,
      (flags) => statedFiles(node, flags, cluster),
      (why) => ({ paths, isRead: unread(whyText(why)) }),
    );
  const command = kubeletCommand(node);
  if (command !== undefined && command.extent !== "added") {
    const { flags, extent, path } = command;
    if (flags.has(CONFIG_FLAG) && flags.has(BIN_FLAG))
      return ofRelease(flaggedFiles(node, flags, cluster), command, cluster);
    if (extent === "whole") return withoutFlag(node, flags, `; ${path} has the kubelet's whole command line`);
    const doubt = `${path} starts the kubelet with variables that were not read and may set the flags`;
    return { paths, isRead: paths.length > 0 ? unread(doubt) : READ };
  }
  const platform = platformOf(cluster);
  // MachineConfigs do not contain a file that the distribution itself writes.
  const added = command && valueOf(command.flags, CONFIG_FLAG);
  const clean = cleanPath(`/${added ?? ""}`);
  const isThere = [...node.files.keys()].some((file) => file === clean || file.startsWith(`${clean}/`));
  if (!command || added === undefined || !isThere) return platformFiles(node, platform);
  const flagged = flaggedFiles(node, command.flags, cluster);
  const isTaken = typeof platform === "object" && platform.flags === "drop-in";
  const doubt = `${command.path} sets a variable with the flags, and it is not known whether the kubelet's unit uses that variable`;
  return isTaken || isRefused(flagged) ? flagged : { ...flagged, isRead: unread(doubt) };
}

/** The files, given how the distribution's release treats the flags in its configuration. */
function ofRelease(files: ConfigFiles, command: KubeletCommand, cluster: ClusterFacts): ConfigFiles {
  const { microShift } = cluster;
  const obstacle = command.obstacle?.({ kubelet: kubeletVersion(cluster), microShift });
  if (obstacle === undefined || isRefused(files)) return files;
  const { isCertain, reason } = obstacle;
  return { ...files, isRead: isCertain ? notRead(reason) : unread(reason) };
}

/** The files by flags that a document states; the value of a flag that is not a text is unknown. */
function statedFiles(node: NodeFact, flags: KubeletFlags, cluster: ClusterFacts): ConfigFiles {
  const odd = JUDGED.find((name) => !isKnown(flags.get(name) ?? known("")));
  const why = odd === undefined ? undefined : whyNot(flags.get(odd) ?? known(""));
  if (why === undefined) return flaggedFiles(node, flags, cluster);
  const isRead = unread(whyText(why));
  if (odd === CONFIG_FLAG || odd === BIN_FLAG) return { paths: configuredPaths(node), isRead };
  const flagged = flaggedFiles(node, flags, cluster);
  return isRefused(flagged) ? flagged : { ...flagged, isRead };
}

function platformFiles(node: NodeFact, platform: PlatformNodes | string): ConfigFiles {
  const others = configuredPaths(node);
  if (typeof platform === "string")
    return { paths: others, isRead: others.length > 0 ? unread(platform) : READ };
  const { configPath } = platform;
  if (node.files.has(configPath)) return { paths: [configPath], isRead: READ };
  const [other] = others;
  if (other === undefined) return { paths: [], isRead: READ };
  const reason = `the file is at ${other}, but the kubelet of this platform reads ${configPath}`;
  return { paths: [other], isRead: notRead(reason) };
}

/** What the platform sets on nodes, or why that is not known. */
export function platformOf({ openShift, kubelet }: ClusterFacts): PlatformNodes | string {
  if (openShift === undefined)
    return "neither kubelet flags nor a platform were read, so it is not known which file the kubelet reads";
  try {
    const release = openShiftRelease(openShift.version);
    const named = kubelet === undefined ? undefined : kubeletVersion({ kubelet });
    if (kubelet !== undefined && (named === undefined || compareVersions(named, release.kubernetes) !== 0))
      return `OpenShift ${openShift.version} has the kubelet ${release.kubernetes}, but ${kubelet} is recorded`;
    const platform = openShiftPlatforms.find((name) => name === openShift.platform);
    if (platform !== undefined) return platformNodes(platform, release);
    return `the platform ${openShift.platform || "of OpenShift"} is not known`;
  } catch (error) {
    // If the rules refuse the recorded values, that is an answer here.
    if (!isWorkloadIdentityError(error)) throw error;
    return `which file the kubelet reads is known only for OpenShift ${openShiftVersions.join(", ")}, and not for every platform: ${error.problem}`;
  }
}

/** The path without repeated slashes, `.` segments and a slash at the end. */
function cleanPath(path: string): string {
  return path.replace(/\/(?:\.?\/)+/g, "/").replace(/(.)\/$/, "$1");
}

/** Why explain does not judge where a path leads: each name on the way must be a directory. */
function pathDoubt(named: string, { files }: NodeFact): string | undefined {
  const flag = `the kubelet flag --${CONFIG_FLAG} names ${named}`;
  if (!named.startsWith("/")) return `${flag}, which depends on the kubelet's working directory`;
  const clean = cleanPath(named);
  const isOdd = /\/\.\.?(?:\/|$)/.test(clean) || (named.endsWith("/") && files.has(clean));
  return isOdd ? `${flag}, which explain does not resolve; write the plain path` : undefined;
}

/** The text of a flag; an empty text counts as absent. */
function valueOf(flags: KubeletFlags, name: string): string | undefined {
  return orElse(flags.get(name) ?? known(""), () => "") || undefined;
}

function withoutFlag(node: NodeFact, flags: KubeletFlags, where = ""): ConfigFiles {
  const [flag, log] =
    valueOf(flags, CONFIG_FLAG) !== undefined
      ? [BIN_FLAG, "plugin binary directory  did not exist"]
      : [CONFIG_FLAG, valueOf(flags, BIN_FLAG) && "credential provider config path is empty"];
  return {
    paths: configuredPaths(node),
    isRead: notRead(`the kubelet flag --${flag} is not set${where}`, log),
  };
}

/**
 * With only one of the two flags the kubelet does not start, with neither it runs no plugin; an empty flag is not set.
 *
 * Source: kubernetes:pkg/credentialprovider/plugin, `RegisterCredentialProviderPlugins`.
 */
function flaggedFiles(node: NodeFact, flags: KubeletFlags, cluster: ClusterFacts): ConfigFiles {
  const named = valueOf(flags, CONFIG_FLAG);
  if (named === undefined) return withoutFlag(node, flags);
  const path = cleanPath(named);
  const uncertain = pathDoubt(named, node);
  if (uncertain !== undefined) return { paths: configuredPaths(node), isRead: unread(uncertain) };
  const version = kubeletVersion(cluster);
  const early = version !== undefined && compareVersions(version, DIRECTORY_SINCE) < 0;
  const unreadable = `unable to read external registry credential provider configuration from "${named}"`;
  const log = early ? unreadable : `unable to access path "${named}"`;
  const flag = `the kubelet flag --${CONFIG_FLAG} names`;
  const inside = [...node.files.keys()].filter(
    (file) => posix.dirname(file) === path && CONFIG_FILE.test(file),
  );
  const paths = node.files.has(path) ? [path] : inside.sort();
  if (paths.length === 0) {
    const elsewhere = configuredPaths(node);
    const words = `${flag} ${named}, which is not among the files that were read`;
    // If no file that was read looks like a configuration, something else may put the file on the nodes.
    return { paths: elsewhere, isRead: elsewhere.length === 0 ? unread(words) : notRead(words, log) };
  }
  if (valueOf(flags, BIN_FLAG) === undefined) return { ...withoutFlag(node, flags), paths };
  if (node.files.has(path) || !early) return { paths, isRead: READ };
  const reason = `${flag} the directory ${named}, but kubelet ${version} reads only a single file`;
  return { paths, isRead: notRead(reason, unreadable) };
}

/** Paths of files that look like a configuration, or may be one. */
function configuredPaths({ files }: NodeFact): readonly string[] {
  return [...files]
    .filter(([, { content }]) => mayHold(content, "CredentialProviderConfig"))
    .map(([path]) => path)
    .sort();
}
