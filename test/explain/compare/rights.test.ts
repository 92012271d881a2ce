/* Rights compared as sets, against trying every short text. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { HeldRight } from "../../../lib/explain/cloud";
import { rightChanges } from "../../../lib/explain/compare/right-sets";
import { matchesPattern } from "../../../lib/rules/wildcard";
import { runsOf, sampleNote, sampleOf } from "../../support/sample";

function right(action: string, on: string, under = ""): HeldRight {
  return { text: `${action} on ${on} ${under}`, covers: { action, on, under }, source: undefined };
}

describe("rights", () => {
  it.each([
    ["the same", [right("a", "x")], [right("a", "x")], []],
    [
      "one that others cover together",
      [right("a", "x"), right("b", "x")],
      [right("a", "x"), right("b", "x"), right("?", "x")],
      ["widened"],
    ],
    ["one that a wildcard covers", [right("s3:*", "*")], [right("s3:*", "*"), right("s3:get", "b/*")], []],
    ["a wildcard that is widened", [right("s3:get", "b/*")], [right("s3:get*", "b/*")], ["widened"]],
    ["a right that goes", [right("a", "x"), right("b", "x")], [right("a", "x")], ["removed"]],
    ["a condition that goes", [right("a", "x", "c")], [right("a", "x")], ["widened"]],
    ["a condition that comes", [right("a", "x")], [right("a", "x", "c")], ["narrowed"]],
    ["another condition", [right("a", "x", "c")], [right("a", "x", "d")], ["added", "removed"]],
    [
      "words alone",
      [{ text: "a", source: undefined }],
      [{ text: "b", source: undefined }],
      ["added", "removed"],
    ],
    ["a limit", [], [{ text: "Deny a", limits: true, source: undefined }], ["incomparable"]],
  ] as const)("%s", (_, before, after, kinds) => {
    expect(rightChanges(before, after).map(({ kind }) => kind)).toEqual(kinds);
  });

  const many = (count: number, make: (index: number) => HeldRight): readonly HeldRight[] =>
    Array.from({ length: count }, (_, index) => make(index));

  const MANY = [
    [
      "thousands of plain rights",
      many(5_000, (i) => right(`s3:get${i}`, `b${i}/*`)),
      many(5_000, (i) => right(`s3:get${i}`, `b${i}/x`)),
      ["narrowed"],
    ],
    [
      "one with more parts than are compared",
      many(101, (i) => right(`s3:get${i}`, "*")),
      [right("s3:*", "b")],
      ["incomparable", "removed"],
    ],
    [
      "twenty wildcards, any of which may match with any other",
      many(20, (i) => right(`*a${i}*`, `*b${i}*`)),
      many(20, (i) => right(`*c${i}*`, `*d${i}*`)),
      ["incomparable"],
    ],
    [
      "thousands of wildcards that all overlap",
      many(3_000, (i) => right(`*a${i}*`, `*b${i}*`)),
      many(3_000, (i) => right(`*c${i}*`, `*d${i}*`)),
      ["incomparable"],
    ],
  ] as const;

  it.each(sampleOf(MANY, 3, ([what]) => what))(
    `%s${sampleNote(3)}`,
    { timeout: 120_000 },
    (_, before, after, kinds) => {
      expect([...new Set(rightChanges(before, after).map(({ kind }) => kind))].sort()).toEqual(kinds);
    },
  );

  it("agrees with trying every short text", () => {
    const pattern = fc.stringMatching(/^[ab*?]{1,3}$/);
    const rights = fc.array(fc.tuple(pattern, pattern), { maxLength: 3 });
    // Longer by one than a pattern without a star matches.
    const longer = (all: readonly string[]): readonly string[] =>
      all.flatMap((text) => ["a", "b", "c"].map((letter) => text + letter));
    const [one, two] = [longer([""]), longer(longer([""]))];
    const texts = [...one, ...two, ...longer(two), ...longer(longer(two))];
    const covers = (all: readonly (readonly [string, string])[], action: string, on: string): boolean =>
      all.some(
        ([what, where]) => matchesPattern(what, action) === true && matchesPattern(where, on) === true,
      );
    fc.assert(
      fc.property(rights, rights, (before, after) => {
        const [old, made] = [before, after].map((all) => all.map(([action, on]) => right(action, on)));
        const said = rightChanges(old ?? [], made ?? []);
        const gained = texts.some((action) =>
          texts.some((on) => covers(after, action, on) && !covers(before, action, on)),
        );
        expect(said.some(({ isNew }) => isNew)).toBe(gained);
        const lost = texts.some((action) =>
          texts.some((on) => covers(before, action, on) && !covers(after, action, on)),
        );
        expect(said.some(({ isNew }) => !isNew)).toBe(lost);
      }),
      { numRuns: runsOf(150, 3) },
    );
  });
});
