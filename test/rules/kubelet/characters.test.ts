/*
 * Character classes of the kubelet's grammars, whole: distribution/reference (regexp.go), apimachinery (IsQualifiedName),
 * and Go's net/url (validUserinfo).
 */

import { describe, expect, it } from "vitest";
import { toBytes } from "../../../lib/rules/kubelet/go-text";
import { parseSchemelessUrl } from "../../../lib/rules/kubelet/go-url";
import { lookupRepository } from "../../../lib/rules/kubelet/image-reference";
import { qualifiedNameProblems } from "../../../lib/rules/kubelet/qualified-name";
import { DIGITS, LETTERS, LOWER, passes, sorted, takenCharacters } from "../../support/characters";

const HEX = "ab".repeat(32);
const image = (text: string): boolean => passes(() => lookupRepository(text));
const HOST = "registry.example.com";

describe("image names", () => {
  it.each<[string, (each: string) => string, string]>([
    ["tag, first", (each) => `${HOST}/a:${each}a`, `${DIGITS}${LETTERS}_`],
    ["tag, later", (each) => `${HOST}/a:a${each}`, `${DIGITS}${LETTERS}_.-`],
    // `/` ends a part, `:` begins a tag; `@` begins a digest, which `a` is not.
    ["part, within", (each) => `${HOST}/a${each}a`, `${DIGITS}${LOWER}._-/:`],
    ["part, first", (each) => `${HOST}/${each}a`, `${DIGITS}${LOWER}`],
    ["part, last", (each) => `${HOST}/a${each}/b`, `${DIGITS}${LOWER}`],
    // With `_` the whole is a path, and the part before `/` is looked up as the host all the same.
    ["host, within", (each) => `a${each}a.example.com/b`, `${DIGITS}${LETTERS}.-_/`],
    ["host with a port, within", (each) => `a${each}a.example.com:5000/b`, `${DIGITS}${LETTERS}.-`],
    ["host, first", (each) => `${each}a.example.com/b`, `${DIGITS}${LETTERS}`],
    ["host, last", (each) => `${HOST}${each}/b`, `${DIGITS}${LETTERS}`],
    ["host, behind a dot", (each) => `a.${each}a.com/b`, `${DIGITS}${LETTERS}`],
    ["port", (each) => `${HOST}:${each}/b`, DIGITS],
  ])("%s", (_, name, expected) => {
    expect(takenCharacters((each) => image(name(each)))).toBe(sorted(expected));
  });

  /** What the kubelet says of a digest. */
  const refusal = (digest: string): string => {
    try {
      lookupRepository(`${HOST}/a:1@${digest}`);
      return "";
    } catch (error) {
      return String(error);
    }
  };

  // The grammar takes both cases; go-digest, which looks for an algorithm of the name, lower case alone.
  it.each<[string, (each: string) => string, string, string]>([
    ["algorithm, first", (each) => `${each}a:${HEX}`, LETTERS, LOWER],
    ["algorithm, later", (each) => `a${each}a:${HEX}`, `${DIGITS}${LETTERS}+._-`, `${DIGITS}${LOWER}+._-`],
    ["algorithm, behind a separator", (each) => `a+${each}a:${HEX}`, LETTERS, LOWER],
    [
      "encoded, of no registered algorithm",
      (each) => `a:${each}${HEX}`,
      `${DIGITS}abcdefABCDEF`,
      `${DIGITS}abcdefABCDEF`,
    ],
  ])("digest, %s", (_, digest, grammar, registered) => {
    const fits = (each: string): boolean =>
      !/invalid reference format|must be lowercase/.test(refusal(digest(each)));
    const looked = (each: string): boolean => refusal(digest(each)).includes("unsupported digest algorithm");
    expect(takenCharacters(fits)).toBe(sorted(grammar));
    expect(takenCharacters(looked)).toBe(sorted(registered));
  });

  it("digest, encoded: hexadecimal digits in lower case", () => {
    const taken = takenCharacters((each) => image(`${HOST}/a@sha256:${each}${"a".repeat(63)}`));
    expect(taken).toBe(sorted(`${DIGITS}abcdef`));
  });
});

describe("qualified names", () => {
  const key = (text: string): boolean => qualifiedNameProblems(text, "1.36").length === 0;

  it.each<[string, (each: string) => string, string]>([
    ["name, within", (each) => `a${each}a`, `${DIGITS}${LETTERS}-_./`],
    ["name, first", (each) => `${each}a`, `${DIGITS}${LETTERS}`],
    ["name, last", (each) => `a${each}`, `${DIGITS}${LETTERS}`],
    ["prefix, within", (each) => `a${each}a/b`, `${DIGITS}${LOWER}-.`],
    ["prefix, first", (each) => `${each}a/b`, `${DIGITS}${LOWER}`],
    ["prefix, last", (each) => `a${each}/b`, `${DIGITS}${LOWER}`],
    ["prefix, behind a dot", (each) => `a.${each}a/b`, `${DIGITS}${LOWER}`],
    ["prefix, before a dot", (each) => `a${each}.a/b`, `${DIGITS}${LOWER}`],
  ])("%s", (_, name, expected) => {
    expect(takenCharacters((each) => key(name(each)))).toBe(sorted(expected));
  });
});

it("userinfo of a URL", () => {
  const taken = takenCharacters(
    (each) => !("error" in parseSchemelessUrl(toBytes(`u${each}@host.example.com`))),
  );
  // `%` needs two digits behind it; `/`, `?` and `#` end the authority, and what is before is a host then.
  expect(taken).toBe(sorted(`${DIGITS}${LETTERS}-._~!$&'()*+,;=:@/?#`));
});
