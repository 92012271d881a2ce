import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { imageMatches, matchImagesOverlap } from "../../../lib/rules/kubelet/image-matches";
import { runsOf } from "../../support/sample";

describe("matchImagesOverlap", () => {
  it.each([
    ["quay.io", "quay.io", true],
    ["quay.io", "*.io", true],
    ["quay.io/team", "quay.io", true],
    ["quay.io/team/a", "quay.io/team/b", false],
    ["quay.io", "quay.io:443", false],
    ["*.example.com:5000", "registry.example.com:5000", true],
    ["*.example.com:5000", "registry.example.com", false],
    ["a.example.com", "example.com", false],
    ["eu-*.pkg.dev", "*-docker.pkg.dev", true],
    ["eu-*.pkg.dev", "us-*.pkg.dev", false],
    ["*-a.pkg.dev", "*-b.pkg.dev", false],
    ["a*.pkg.dev", "b*.pkg.dev", false],
    ["*a.pkg.dev", "*b.pkg.dev", false],
    ["https://quay.io", "quay.io", false],
    ["a*b*c.io", "axc.io", false],
    ["a*b*c.io", "axbyc.io", true],
    ["ab*ba.io", "aba.io", false],
  ])("%s and %s: %s", (a, b, expected) => {
    expect(matchImagesOverlap(a, b)).toBe(expected);
    expect(matchImagesOverlap(b, a)).toBe(expected);
  });

  // The rule that it is for: whenever one image is matched by both, they overlap.
  it("is true for two patterns that match one image", () => {
    const signs = fc.array(fc.constantFrom("", "*", "+*"), { minLength: 6, maxLength: 6 });
    const pattern = fc.tuple(signs, fc.nat(3));
    const host = fc.stringMatching(/^[ab]{1,3}\.[ab]{1,2}$/);
    fc.assert(
      fc.property(pattern, pattern, host, fc.stringMatching(/^[ab]{1,3}$/), (one, other, registry, path) => {
        const [a, b] = [one, other].map(([stars, length]) => {
          const prefix = path.slice(0, length);
          return withStars(registry, stars) + (prefix === "" ? "" : `/${prefix}`);
        }) as [string, string];
        expect([a, b].map((each) => imageMatches(each, `${registry}/${path}`))).toEqual([true, true]);
        expect(matchImagesOverlap(a, b)).toBe(true);
      }),
      { numRuns: runsOf(500, 5) },
    );
  });
});

/** The host with `*` in the place of a character, or behind it. */
function withStars(host: string, stars: readonly string[]): string {
  const characters = [...host].map((character, place) =>
    character === "." ? "." : (stars[place] ?? "").replace("+", character) || character,
  );
  return characters.join("");
}
