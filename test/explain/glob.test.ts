import fc from "fast-check";
import { expect, it } from "vitest";
import { globMatches } from "../../lib/explain/glob";

it.each([
  ["a/b", "a/b", true],
  ["a/b", "a/bc", false],
  ["a/*", "a/", true],
  ["a/*", "a/b/c", true],
  ["*", "", true],
  ["a*a", "a", false],
  ["*ab*ab*", "abab", true],
  ["*ab*ab*", "aba", false],
  ["a.c", "abc", false],
])("%s on %s: %s", (pattern, text, expected) => {
  expect(globMatches(pattern, text)).toBe(expected);
});

it("agrees with a regular expression", () => {
  const word = fc.string({ unit: fc.constantFrom("a", "b", "."), maxLength: 6 });
  const pattern = fc.string({ unit: fc.constantFrom("a", "b", ".", "*"), maxLength: 5 });
  fc.assert(
    fc.property(pattern, word, (glob, text) => {
      const expression = new RegExp(`^${glob.replaceAll(".", "\\.").replaceAll("*", ".*")}$`);
      expect(globMatches(glob, text)).toBe(expression.test(text));
    }),
  );
});
