/*
 * The folder in a target folder in which `bind` keeps what it needs to undo its changes. It exists while `bind` runs,
 * and stays if `bind` is killed.
 */

import { existsSync } from "node:fs";
import { join } from "node:path";

/** Its name in the target folder. */
export const BIND_STAGE = ".workload-identity-bind";

/**
 * The file in it that says what `bind` is changing; it exists from before the first change until after the last. It has
 * no extension, so that no reader of manifests picks it up.
 */
export const BIND_JOURNAL = "journal";

/** Whether a target folder may hold a mixture of files from two runs of `bind`. */
export function isHalfBound(folder: string): boolean {
  return existsSync(join(folder, BIND_STAGE, BIND_JOURNAL));
}
