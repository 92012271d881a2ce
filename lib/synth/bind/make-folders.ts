import { existsSync, mkdirSync, rmdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { errorCode } from "../../artefact/synth-folder";

/**
 * Makes a folder with its missing parents and adds each to `made`, even if a later one fails.
 *
 * It goes level by level because `mkdirSync` with `recursive` in Node 20 never returns if an existing folder answers
 * ENOENT, as `/proc` does. `refuse` gets the reason if a part of the path is a file.
 */
export function makeFolders(path: string, made: string[], refuse: (reason: string) => never): void {
  for (const folder of missingFolders(path, refuse)) {
    mkdirSync(folder);
    made.push(folder);
  }
}

/** The missing folders of a path, outer ones first; `refuse` gets the reason if a part is a file. */
export function missingFolders(path: string, refuse: (reason: string) => never): readonly string[] {
  const missing: string[] = [];
  let level = path;
  while (!existsSync(level) && dirname(level) !== level) {
    missing.push(level);
    level = dirname(level);
  }
  if (existsSync(level) && !statSync(level).isDirectory()) refuse(`ENOTDIR: ${level} is a file`);
  return missing.reverse();
}

/** Removes the empty ones of the folders; in the list outer ones come first. */
export function removeEmpty(folders: readonly string[]): void {
  for (const folder of [...folders].reverse())
    try {
      rmdirSync(folder);
    } catch (error) {
      if (!["ENOTEMPTY", "EEXIST", "ENOENT"].includes(errorCode(error))) throw error;
    }
}
