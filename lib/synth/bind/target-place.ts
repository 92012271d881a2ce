import { existsSync, realpathSync } from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { fail } from "../../errors";
import type { StackFolder } from "../../artefact/synth-folder";

const STACKS_FOLDER = "stacks";
const APP_MANIFEST = "manifest.json";

/**
 * Finished files over their own source would leave nothing to bind the next time, and the next synth or the next
 * reading of the folder would take the others for its own.
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
      problem: "finished files would stand among the files they are made from",
      value: to,
      allowed: "a folder outside of the synth output and of the folder of manifests",
      remedy: "choose another folder",
    });
}

/** The synth output folder that a stack's folder stands in; that folder itself where it was taken out of one. */
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
