import type { Answer } from "./answer";

/**
 * What keeps a whole from holding when every part must hold: the first part that is broken, wherever it is in the list,
 * or else the first that cannot be determined; `undefined` if all hold.
 */
export function obstacle(parts: readonly (Answer | undefined)[]): Answer | undefined {
  const broken = parts.find((part) => part?.status === "fail");
  return broken ?? parts.find((part) => part?.status === "unknown");
}
