/*
 * Texts for people, within the limits of Google Cloud's APIs. Late texts pass as they are: their length is not known.
 */

import { fail } from "../../errors";
import { isLate, literal } from "../../model/late";

export type TextSize = (text: string) => number;

export const characters: TextSize = (text) => [...text].length;

export const utf8Bytes: TextSize = (text) => Buffer.byteLength(text, "utf8");

const ELLIPSIS = "… ";
/** What a reason may have, in bytes of UTF-8, so that it fits into a description with something before it. */
const REASON_MAX = 200;

/** Returns a text of at most `max`, late or absent texts as they are. */
export function shortText(
  what: string,
  value: string | undefined,
  max: number,
  size: TextSize = characters,
): string | undefined {
  if (value === undefined || isLate(value) || size(value) <= max) return value;
  return fail("property-limit", {
    problem: `${what} is longer than ${max} characters`,
    value,
    allowed: `at most ${max} characters`,
    remedy: "choose a shorter name",
  });
}

/** A written reason for what is refused without one; `undefined` where there is none, or none but blanks. */
export function writtenReason(reason: unknown): string | undefined {
  const written = literal(reason, "reason of a role");
  if (typeof written !== "string" || written.trim() === "") return undefined;
  return shortText("reason of a role, in UTF-8,", written, REASON_MAX, utf8Bytes);
}

/** The beginning of a text, as much as fits into `max`. */
export function cutText(text: string, max: number, size: TextSize = characters): string {
  if (size(text) <= max) return text;
  let [room, cut] = [max, ""];
  for (const character of text) {
    room -= size(character);
    if (room < 0) return cut;
    cut += character;
  }
  return cut;
}

/** A description with a reason at its end, as two sentences; one of them where there is no other. */
export function withReason(description: string | undefined, reason: string | undefined): string | undefined {
  if (description === undefined || reason === undefined) return description ?? reason;
  const ended = !isLate(description) && /[.!?]$/.test(description);
  return `${description}${ended ? " " : ". "}${reason}`;
}

/** {@link withReason} within `max`: a literal description is cut where both do not fit, the reason never is. */
export function describedWith(
  description: string | undefined,
  reason: string | undefined,
  max: number,
  size: TextSize = characters,
): string | undefined {
  const whole = withReason(description, reason);
  if (whole === undefined || description === undefined || reason === undefined || isLate(description))
    return whole;
  if (size(whole) <= max) return whole;
  return `${cutText(description, max - size(ELLIPSIS) - size(reason), size)}${ELLIPSIS}${reason}`;
}

/** Several reasons, each once, as a text of at most `max` bytes of UTF-8. */
export function joinedReasons(reasons: readonly (string | undefined)[], max: number): string | undefined {
  const all = [...new Set(reasons)].reduce(withReason, undefined);
  return all === undefined ? undefined : cutText(all, max, utf8Bytes);
}
