/*
 * Texts for people, within the limits of Google Cloud's APIs. Late texts pass as they are: their length is not known.
 */

import { fail } from "../../errors";
import { isLate } from "../../model/late";

/** How an API measures a text. */
export type TextSize = (text: string) => number;

/** Number of characters, that is of Unicode code points. */
export const characters: TextSize = (text) => [...text].length;

/** Number of bytes in UTF-8. */
export const utf8Bytes: TextSize = (text) => Buffer.byteLength(text, "utf8");

const ELLIPSIS = "… ";

/** Returns a text of at most `max`, late or absent texts as they are; throws `name-too-long`. */
export function shortText(
  what: string,
  value: string | undefined,
  max: number,
  size: TextSize = characters,
): string | undefined {
  if (value === undefined || isLate(value) || size(value) <= max) return value;
  return fail("name-too-long", what, value, max);
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
