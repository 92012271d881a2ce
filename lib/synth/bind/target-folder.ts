/*
 * Writes a set of files into a folder, all or none. Everything is staged inside the folder (the same file system),
 * old files included, then moved into place; a move that fails is undone together with all moves before it.
 */

import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  rmdirSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { fail } from "../../errors";
import { errorCode } from "../../artefact/synth-folder";

/** Lists what an earlier run wrote, one path a line; without ending, so that no manifest reader takes it up. */
export const WRITTEN_FILES_LIST = ".workload-identity-files";

const STAGE = ".workload-identity-stage-";

// A path that leaves the folder is never removed, whatever the list says.
const LISTED = /^(?:[^./\\][^/\\]*\/)*[^./\\][^/\\]*\.ya?ml$/;

/** What was done. */
export interface WrittenFiles {
  /** Every path of the set, below the folder, sorted; those that already had these bytes included. */
  readonly files: readonly string[];
  /** Paths of an earlier run that this set no longer has; sorted. */
  readonly removed: readonly string[];
}

/** One file's way: its staged new text (none: it goes) and its staged old text (none: there was none). */
interface Change {
  readonly target: string;
  readonly fresh: string | undefined;
  readonly old: string | undefined;
}

/**
 * Makes the folder hold exactly these files besides those that it never wrote.
 *
 * Paths are relative with `/`. A file of the same name is replaced, one that already has the bytes is not touched.
 * Throws `bind-target-unwritable`, and then the folder is as it was.
 */
export function writeTargetFolder(folder: string, files: ReadonlyMap<string, string>): WrittenFiles {
  const names = [...files.keys()].sort();
  const made: string[] = [];
  try {
    const removed = listedFiles(folder).filter((name) => !files.has(name));
    const list = names.map((name) => `${name}\n`).join("");
    const texts = [...files, [WRITTEN_FILES_LIST, list] as const].filter(
      ([name, text]) => currentText(join(folder, name)) !== text,
    );
    if (texts.length + removed.length > 0) {
      for (const [name] of texts) made.push(...madeFolder(dirname(join(folder, name))));
      const stage = mkdtempSync(join(folder, STAGE));
      made.push(stage);
      applyAll(stagedChanges(stage, folder, texts, removed));
      rmSync(stage, { recursive: true });
      for (const name of removed) removeEmptyFolders(folder, dirname(name));
    }
    return { files: names, removed };
  } catch (error) {
    for (const path of made.reverse()) rmSync(path, { recursive: true, force: true });
    return fail("bind-target-unwritable", folder, errorCode(error));
  }
}

/** Paths that an earlier run wrote and that still exist, sorted. */
function listedFiles(folder: string): readonly string[] {
  return (currentText(join(folder, WRITTEN_FILES_LIST)) ?? "")
    .split("\n")
    .filter((name) => LISTED.test(name) && existsSync(join(folder, name)))
    .sort();
}

function currentText(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, "utf8") : undefined;
}

/** Makes a folder with its parents; returns the topmost that did not exist before. */
function madeFolder(path: string): readonly string[] {
  const first = mkdirSync(path, { recursive: true });
  return first === undefined ? [] : [first];
}

function stagedChanges(
  stage: string,
  folder: string,
  texts: readonly (readonly [string, string])[],
  removed: readonly string[],
): readonly Change[] {
  const keepOld = (target: string, place: number): string | undefined => {
    if (!existsSync(target)) return undefined;
    const old = join(stage, `old-${place}`);
    copyFileSync(target, old);
    return old;
  };
  const written = texts.map(([name, text], place): Change => {
    const target = join(folder, name);
    const fresh = join(stage, `new-${place}`);
    writeFileSync(fresh, text);
    return { target, fresh, old: keepOld(target, place) };
  });
  const gone = removed.map((name, place): Change => {
    const target = join(folder, name);
    return { target, fresh: undefined, old: keepOld(target, texts.length + place) };
  });
  return [...written, ...gone];
}

function applyAll(changes: readonly Change[]): void {
  const done: Change[] = [];
  try {
    for (const change of changes) {
      if (change.fresh !== undefined) renameSync(change.fresh, change.target);
      else rmSync(change.target);
      done.push(change);
    }
  } catch (error) {
    for (const { target, old } of done.reverse()) {
      if (old !== undefined) renameSync(old, target);
      else rmSync(target);
    }
    throw error;
  }
}

/** Removes the folder and its parents as long as they are empty, never `root` itself. */
function removeEmptyFolders(root: string, path: string): void {
  for (let inner = path; inner !== "."; inner = dirname(inner)) {
    const folder = join(root, inner);
    if (!existsSync(folder) || readdirSync(folder).length > 0) return;
    rmdirSync(folder);
  }
}
