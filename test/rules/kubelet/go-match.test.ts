import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { goMatch } from "../../../lib/rules/kubelet/go-match";

describe("goMatch", () => {
  // The pattern syntax in the documentation of Go's path/filepath.Match, and its edge cases.
  it.each([
    ["", "", true],
    ["abc", "abc", true],
    ["*", "", true],
    ["*", "a/b", false],
    ["a*/b", "ax/b", true],
    ["a*b", "a/b", false],
    ["*/", "ab/", true],
    ["*x", "ab/x", false],
    ["**", "a/", false],
    ["?", "a", true],
    ["?", "/", false],
    ["?", "\xc3\xa9", true],
    ["??", "\xc3\xa9", false],
    ["?", "\xc3", true],
    ["[a-c]x", "bx", true],
    ["[^a-c]x", "bx", false],
    ["[^a-c]x", "dx", true],
    ["*[0-9]", "a12", true],
    ["*[0-9]b*", "a1b2b", true],
    ["[\xc3\xa9]", "\xc3\xa9", true],
    ["[\\]]", "]", true],
    ["[\\-x]", "-", true],
    ["\\*", "*", true],
    ["a\\", "a", false],
    ["[", "a", false],
    ["[]a]", "]", false],
    ["[-x]", "x", false],
    ["[x-]", "x", false],
    ["[a-]b]", "a", false],
    ["[^]a]", "b", false],
    ["[^]", "b", false],
    ["[a", "a", false],
    ["[*]a*", "*ab", true],
    ["a]b", "a]b", true],
  ])("%j on %j: %j", (pattern, name, expected) => {
    expect(goMatch(pattern, name)).toBe(expected);
  });

  it("agrees with a regular expression where there are only stars", () => {
    const pattern = fc.stringMatching(/^[ab*]{0,12}$/);
    fc.assert(
      fc.property(pattern, fc.stringMatching(/^[ab/]{0,14}$/), (glob, name) => {
        const regular = new RegExp(`^${glob.replace(/\*+/g, "[^/]*")}$`);
        expect(goMatch(glob, name)).toBe(regular.test(name));
      }),
      { numRuns: 5000 },
    );
  });
});
