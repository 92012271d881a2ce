import { mkdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fail } from "../errors";
import { errorCode } from "./synth-folder";

export interface WrittenFile {
  /** Path below the folder, with `/`. */
  readonly path: string;
  readonly text: string;
}

const STAGED = ".being-written";

/**
 * Writes the files below a folder and returns their paths. Writes all of them beside their targets first and then
 * renames them, so that no reader sees half a file, and none is replaced if another cannot be written.
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
      const firstFolder = mkdirSync(dirname(staged), { recursive: true });
      if (firstFolder !== undefined) folders.push(firstFolder);
      written.push(staged);
      writeFileSync(staged, text);
    }
    for (const { staged, target } of targets) renameSync(staged, target);
  } catch (error) {
    for (const path of written) rmSync(path, { force: true });
    for (const path of folders) rmSync(path, { force: true, recursive: true });
    return fail("issuer-unsupported", {
      problem: `the documents cannot be written (${errorCode(error)}); none was written`,
      value: folder,
      remedy: "give a writable folder, and remove folders that are in the place of files",
    });
  }
  return targets.map(({ target }) => target);
}

function refuseFolder(target: string): void {
  if (statSync(target, { throwIfNoEntry: false })?.isDirectory() === true)
    throw Object.assign(new Error(target), { code: "EISDIR" });
}
