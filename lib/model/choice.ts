import { fail } from "../errors";
import { literal } from "./late";

/** The two values of a switch, for {@link oneOf}. */
export const SWITCH: readonly boolean[] = [true, false];

/**
 * Returns the value when it is one of a closed set; throws `choice-unknown` or `late-value`.
 *
 * The compiler checks TypeScript callers alone. A caller without it must not get another meaning for `Mixed`, or for
 * the text `"false"`.
 */
export function oneOf<T>(what: string, value: T, known: readonly T[]): T {
  return known.includes(literal(value, what)) ? value : fail("choice-unknown", what, value, known);
}
