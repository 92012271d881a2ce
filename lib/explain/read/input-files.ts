/*
 * Which files are read: the stacks of a synth output folder, or everything below a folder that looks like a manifest or
 * Terraform JSON. Other files are returned too, so that they can be listed.
 */

import { readdirSync, statSync } from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { isHalfBound } from "../../artefact/bind-stage";
import { stackFolders } from "../../artefact/synth-folder";
import { WORKLOAD_IDENTITY_FILE } from "../../artefact/workload-identity-file";
import { WRITTEN_FILES_LIST } from "../../artefact/written-files-list";
import { fail } from "../../errors";
import { grouped } from "../../model/grouped";
import { readable } from "./documents";
import type { SkippedDocument } from "./source";

export interface StackInput {
  readonly folder: string;
  readonly name: string;
  /** All YAML and JSON files below the folder. */
  readonly files: readonly string[];
}

/** What was found below the given paths. */
export interface InputFiles {
  readonly stacks: StackInput[];
  /** YAML and JSON files outside of stacks, sorted within each path. */
  readonly files: string[];
  /** Those of them that were not named themselves. */
  readonly found: ReadonlySet<string>;
  /** All other files, in stacks or not. */
  readonly others: string[];
  /** Links, pipes, devices and folders that are skipped. */
  readonly skipped: SkippedDocument[];
}

type Found = Omit<InputFiles, "found">;

/** The inputs that explain accepts, in words. */
export const EXPLAINED: string =
  "a synth output folder, the folder of one stack, a manifest, a folder of manifests, or Terraform JSON";
/** Name that cdktf gives a stack's configuration. */
export const STACK_FILE = "cdk.tf.json";

const READ = /\.(?:ya?ml|json|ign|bu|toml)$/;
const LEFT_OUT: ReadonlyMap<string, string> = new Map([
  ["node_modules", "installed packages are not read"],
  [".git", "the files of Git are not read"],
  [".terraform", "Terraform's working folder is not read"],
]);

/** Whether a file exists; throws if that cannot be determined. */
export function isThere(path: string): boolean {
  return readable(path, () => statSync(path, { throwIfNoEntry: false })) !== undefined;
}

export function namesIn(folder: string): readonly string[] {
  return readable(folder, () => readdirSync(folder)).sort();
}

export function inputFiles(paths: readonly string[]): InputFiles {
  const inputs = { stacks: [], files: [], others: [], skipped: [] } as Found;
  const named = new Set<string>();
  for (const path of paths) {
    for (const folder of foldersAround(resolve(path))) refuseHalfBound(folder);
    const stat = readable(path, () => statSync(path, { throwIfNoEntry: false }));
    if (stat === undefined)
      fail("explain-missing", {
        problem: "there is no such file or folder",
        value: path,
        allowed: EXPLAINED,
        remedy: "run `cdktf synth` first, or check the path",
      });
    else if (stat.isDirectory()) addFolder(path, inputs);
    // A shell's wildcard includes it among the files that `bind` wrote.
    else if (basename(path) !== WRITTEN_FILES_LIST) {
      inputs.files.push(path);
      named.add(path);
    }
  }
  const files = new Set(inputs.files);
  const found = new Set(inputs.files.filter((file) => !named.has(file)));
  // A file that is named explicitly is read.
  const skipped = inputs.skipped.filter(({ source }) => !files.has(source.file));
  return { ...inputs, found, skipped };
}

/** The path and every folder that it is in. */
function foldersAround(path: string): readonly string[] {
  const outer = dirname(path);
  return outer === path ? [path] : [path, ...foldersAround(outer)];
}

function refuseHalfBound(folder: string): void {
  if (isHalfBound(folder))
    fail("explain-mismatch", {
      problem:
        "the folder may hold a mixture of old and new files: a bind into it was interrupted or is still running",
      value: folder,
      allowed: "a folder in which bind has finished",
      remedy:
        "run the same bind again: it undoes the changes of the interrupted one, and then writes all files",
    });
}

function addFolder(path: string, collected: Found): void {
  const isStack = [STACK_FILE, WORKLOAD_IDENTITY_FILE].some((name) => isThere(join(path, name)));
  const folders = isStack ? [path] : readable(path, () => stackFolders(path));
  if (folders.length === 0) return walk(path, collected, collected.files);
  for (const folder of folders) {
    const files: string[] = [];
    walk(folder, collected, files);
    collected.stacks.push({ folder, name: basename(folder), files });
  }
  if (!isStack) walkBeside(path, folders, collected);
}

/** Collects what an output folder holds outside of its stacks. */
function walkBeside(path: string, folders: readonly string[], collected: Found): void {
  const stacks = join(path, "stacks");
  for (const folder of namesIn(stacks).map((name) => join(stacks, name)))
    if (!folders.includes(folder))
      skip(collected, folder, "manifest.json lists no stack in this folder: it is from an earlier synth");
  const beside: string[] = [];
  walk(path, collected, beside, stacks);
  for (const file of beside)
    if (relative(path, file) !== "manifest.json")
      skip(
        collected,
        file,
        "it is outside the stacks of a synth output folder, of which only the stacks are read",
      );
}

function walk(folder: string, collected: Found, files: string[], except?: string): void {
  refuseHalfBound(folder);
  const entries = readable(folder, () => readdirSync(folder, { withFileTypes: true }));
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    const left = entry.isDirectory() ? LEFT_OUT.get(entry.name) : undefined;
    if (path === except || entry.name === WRITTEN_FILES_LIST) continue;
    if (left !== undefined) skip(collected, path, left);
    else if (entry.isDirectory()) walk(path, collected, files);
    else if (entry.isFile()) (READ.test(entry.name) ? files : collected.others).push(path);
    else
      skip(
        collected,
        path,
        entry.isSymbolicLink()
          ? "a symbolic link, which is not followed; give explain its target instead"
          : "a pipe, socket or device, which is not read",
      );
  }
}

function skip({ skipped }: Found, file: string, reason: string): void {
  skipped.push({ source: { file, path: "" }, reason });
}

/** True for a path at or below one of the folders. */
export function isBelow(path: string, folders: readonly string[]): boolean {
  const full = resolve(path);
  return folders.some((folder) => full === folder || full.startsWith(join(folder, sep)));
}

/** Files that explain does not read, counted by folder. */
export function otherFiles(files: readonly string[]): readonly SkippedDocument[] {
  const byFolder = grouped(files, (file) => dirname(file));
  return [...byFolder].map(([folder, [path = "", ...more]]) => {
    const first = basename(path);
    const others = more.length === 1 ? "one more file" : `${more.length} more files`;
    const what = more.length === 0 ? `${first} is` : `${first} and ${others} are`;
    return { source: { file: folder, path: "" }, reason: `${what} neither YAML nor JSON` };
  });
}
