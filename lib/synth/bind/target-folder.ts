/*
 * Writes a set of files into a folder, all or none. Everything is staged inside the folder (the same file system),
 * old files included, then moved into place; a move that fails is undone together with all moves before it.
 */

import { isRecord } from "../../model/record";
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  rmdirSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { fail, isWorkloadIdentityError } from "../../errors";
import { errorCode } from "../../artefact/synth-folder";
import { makeFolders } from "./make-folders";
import { type FileSet, targetPlan } from "./target-plan";

const STAGE = ".workload-identity-stage-";

/** What was done. */
export interface WrittenFiles {
  /** Every path of the sets, below the folder, sorted; those that already had these bytes included. */
  readonly files: readonly string[];
  /** Paths that an earlier run wrote from the same sources and that they no longer have; sorted. */
  readonly removed: readonly string[];
}

/** One file's way: its staged new text (none: it goes) and its staged old text (none: there was none). */
interface Change {
  readonly target: string;
  readonly fresh: string | undefined;
  readonly old: string | undefined;
}

/**
 * Makes the folder hold exactly these files of these sources; files of other sources and of others stay.
 *
 * One that already has the bytes is not touched. Throws `bind-target-taken` for a file of another source, or of nobody,
 * that would be replaced, and `bind-target-unwritable`; then the folder is as it was.
 */
export function writeTargetFolder(folder: string, sets: readonly FileSet[]): WrittenFiles {
  const refuse = (reason: string): never => fail("bind-target-unwritable", folder, reason);
  const made: string[] = [];
  try {
    const { files, removed, texts } = targetPlan(folder, sets, refuse);
    if (texts.length + removed.length > 0) {
      for (const [name] of texts) makeFolders(dirname(join(folder, name)), made, refuse);
      const stage = mkdtempSync(join(folder, STAGE));
      made.push(stage);
      applyAll(stagedChanges(stage, folder, texts, removed));
      rmSync(stage, { recursive: true });
      for (const name of removed) removeEmptyFolders(folder, dirname(name));
    }
    return { files, removed };
  } catch (error) {
    for (const path of made.reverse()) rmSync(path, { recursive: true, force: true });
    if (isWorkloadIdentityError(error)) throw error;
    return refuse(reasonOf(error));
  }
}

/** `EACCES at <path>` and the like. */
function reasonOf(error: unknown): string {
  const path = isRecord(error) ? (error["dest"] ?? error["path"]) : undefined;
  return typeof path === "string" ? `${errorCode(error)} at ${path}` : errorCode(error);
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
