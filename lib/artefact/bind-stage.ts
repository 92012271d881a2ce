/*
 * The folder in a target folder in which `bind` keeps what it needs to undo its changes. It is there while `bind` runs,
 * and after one that was killed.
 */

import { existsSync } from "node:fs";
import { join } from "node:path";

/** Its name in the target folder. */
export const BIND_STAGE = ".workload-identity-bind";

/**
 * The file in it that says what `bind` is changing: there from before the first change until after the last. Without
 * ending, so that no manifest reader takes it up.
 */
export const BIND_JOURNAL = "journal";

/** Whether files of a target folder may be a mixture of what two runs of `bind` wrote. */
export function isHalfBound(folder: string): boolean {
  return existsSync(join(folder, BIND_STAGE, BIND_JOURNAL));
}
