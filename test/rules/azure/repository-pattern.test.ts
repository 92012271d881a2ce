import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { joinPatterns, repositoryPatterns } from "../../../lib/rules/azure/registry";
import { refusal } from "../../support/refusal";

describe("repositoryPatterns", () => {
  it.each([
    ["nothing given", undefined, undefined],
    ["a star alone", ["shop/web", "*"], undefined],
    ["sorted, each once", ["shop/web", "base", "shop/web"], ["base", "shop/web"]],
    ["what a prefix covers is left out", ["team/a/web", "team/*", "team/a/*"], ["team/*"]],
    ["a prefix does not cover its own name", ["team", "team/*"], ["team", "team/*"]],
    ["a prefix ends at the slash", ["team/*", "team-b/x"], ["team-b/x", "team/*"]],
    ["hosts of other registries, as copies have them", ["docker.io/library/*"], ["docker.io/library/*"]],
    ["a host's name that is no host", ["azurecr.io/x"], ["azurecr.io/x"]],
    ["all separators", ["a.b_c__d-e--f/g"], ["a.b_c__d-e--f/g"]],
  ])("%s", (_, given, expected) => {
    expect(repositoryPatterns(given)).toEqual(expected);
  });

  it.each([
    ["team*", "a star other than"],
    ["*/web", "a star other than"],
    ["team/*/web", "a star other than"],
    ["**", "a star other than"],
    ["", "not a repository name"],
    ["/", "not a repository name"],
    ["Shop/web", "not a repository name"],
    ["shop/web:1.0", "not a repository name"],
    ["shop//web", "not a repository name"],
    ["shop/", "not a repository name"],
    ["it's", "not a repository name"],
    ["acmeshop.azurecr.io/models", "begins with the host of a registry"],
    ["acmeshop.azurecr.io/*", "begins with the host of a registry"],
    ["acmeshop.azurecr.us/models/*", "begins with the host of a registry"],
    ["acmeshop.eastus.geo.azurecr.io/models", "begins with the host of a registry"],
    ["acmeshop.azurecr.io", "begins with the host of a registry"],
    ["a".repeat(256), "longer than 255"],
  ])("refuses %s", (pattern, reason) => {
    expect(() => repositoryPatterns([pattern])).toThrowError(
      refusal(`azure-invalid: ${reason}`, { value: pattern }),
    );
  });

  it("refuses an empty list, which could mean none or all", () => {
    expect(() => repositoryPatterns([])).toThrowError(refusal("azure-invalid: repository "));
  });

  it("refuses a late repository", () => {
    expect(() => repositoryPatterns(["${TfToken[TOKEN.1]}"])).toThrowError(refusal("late-value"));
  });
});

/** What patterns cover: names, and prefixes that end in a star; everything where there is none. */
function coversRepository(patterns: readonly string[] | undefined, repository: string): boolean {
  return (patterns ?? ["*"]).some((each) =>
    each.endsWith("*") ? repository.startsWith(each.slice(0, -1)) : each === repository,
  );
}

const name = fc.stringMatching(/^[a-c]{1,2}(\/[a-c]{1,2}){0,2}$/);
const pattern = fc.tuple(name, fc.boolean()).map(([text, prefix]) => (prefix ? `${text}/*` : text));

describe("shortening and joining", () => {
  it("never changes what is covered", () => {
    const lists = fc.array(pattern, { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(lists, lists, name, (one, other, repository) => {
        const plain = (patterns: readonly string[]): boolean => coversRepository(patterns, repository);
        expect(coversRepository(repositoryPatterns(one), repository)).toBe(plain(one));
        const union = joinPatterns(repositoryPatterns(one), repositoryPatterns(other));
        expect(coversRepository(union, repository)).toBe(plain(one) || plain(other));
      }),
    );
  });

  it("joins anything with everything to everything", () => {
    expect(joinPatterns(["a"], undefined)).toBeUndefined();
    expect(joinPatterns(undefined, ["a"])).toBeUndefined();
  });
});
