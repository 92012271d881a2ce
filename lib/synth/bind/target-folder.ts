/* Writes a set of files into a folder, all or none, also where it is killed: then the next run undoes what it did. */

import { isHalfBound } from "../../artefact/bind-stage";
import { errorCode } from "../../artefact/synth-folder";
import { fail, isWorkloadIdentityError } from "../../errors";
import { isRecord } from "../../model/record";
import { makeFolders, removeEmpty } from "./make-folders";
import { type Change, changeAll, undoInterrupted } from "./target-journal";
import { whileLocked } from "./target-lock";
import { type FileSet, targetPlan } from "./target-plan";

/** What was done. */
export interface WrittenFiles {
  /** Every path of the sets, below the folder, sorted; those that already had these bytes included. */
  readonly files: readonly string[];
  /** Paths that an earlier run wrote from the same sources and that they no longer have; sorted. */
  readonly removed: readonly string[];
  /** Paths whose change by a run that was killed was undone first. */
  readonly undone: readonly string[];
}

/**
 * Makes the folder hold exactly these files of these sources; files of other sources and of others stay.
 *
 * One that already has the bytes is not touched.
 */
export function writeTargetFolder(folder: string, sets: readonly FileSet[]): WrittenFiles {
  const refuse = (reason: string): never =>
    fail("bind-unsupported", {
      problem: `folder cannot be written (${reason}); ${isHalfBound(folder) ? "it holds changes of a bind that has not ended" : "nothing in it was changed"}`,
      value: folder,
      allowed: "a folder without symbolic links in it, or a path where one can be made",
      remedy: `check permissions, free space and whether a part of the path is a file or a link${isHalfBound(folder) ? ", and run bind again: it undoes those changes first" : ""}`,
    });
  const made: string[] = [];
  try {
    makeFolders(folder, made, refuse);
    return whileLocked(folder, refuse, () => {
      const undone = undoInterrupted(folder, refuse);
      const { files, removed, texts } = targetPlan(folder, sets, refuse);
      const changes: readonly Change[] = [...texts, ...removed.map((name): Change => [name, undefined])];
      if (changes.length > 0) changeAll(folder, changes, refuse);
      return { files, removed, undone };
    });
  } catch (error) {
    removeEmpty(made);
    if (isWorkloadIdentityError(error)) throw error;
    return refuse(reasonOf(error));
  }
}

/** `EACCES at <path>` and the like. */
function reasonOf(error: unknown): string {
  const path = isRecord(error) ? (error["dest"] ?? error["path"]) : undefined;
  return typeof path === "string" ? `${errorCode(error)} at ${path}` : errorCode(error);
}
