/** The answer to "will it work": `unknown` if a link cannot be determined and none is broken. */
export type Verdict = "allowed" | "denied" | "unknown";

/** The worst first. */
export const VERDICTS: readonly Verdict[] = ["denied", "unknown", "allowed"];

/** Below zero if the first verdict is worse. */
export function compareVerdicts(one: Verdict, other: Verdict): number {
  return VERDICTS.indexOf(one) - VERDICTS.indexOf(other);
}
