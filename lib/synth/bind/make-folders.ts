import { existsSync, mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Makes a folder with its missing parents and adds each to `made`, also where a later one fails.
 *
 * Level by level: `mkdirSync` of Node 20 with `recursive` never returns where an existing folder answers ENOENT, as
 * `/proc` does. `refuse` gets the reason where a part of the path is a file.
 */
export function makeFolders(path: string, made: string[], refuse: (reason: string) => never): void {
  const missing: string[] = [];
  let level = path;
  while (!existsSync(level) && dirname(level) !== level) {
    missing.push(level);
    level = dirname(level);
  }
  if (existsSync(level) && !statSync(level).isDirectory()) refuse(`ENOTDIR: ${level} is a file`);
  for (const folder of missing.reverse()) {
    mkdirSync(folder);
    made.push(folder);
  }
}
