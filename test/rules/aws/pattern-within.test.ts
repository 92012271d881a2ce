import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { patternWithin, patternsMeet } from "../../../lib/rules/pattern-comparison";
import { matchesPattern } from "../../../lib/rules/wildcard";

const pattern = fc
  .array(fc.constantFrom("a", "b", "*", "?"), { maxLength: 6 })
  .map((signs) => signs.join(""));

describe("patternWithin", () => {
  it.each<[string, string, boolean]>([
    ["b/x", "b/*", true],
    ["b/x*", "b/*", true],
    ["b?", "b*", true],
    ["b*", "b?", false],
    ["b*", "b??*", false],
    ["*", "*", true],
    ["*", "?*", false],
    // True in fact; a refusal of what is rare does no harm.
    ["?*", "*?", false],
    ["", "*", true],
    ["b", "b?", false],
    ["a*b*c", "a*c", true],
  ])("%s within %s: %s", (narrow, wide, expected) => {
    expect(patternWithin(narrow, wide)).toBe(expected);
  });

  it("is never true where a text matches the narrow pattern alone", () => {
    const text = fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 8 }).map((signs) => signs.join(""));
    fc.assert(
      fc.property(pattern, pattern, text, (narrow, wide, given) => {
        if (matchesPattern(narrow, given) && !matchesPattern(wide, given))
          expect(patternWithin(narrow, wide)).toBe(false);
      }),
      { numRuns: 2000 },
    );
  });

  it("takes every pattern for within itself, and a literal where it matches", () => {
    fc.assert(
      fc.property(pattern, (one) => {
        expect(patternWithin(one, one)).toBe(true);
        const plain = one.replace(/[*?]/g, "a");
        expect(patternWithin(plain, one)).toBe(true);
      }),
    );
  });
});

describe("patternsMeet", () => {
  it.each<[string, string, boolean]>([
    ["b/*", "b/x", true],
    ["b/*", "c/*", false],
    ["a*", "*b", true],
    ["a?", "*b", true],
    ["a?", "a", false],
    ["a*c", "ab*", true],
    ["*a", "*b", false],
    ["*", "", true],
    ["?", "", false],
    ["**", "*", true],
  ])("%s and %s: %s", (one, other, expected) => {
    expect([patternsMeet(one, other), patternsMeet(other, one)]).toEqual([expected, expected]);
  });

  it("is never false where a text matches both", () => {
    const text = fc.array(fc.constantFrom("a", "b"), { maxLength: 8 }).map((signs) => signs.join(""));
    fc.assert(
      fc.property(pattern, pattern, text, (one, other, given) => {
        if (matchesPattern(one, given) && matchesPattern(other, given))
          expect(patternsMeet(one, other)).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });
});
