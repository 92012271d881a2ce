import { literal } from "../../model/late";
import { shortText, utf8Bytes } from "./short-text";

/** What a reason may have, in bytes of UTF-8, so that it fits into a description with something before it. */
export const REASON_MAX = 200;

/**
 * A written reason for what is refused without one; `undefined` where there is none, or none but blanks.
 *
 * Throws `name-too-long` or `late-value`.
 */
export function writtenReason(reason: unknown): string | undefined {
  const given = literal(reason, "reason of a role");
  if (typeof given !== "string" || given.trim() === "") return undefined;
  return shortText("reason of a role, in UTF-8,", given, REASON_MAX, utf8Bytes);
}
