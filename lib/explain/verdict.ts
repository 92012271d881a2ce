/** The answer to "will it work": `unknown` where a link cannot be told and none is broken. */
export type Verdict = "allowed" | "denied" | "unknown";

const ORDER: readonly Verdict[] = ["denied", "unknown", "allowed"];

/** Below zero where the first verdict is worse. */
export function compareVerdicts(one: Verdict, other: Verdict): number {
  return ORDER.indexOf(one) - ORDER.indexOf(other);
}
