import type { Answer } from "../answer";

/** What pods must have where none was read: nothing was judged, and nothing speaks against it. */
export function notSeen(need: string): Answer {
  return { status: "skipped", reason: `no pod of it was read; ${need}`, evidence: [], remedy: "" };
}
