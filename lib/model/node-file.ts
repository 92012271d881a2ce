import { fail } from "../errors";
import { literal } from "./late";
import { type ObjectKind, checkGiven, list, number, object, optional, record, text } from "./shape";
import { nodeFileInvalid } from "./problems";

const CLEAN_PATH = /^(\/[^/\0]+)+$/;
const DOTS = /\/\.{1,2}(\/|$)/;
const MODE_MAX = 0o777;

/** A file on a node, with its content not yet encoded. */
export interface NodeFile {
  /** Absolute path on the node. */
  readonly path: string;
  /** Permission bits, for example `0o644`. Carriers convert them (Ignition needs decimal). */
  readonly mode: number;
  /** The text of the file; may have late values. */
  readonly content: string;
}

/** An executable that nodes download. */
export interface NodeExecutable {
  /** Absolute path on the node. */
  readonly path: string;
  /** URL of the download, `https://…`. */
  readonly url: string;
  /** SHA-256 of the file, 64 hexadecimal digits; nodes refuse any other file. */
  readonly sha256: string;
}

/** The kubelet's files and flags, independent of the carrier that brings them to a node. */
export interface NodeSetup {
  /** Files, sorted by path. */
  readonly files: readonly NodeFile[];
  /** Kubelet command line flags without leading dashes, for settings without a field in KubeletConfiguration. */
  readonly kubeletFlags: Readonly<Record<string, string>>;
  /**
   * Plugins that the nodes download.
   *
   * @defaultValue - the plugins are already on the nodes
   */
  readonly executables?: readonly NodeExecutable[];
}

/** True for an absolute path without empty, `.` or `..` segments and without a slash at its end. */
export function isCleanPath(path: string): boolean {
  return CLEAN_PATH.test(path) && !DOTS.test(path);
}

/**
 * Returns a node file after checking it.
 *
 * Rules: Ignition's validator (coreos/ignition, config/validate: absolute, already clean) and the narrower mode range
 * of the Machine Config Operator (no setuid, setgid or sticky bit).
 */
export function nodeFile(file: NodeFile): NodeFile {
  checkGiven("nodeFile()", NODE_FILE, file);
  const { path, mode } = file;
  literal(path, "path of a node file");
  if (!isCleanPath(path))
    return fail("node-invalid", nodeFileInvalid(path, "path is not absolute and clean"));
  if (!Number.isInteger(mode) || mode < 0 || mode > MODE_MAX) {
    return fail("node-invalid", nodeFileInvalid(path, `mode ${mode} is out of range`));
  }
  return file;
}

export const NODE_FILE: ObjectKind<NodeFile> = object({ path: text, mode: number, content: text });

export const NODE_EXECUTABLE: ObjectKind<NodeExecutable> = object({ path: text, url: text, sha256: text });

export const NODE_SETUP: ObjectKind<NodeSetup> = object({
  files: list(NODE_FILE),
  kubeletFlags: record(text),
  executables: optional(list(NODE_EXECUTABLE)),
});
