import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { matchesPattern } from "../../lib/rules/wildcard";

/** The rule itself, slow and plain. */
function matches(pattern: string, text: string): boolean {
  if (pattern === "") return text === "";
  const [head, tail] = [pattern.charAt(0), pattern.slice(1)];
  if (head === "*") return matches(tail, text) || (text !== "" && matches(pattern, text.slice(1)));
  return text !== "" && (head === "?" || head === text.charAt(0)) && matches(tail, text.slice(1));
}

describe("matchesPattern", () => {
  it.each([
    ["", "", true],
    ["", "a", false],
    ["*", "", true],
    ["?", "", false],
    ["a?c", "abc", true],
    ["a*c", "ac", true],
    ["a*b*c", "aXbXbXc", true],
    ["a*a", "a", false],
    ["*ab", "aab", true],
    ["a.c", "abc", false],
    ["*:web", "system:serviceaccount:shop:web", true],
  ])("%j and %j: %s", (pattern, text, expected) => {
    expect(matchesPattern(pattern, text)).toBe(expected);
  });

  it("agrees with the plain rule", () => {
    const text = fc.array(fc.constantFrom("a", "b"), { maxLength: 12 }).map((units) => units.join(""));
    const pattern = fc
      .array(fc.constantFrom("a", "b", "*", "?"), { maxLength: 10 })
      .map((units) => units.join(""));
    fc.assert(
      fc.property(pattern, text, (p, t) => {
        expect(matchesPattern(p, t)).toBe(matches(p, t));
      }),
      { numRuns: 3000 },
    );
  });

  // The runner's own time limit is enough: what takes a megabyte squared takes hours.
  const MEGABYTE = 1_000_000;
  it.each([
    ["one long piece at the end", `*${"a".repeat(MEGABYTE)}b`, "a".repeat(MEGABYTE), false],
    ["one long piece inside", `*${"a".repeat(MEGABYTE / 2)}b*`, "a".repeat(MEGABYTE), false],
    ["many stars", "a*".repeat(MEGABYTE / 2), "a".repeat(MEGABYTE), true],
    ["many stars without end", `${"a*".repeat(MEGABYTE / 2)}b`, "a".repeat(MEGABYTE), false],
    ["only stars", "*".repeat(MEGABYTE), "a".repeat(MEGABYTE), true],
    [
      "question marks that would take for ever",
      `*?${"a".repeat(MEGABYTE / 2)}b*`,
      "a".repeat(MEGABYTE),
      undefined,
    ],
  ])("answers a megabyte: %s", (_, pattern, text, expected) => {
    expect(matchesPattern(pattern, text)).toBe(expected);
  });
});
