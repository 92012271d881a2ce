/*
 * Questions about all repositories that a pattern covers, against the answer that trying many names gives.
 */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type AskedName, AskedNames } from "../../lib/rules/asked-names";
import { matchesPattern, patternOf } from "../../lib/rules/wildcard";

/** Denied where nothing allows it or something denies it; never unknown. */
function policy(allow: readonly string[], deny: readonly string[], before = ""): (name: AskedName) => string {
  const any = (patterns: readonly string[], name: AskedName): boolean =>
    patterns.some((pattern) => name.matches(patternOf(pattern), before) === "yes");
  return (name) => (any(deny, name) ? "denied" : any(allow, name) ? "allowed" : "denied");
}

const bad = (said: string): number => (said === "denied" ? 1 : 0);

describe("all repositories of a pattern", () => {
  const rows: readonly (readonly [
    asked: string,
    allow: string[],
    deny: string[],
    said: string,
    example: string,
  ])[] = [
    ["base/*", ["base/*"], [], "allowed", "base/c"],
    ["base/*", ["*"], [], "allowed", "base/c"],
    ["base/*", ["base/a*"], [], "denied", "base/c"],
    ["base/*", ["base/*"], ["base/n*"], "denied", "base/n"],
    ["base/*", ["base/*"], ["base/a?b*"], "denied", "base/acb"],
    ["base/*", ["base/*"], ["other/*"], "allowed", "base/c"],
    ["base/*", ["base/a*", "base/b*"], [], "denied", "base/c"],
    ["base/a", ["base/*"], [], "allowed", "base/a"],
    // No repository's name ends in a slash or a hyphen, or has two dots in a row.
    ["base/*", ["base/*"], ["*/", "*-", "*..*"], "allowed", "base/c"],
    ["*", ["*"], ["*--*"], "denied", "a--a"],
    ["a*", ["a*"], ["a?????????"], "denied", "abbbbbbbbb"],
  ];
  it.each(rows)("%s where %j but not %j: %s", (asked, allow, deny, said, example) => {
    expect(AskedNames.covered(asked).worst(policy(allow, deny), bad)).toEqual({ said, example });
  });

  it("compares with the text before the name", () => {
    const before = "arn:aws:ecr:eu-west-1:1:repository/";
    const within = policy([`${before}base/*`], [], before);
    expect(AskedNames.covered("base/*").worst(within, bad)?.said).toBe("allowed");
    expect(AskedNames.covered("bas*").worst(within, bad)).toEqual({ said: "denied", example: "bas" });
  });

  it("says so where no name fits, and where too much would have to be tried", () => {
    expect(AskedNames.covered("Base/*").worst(policy(["*"], []), bad)).toBeUndefined();
    const many = Array.from({ length: 40 }, (_, place) => patternOf(`*${"?".repeat(place)}a*`));
    const judge = (name: AskedName): number =>
      many.some((each) => name.matches(each) === "unknown") ? 1 : 0;
    expect(AskedNames.covered("*").worst(judge, (said) => said)?.said ?? 1).toBe(1);
  });

  it("agrees with trying every short name", () => {
    const pattern = fc.stringMatching(/^[ab*?/]{1,5}$/);
    const names = shortNames(["a", "b", "/"], 6);
    fc.assert(
      fc.property(
        fc.stringMatching(/^[ab/]{0,2}\*[ab/*]{0,2}$/),
        fc.array(pattern, { maxLength: 3 }),
        fc.array(pattern, { maxLength: 3 }),
        (asked, allow, deny) => {
          const found = AskedNames.covered(asked).worst(policy(allow, deny), bad);
          const covered = names.filter((name) => matchesPattern(patternOf(asked), name) === true);
          const denied = covered.filter(
            (name) => AskedNames.one(name).worst(policy(allow, deny), bad)?.said === "denied",
          );
          if (found?.said === "allowed") expect(denied).toEqual([]);
          if (found?.said === "denied") {
            expect(AskedNames.one(found.example).worst(policy(allow, deny), bad)?.said).toBe("denied");
            expect(matchesPattern(patternOf(asked), found.example)).toBe(true);
          }
          if (found === undefined) expect(covered).toEqual([]);
        },
      ),
      { numRuns: 400, seed: 7 },
    );
  });
});

/** All repository names of these signs up to a length. */
function shortNames(signs: readonly string[], length: number): readonly string[] {
  let texts = [""];
  const all: string[] = [];
  for (let place = 0; place < length; place++) {
    texts = texts.flatMap((text) => signs.map((sign) => text + sign));
    all.push(...texts);
  }
  return all.filter((name) => /^[ab]+(?:\/[ab]+)*$/.test(name));
}
