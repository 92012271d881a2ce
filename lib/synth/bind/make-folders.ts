import { existsSync, mkdirSync, rmdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { errorCode } from "../../artefact/synth-folder";

/**
 * Makes a folder with its missing parents and adds each to `made`, also where a later one fails.
 *
 * Level by level: `mkdirSync` of Node 20 with `recursive` never returns where an existing folder answers ENOENT, as
 * `/proc` does. `refuse` gets the reason where a part of the path is a file.
 */
export function makeFolders(path: string, made: string[], refuse: (reason: string) => never): void {
  for (const folder of missingFolders(path, refuse)) {
    mkdirSync(folder);
    made.push(folder);
  }
}

/** The folders of a path that are not there, outer ones first; `refuse` gets the reason where a part is a file. */
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

/** Removes those of the folders that are empty; outer ones come first in the list. */
export function removeEmpty(folders: readonly string[]): void {
  for (const folder of [...folders].reverse())
    try {
      rmdirSync(folder);
    } catch (error) {
      if (!["ENOTEMPTY", "EEXIST", "ENOENT"].includes(errorCode(error))) throw error;
    }
}
