/*
 * Which characters a rule takes at one place of a text: compared whole, so that no range of a character class can be
 * lost unnoticed.
 */

export const DIGITS = "0123456789";
export const LOWER = "abcdefghijklmnopqrstuvwxyz";
export const UPPER = LOWER.toUpperCase();
export const LETTERS: string = UPPER + LOWER;

/** All of ASCII, and one of each kind of other character: a letter, a digit, a blank, a sign that folds to `k`. */
const ASKED: readonly string[] = [
  ...Array.from({ length: 128 }, (_, code) => String.fromCharCode(code)),
  ...["é", "\u0663", "\u00a0", "\u212a"],
];

/** The characters that are taken, in the order of their codes. */
export function takenCharacters(takes: (character: string) => boolean): string {
  return ASKED.filter(takes).join("");
}

/** The characters of a text in the order of their codes. */
export function sorted(characters: string): string {
  return [...characters].sort().join("");
}

/** True where the call throws nothing; for rules that refuse by an error. */
export function passes(run: () => unknown): boolean {
  try {
    run();
    return true;
  } catch {
    return false;
  }
}
