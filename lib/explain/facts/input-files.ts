/*
 * Which files are read: the stacks of a synth output folder, or everything that looks like a manifest or Terraform
 * JSON below a folder.
 */

import { readdirSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { isHalfBound } from "../../artefact/bind-stage";
import { stackFolders } from "../../artefact/synth-folder";
import { WORKLOAD_IDENTITY_FILE } from "../../artefact/workload-identity-file";
import { WRITTEN_FILES_LIST } from "../../artefact/written-files-list";
import { fail } from "../../errors";
import { isThere, readable } from "./read-text";

/** A stack's folder. */
export interface StackInput {
  /** The folder. */
  readonly folder: string;
  /** The stack's name: that of the folder. */
  readonly name: string;
}

/** What was found below the given paths. */
export interface InputFiles {
  /** Stacks, sorted within each path. */
  readonly stacks: readonly StackInput[];
  /** Files outside of stacks, sorted within each path. */
  readonly files: readonly string[];
  /** What has the name of such a file and is none, such as a pipe, and links to folders. */
  readonly unread: readonly string[];
}

/** cdktf's name for a stack's configuration. */
export const STACK_FILE = "cdk.tf.json";

const READ = /\.(?:ya?ml|json)$/;
const LEFT_OUT: ReadonlySet<string> = new Set(["node_modules", ".git", ".terraform"]);

/** Throws `explain-path-missing`, `explain-bind-interrupted` or `explain-file-unreadable`. */
export function inputFiles(paths: readonly string[]): InputFiles {
  const found = paths.map((path) => {
    for (const folder of foldersAround(resolve(path))) refuseHalfBound(folder);
    const stat = readable(path, () => statSync(path, { throwIfNoEntry: false }));
    if (stat === undefined) return fail("explain-path-missing", path);
    if (stat.isDirectory()) return folderFiles(path);
    // A shell's wildcard names it with the files that `bind` wrote beside it.
    return { stacks: [], files: basename(path) === WRITTEN_FILES_LIST ? [] : [path], unread: [] };
  });
  return {
    stacks: found.flatMap(({ stacks }) => stacks),
    files: found.flatMap(({ files }) => files),
    unread: found.flatMap(({ unread }) => unread),
  };
}

/** The path and every folder that it is in. */
function foldersAround(path: string): readonly string[] {
  const outer = dirname(path);
  return outer === path ? [path] : [path, ...foldersAround(outer)];
}

function refuseHalfBound(folder: string): void {
  if (isHalfBound(folder)) fail("explain-bind-interrupted", folder);
}

function folderFiles(path: string): InputFiles {
  const isStack = [STACK_FILE, WORKLOAD_IDENTITY_FILE].some((name) => isThere(join(path, name)));
  const folders = isStack ? [path] : readable(path, () => stackFolders(path));
  if (folders.length > 0)
    return { stacks: folders.map((folder) => ({ folder, name: basename(folder) })), files: [], unread: [] };
  const unread: string[] = [];
  return { stacks: [], files: [...filesBelow(path, unread)], unread };
}

/** Whether a link leads to a folder; one that leads to nowhere, or round in a circle, does not. */
function isFolder(link: string): boolean {
  try {
    return statSync(link).isDirectory();
  } catch {
    return false;
  }
}

function* filesBelow(folder: string, unread: string[]): Generator<string> {
  const entries = readable(folder, () => readdirSync(folder, { withFileTypes: true }));
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isFile()) {
      if (READ.test(entry.name)) yield path;
    } else if (!entry.isDirectory()) {
      if (READ.test(entry.name) || isFolder(path)) unread.push(path);
    } else if (!LEFT_OUT.has(entry.name)) {
      refuseHalfBound(path);
      yield* filesBelow(path, unread);
    }
  }
}
