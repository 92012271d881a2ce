/*
 * Folders of one test process. They are removed when it ends, however many tests failed.
 */

import { rmSync } from "node:fs";

const folders = new Set<string>();
let registered = false;

/** Removes the folder when the process ends, unless that happened before. */
export function removeAtExit(folder: string): void {
  folders.add(folder);
  if (registered) return;
  registered = true;
  process.once("exit", removeSynthesized);
}

/** Removes the folder now. */
export function forget(folder: string): void {
  folders.delete(folder);
  rmSync(folder, { recursive: true, force: true });
}

/** Removes the folders of all stacks that were synthesized so far; their handles can be used no more. */
export function removeSynthesized(): void {
  for (const folder of folders) forget(folder);
}
