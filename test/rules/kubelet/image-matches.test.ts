import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { imageMatches } from "../../../lib/rules/kubelet/image-matches";

type Row = readonly [pattern: string, repository: string, expected: boolean | Record<string, boolean>];

const { cases } = JSON.parse(
  readFileSync(join(__dirname, "../../fixtures/kubelet/match-images.json"), "utf8"),
) as { cases: readonly Row[] };

describe("imageMatches", () => {
  it.each(cases)("answers as the kubelet does: %j on %j", (pattern, repository, expected) => {
    const newest = typeof expected === "boolean" ? expected : expected["1.36"];
    const older = typeof expected === "boolean" ? expected : expected["1.31"];
    expect(imageMatches(pattern, repository)).toBe(newest);
    expect(imageMatches(pattern, repository, { strictColons: false })).toBe(older);
  });

  it("has cases of both answers, and some that changed with Go 1.26", () => {
    expect(new Set(cases.map(([, , expected]) => expected)).size).toBeGreaterThan(2);
  });

  it.each([[Symbol("a")], [null], [1n], [{}]])("is false for %s, which is not a string", (value) => {
    expect(imageMatches(value as unknown as string, "a.io/x")).toBe(false);
    expect(imageMatches("a.io", value as unknown as string)).toBe(false);
  });

  it("never throws", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), (pattern, repository) => {
        expect(typeof imageMatches(pattern, repository)).toBe("boolean");
      }),
      { numRuns: 2000 },
    );
  });

  it("matches a host to itself, and to itself with any part replaced by a star", () => {
    const part = fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,5}[a-z0-9])?$/);
    const host = fc.array(part, { minLength: 2, maxLength: 5 });
    fc.assert(
      fc.property(host, fc.nat(), (parts, at) => {
        const pattern = parts.map((text, index) => (index === at % parts.length ? "*" : text)).join(".");
        expect(imageMatches(parts.join("."), `${parts.join(".")}/team/app`)).toBe(true);
        expect(imageMatches(pattern, `${parts.join(".")}/team/app`)).toBe(true);
        expect(imageMatches(`${pattern}.*`, `${parts.join(".")}/team/app`)).toBe(false);
      }),
    );
  });

  const many = 1 << 20;
  it.each([
    ["a long chunk that nearly matches", `*${"a".repeat(many / 2)}b*`, "a".repeat(many), false],
    ["a long last chunk", `*${"a".repeat(many / 2)}b`, "a".repeat(many), false],
    ["a star for each letter", "a*".repeat(many / 2), "a".repeat(many), true],
    ["a star for each part", "*.".repeat(many / 2), "a.".repeat(many / 2), true],
    ["an escape for each letter", `h/${"%41".repeat(many)}`, `h/${"A".repeat(many)}`, true],
    ["a zone without end", `[::1%25${"*a".repeat(many / 2)}]:1`, `[::1%25${"a".repeat(many)}]:1`, true],
  ])(
    "takes linear time for %s",
    (_, pattern, repository, expected) => expect(imageMatches(pattern, repository)).toBe(expected),
    // Quadratic work on a million characters takes hours.
    20_000,
  );
});

it("needs no options", () => {
  expect(imageMatches("a.io", "a.io/x", null as never)).toBe(true);
});
