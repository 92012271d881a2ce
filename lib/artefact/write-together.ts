import { mkdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fail } from "../errors";
import { errorCode } from "./synth-folder";

/** A file to write. */
export interface WrittenFile {
  /** Path below the folder, with `/`. */
  readonly path: string;
  /** Its text. */
  readonly text: string;
}

const STAGED = ".being-written";

/**
 * Writes the files below a folder and returns their paths. All are written beside their places first and moved there
 * last, so that no reader sees half a file, and none is replaced where another cannot be written.
 */
export function writeTogether(folder: string, files: readonly WrittenFile[]): readonly string[] {
  const targets = files.map(({ path, text }) => {
    const target = join(folder, path);
    return { target, staged: `${target}${STAGED}`, text };
  });
  const written: string[] = [];
  const folders: string[] = [];
  try {
    for (const { target } of targets) refuseFolder(target);
    for (const { staged, text } of targets) {
      const made = mkdirSync(dirname(staged), { recursive: true });
      if (made !== undefined) folders.push(made);
      written.push(staged);
      writeFileSync(staged, text);
    }
    for (const { staged, target } of targets) renameSync(staged, target);
  } catch (error) {
    for (const path of written) rmSync(path, { force: true });
    for (const path of folders) rmSync(path, { force: true, recursive: true });
    return fail("issuer-unsupported", {
      problem: `the documents cannot be written (${errorCode(error)}); nothing was`,
      value: folder,
      remedy: "give a folder in which files can be made, and remove what is in their places",
    });
  }
  return targets.map(({ target }) => target);
}

function refuseFolder(target: string): void {
  if (statSync(target, { throwIfNoEntry: false })?.isDirectory() === true)
    throw Object.assign(new Error(target), { code: "EISDIR" });
}
