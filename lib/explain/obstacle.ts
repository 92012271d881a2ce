import type { Answer } from "./answer";

/**
 * What keeps something from holding of which every part must hold: the first part that certainly does not, wherever it
 * stands, else the first that cannot be determined; `undefined` where nothing does.
 */
export function obstacle(parts: readonly (Answer | undefined)[]): Answer | undefined {
  const broken = parts.find((part) => part?.status === "fail");
  return broken ?? parts.find((part) => part?.status === "unknown");
}
