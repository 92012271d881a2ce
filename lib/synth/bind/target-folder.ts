/* Writes a set of files to a folder, all or none. If it is killed, the next run undoes its changes. */

import { isHalfBound } from "../../artefact/bind-stage";
import { type StackFolder, errorCode } from "../../artefact/synth-folder";
import {
  type FileOwner,
  WRITTEN_FILES_LIST,
  type WrittenFile,
  mayReplace,
  ownerKey,
  readWrittenFiles,
  writtenFilesText,
} from "../../artefact/written-files-list";
import { fail, isWorkloadIdentityError } from "../../errors";
import { isRecord } from "../../model/record";
import { makeFolders, missingFolders, removeEmpty } from "./make-folders";
import { type Change, changeAll, refuseLinks, undoInterrupted } from "./target-journal";
import { whileLocked } from "./target-lock";
import { existsSync, readFileSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";

/** The result of `bind`. */
export interface WrittenFiles {
  /** All finished files by path below the folder, sorted, including those that already had these bytes. */
  readonly files: readonly string[];
  /**
   * The files that were written because they were missing or had other bytes, including `.workload-identity-files`;
   * sorted. Other files were not touched.
   */
  readonly changed: readonly string[];
  /** Files that an earlier run wrote from the same sources and that are no longer produced; sorted. */
  readonly removed: readonly string[];
  /** Files that were first restored because an earlier run was killed. */
  readonly undone: readonly string[];
}

/**
 * Makes the folder hold exactly these files of these sources; all other files stay.
 *
 * A file that already has the right bytes is not touched.
 */
export function writeTargetFolder(folder: string, sets: readonly FileSet[]): WrittenFiles {
  const refuse = refusalOf(folder);
  const createdFolders: string[] = [];
  try {
    makeFolders(folder, createdFolders, refuse);
    return whileLocked(folder, refuse, () => {
      const undone = undoInterrupted(folder, refuse);
      const plan = targetPlan(folder, sets, refuse);
      const changes: readonly Change[] = [
        ...plan.texts,
        ...plan.removed.map((name): Change => [name, undefined]),
      ];
      if (changes.length > 0) changeAll(folder, changes, refuse);
      return outcome(plan, undone);
    });
  } catch (error) {
    removeEmpty(createdFolders);
    if (isWorkloadIdentityError(error)) throw error;
    return refuse(reasonOf(error));
  }
}

/** Returns what {@link writeTargetFolder} would do, and writes nothing. */
export function compareTargetFolder(folder: string, sets: readonly FileSet[]): WrittenFiles {
  const refuse = refusalOf(folder);
  if (isHalfBound(folder)) return refuse("its files cannot be compared");
  missingFolders(folder, refuse);
  return outcome(targetPlan(folder, sets, refuse), []);
}

function outcome({ files, removed, texts }: TargetPlan, undone: readonly string[]): WrittenFiles {
  return { files, changed: texts.map(([name]) => name).sort(), removed, undone };
}

function refusalOf(folder: string): (reason: string) => never {
  return (reason) =>
    fail("bind-unsupported", {
      problem: `folder cannot be written (${reason}); ${isHalfBound(folder) ? "it holds changes of a bind that has not ended" : "nothing in it was changed"}`,
      value: folder,
      allowed: "a folder without symbolic links in it, or a path where a folder can be created",
      remedy: `check permissions, free space and whether a part of the path is a file or a link${isHalfBound(folder) ? ", and run bind again: it undoes those changes first" : ""}`,
    });
}

/** For example `EACCES at <path>`. */
function reasonOf(error: unknown): string {
  const path = isRecord(error) ? (error["dest"] ?? error["path"]) : undefined;
  return typeof path === "string" ? `${errorCode(error)} at ${path}` : errorCode(error);
}

interface FileSet {
  /** The source: files that it wrote earlier and no longer has are removed. */
  readonly owner: FileOwner;
  /** Texts by path below the target folder, with `/`. */
  readonly files: ReadonlyMap<string, string>;
}

type TargetPlan = ReturnType<typeof targetPlan>;

function targetPlan(folder: string, sets: readonly FileSet[], refuse: (reason: string) => never) {
  const current = (name: string): string | undefined => {
    refuseLinks(folder, name, refuse);
    return textOf(join(folder, name), refuse);
  };
  const isMissing = ([name, text]: readonly [string, string]): boolean => current(name) !== text;
  const listed = readWrittenFiles(current(WRITTEN_FILES_LIST) ?? "").filter(([name]) =>
    existsSync(join(folder, name)),
  );
  const texts = sets.flatMap(({ files }) => [...files].filter(isMissing));
  const fresh = new Map(
    sets.flatMap(({ owner, files }) => [...files.keys()].map((name): WrittenFile => [name, owner])),
  );
  assertOwn(folder, texts, fresh, new Map(listed));

  const owners = new Set(sets.map(({ owner }) => ownerKey(owner)));
  const others = listed.filter(([name]) => !fresh.has(name));
  const kept = others.filter(([, owner]) => !owners.has(ownerKey(owner)));
  const removed = others.filter(([, owner]) => owners.has(ownerKey(owner))).map(([name]) => name);
  for (const name of removed) refuseLinks(folder, name, refuse);
  const list: readonly [string, string] = [WRITTEN_FILES_LIST, writtenFilesText([...kept, ...fresh])];
  return {
    files: [...fresh.keys()].sort(),
    removed: removed.sort(),
    texts: [...texts, ...[list].filter(isMissing)],
  };
}

function assertOwn(
  folder: string,
  texts: readonly (readonly [name: string, text: string])[],
  fresh: ReadonlyMap<string, FileOwner>,
  listed: ReadonlyMap<string, FileOwner>,
): void {
  const isOwn = (name: string): boolean => {
    const [owner, earlier] = [fresh.get(name), listed.get(name)];
    return owner !== undefined && earlier !== undefined && mayReplace(owner, earlier);
  };
  const taken = texts
    .map(([name]) => name)
    .filter((name) => existsSync(join(folder, name)) && !isOwn(name))
    .sort();
  if (taken.length > 0)
    fail("bind-conflict", {
      problem: `bind would replace files in ${folder} that it did not write for the same stack`,
      value: taken,
      allowed: "files that .workload-identity-files in the folder lists for the stack, and free paths",
      remedy:
        "move them away or choose another folder; if an earlier bind wrote them, restore its .workload-identity-files in the folder",
    });
}

function textOf(path: string, refuse: (reason: string) => never): string | undefined {
  if (!existsSync(path)) return undefined;
  const stat = statSync(path);
  // The error for reading a folder does not name it, and reading a pipe never ends.
  if (stat.isDirectory()) refuse(`EISDIR: ${path} is a folder`);
  if (!stat.isFile()) refuse(`${path} is not a regular file`);
  return readFileSync(path, "utf8");
}

const STACKS_FOLDER = "stacks";
const APP_MANIFEST = "manifest.json";

/**
 * Finished files over their own source would leave nothing to bind the next time; next to it, the next synth or the
 * next reading of the folder would take them for its own.
 */
export function assertTargetOutside(
  to: string,
  stacks: readonly StackFolder[],
  folders: readonly string[],
): void {
  const target = realPath(to);
  const sources = [...folders.map(realPath), ...stacks.map(({ path }) => outputFolder(realPath(path)))];
  const replaced = stacks.some(({ path, identity }) =>
    isInside(join(target, identity.stack), realPath(path)),
  );
  if (replaced || sources.some((source) => isInside(target, source)))
    fail("bind-conflict", {
      problem: "finished files would be written among the files that they are made from",
      value: to,
      allowed: "a folder outside the synth output and outside the folder of manifests",
      remedy: "choose another folder",
    });
}

/** The synth output folder that holds a stack's folder; the stack's folder itself if it was copied out of one. */
function outputFolder(stack: string): string {
  const stacks = dirname(stack);
  const output = dirname(stacks);
  return basename(stacks) === STACKS_FOLDER && existsSync(join(output, APP_MANIFEST)) ? output : stack;
}

function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way === "" || !(way === ".." || way.startsWith(`..${sep}`) || resolve(way) === way);
}

/** The path without symbolic links, as far as it exists. */
function realPath(path: string): string {
  const full = resolve(path);
  try {
    return realpathSync(full);
  } catch {
    const parent = dirname(full);
    return parent === full ? full : join(realPath(parent), basename(full));
  }
}
