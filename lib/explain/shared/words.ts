import type { Answer } from "../answer";

/** What to do about a value known only after apply, also once it is bound in the manifests. */
export const ASK_AGAIN =
  "apply, and ask again with what `terraform show -json` prints given to explain as well";

const SHOWN = 4;

/** The first few names, and how many more there are. */
export function named(names: readonly string[]): string {
  const more = names.length - SHOWN;
  return names.slice(0, SHOWN).join(", ") + (more > 0 ? ` and ${more} more` : "");
}

/** What pods must have where none was read: nothing was judged, and nothing speaks against it. */
export function notSeen(need: string): Answer {
  return { status: "skipped", reason: `no pod of it was read; ${need}`, evidence: [], remedy: "" };
}

/** The answer with other words or more evidence. */
export function amended(answer: Answer, changes: Partial<Pick<Answer, "reason" | "evidence">>): Answer {
  const { status, reason, evidence, remedy, log } = answer;
  return { status, reason, evidence, remedy, ...(log === undefined ? {} : { log }), ...changes };
}
