import type { CheckResult } from "./answer";
import type { CheckId } from "./check-ids";
import type { Origin } from "./checks/check";

/** The answer to "will it work": `unknown` where a link cannot be told and none is broken. */
export type Verdict = "allowed" | "denied" | "unknown";

/** The one question that every chain ends with. */
const LAST: CheckId = "repository-permitted";

/**
 * Folds the checks of one chain.
 *
 * Allowed only where every link passed, up to the last; a pull that would work another way is no success of the chain.
 * For an image that merely stands in a workload, such another way leaves the verdict open instead of denied.
 */
export function verdictOf(checks: readonly CheckResult[], origin: Origin): Verdict {
  const chain = checks.filter(({ id }) => id !== "otherwise");
  if (chain.some(({ status }) => status === "fail")) {
    const open = checks.some(({ id, status }) => id === "otherwise" && status === "unknown");
    return origin === "workload" && open ? "unknown" : "denied";
  }
  if (chain.some(({ status }) => status === "unknown")) return "unknown";
  return chain.some(({ id, status }) => id === LAST && status === "pass") ? "allowed" : "unknown";
}

const ORDER: readonly Verdict[] = ["denied", "unknown", "allowed"];

/** Below zero where the first verdict is worse. */
export function compareVerdicts(one: Verdict, other: Verdict): number {
  return ORDER.indexOf(one) - ORDER.indexOf(other);
}
