/*
 * Links that are judged one after the other, whatever the job.
 */

import { skipped } from "./chain";
import type { Check, CheckId, CheckResult } from "./checks/check";
import type { Verdict } from "./verdict";

/** The answers in order; after the first broken link nothing is reached. */
export function judged<Context>(checks: readonly Check<Context>[], context: Context): readonly CheckResult[] {
  let failed: CheckId | undefined;
  return checks.map(({ id, run }) => {
    if (failed !== undefined) return skipped(id, failed);
    const { status, reason, evidence, remedy, log } = run(context);
    if (status === "fail") failed = id;
    return { id, status, reason, evidence, remedy, ...(log === undefined ? {} : { log }) };
  });
}

/** Denied with a broken link, unknown with one that cannot be told; what there was nothing to judge of is skipped. */
export function chainVerdict(checks: readonly CheckResult[]): Verdict {
  if (checks.some(({ status }) => status === "fail")) return "denied";
  return checks.some(({ status }) => status === "unknown") ? "unknown" : "allowed";
}
