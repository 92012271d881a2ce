import { isRecord } from "../model/record";

/** What a text with placeholders must be once they are filled. */
export type FinishedRuleName = "certificate-authority" | "proxy" | "server";

/** A text that was not known at synth, with the rule that synth would have checked. */
export interface FinishedRule {
  /** The property that a refusal names: `server of spoke shop-1`. */
  readonly of: string;
  readonly rule: FinishedRuleName;
  readonly text: string;
}

const RULES: readonly unknown[] = ["certificate-authority", "proxy", "server"] satisfies FinishedRuleName[];

/** True for an entry that this version can check. */
export function isFinishedRule(entry: unknown): boolean {
  if (!isRecord(entry) || !RULES.includes(entry["rule"])) return false;
  return typeof entry["of"] === "string" && typeof entry["text"] === "string";
}
