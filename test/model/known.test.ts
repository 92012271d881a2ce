/*
 * What is known of values: comparisons are true of whatever the references turn out to be, and no value that is not
 * known can be taken for one that is.
 */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type Known,
  Reference,
  type TextParts,
  afterPrefix,
  all,
  and,
  is,
  joined,
  known,
  map,
  match,
  not,
  notKnown,
  or,
  orElse,
  same,
  shown,
  textOf,
  unread,
  withoutPrefix,
  withoutSuffix,
} from "../../lib/model/known";

const REFERENCES = [new Reference("a.b.c"), new Reference("d.e.f")];
const part = fc.oneof(fc.constantFrom(...REFERENCES), fc.stringMatching(/^[xy/]{0,3}$/));
const parts = fc.array(part, { maxLength: 4 });
const values = fc.array(fc.stringMatching(/^[xy/]{0,3}$/), { minLength: 2, maxLength: 2 });

/** The text with the references filled in. */
function filled(text: TextParts, given: readonly string[]): string {
  return text
    .map((each) => (typeof each === "string" ? each : (given[REFERENCES.indexOf(each)] ?? "")))
    .join("");
}

describe("comparing texts in part known", () => {
  it("says yes or no only where that is true whatever the references are", () => {
    fc.assert(
      fc.property(parts, parts, values, (one, other, given) => {
        const answer = same(textOf(one), textOf(other));
        const equal = filled(one, given) === filled(other, given);
        if (answer === "yes") expect(equal).toBe(true);
        if (answer === "no") expect(equal).toBe(false);
        expect(same(textOf(other), textOf(one))).toBe(answer);
      }),
      { numRuns: 3000, seed: 11 },
    );
  });
  it("is certain of what is the same, and of what holds no reference", () => {
    fc.assert(
      fc.property(parts, fc.string(), fc.string(), (one, a, b) => {
        expect(same(textOf(one), textOf([...one]))).toBe("yes");
        expect(same(known(a), known(b))).toBe(a === b ? "yes" : "no");
      }),
      { numRuns: 500, seed: 12 },
    );
  });
  it("knows what follows a beginning only where it certainly follows", () => {
    fc.assert(
      fc.property(parts, parts, values, (whole, start, given) => {
        const rest = afterPrefix(textOf(whole), textOf(start));
        if (rest === undefined) return;
        const partsOfRest = match(
          rest,
          (text): TextParts => [text],
          (why) => (why.kind === "apply" ? why.parts : []),
        );
        expect(filled(start, given) + filled(partsOfRest, given)).toBe(filled(whole, given));
      }),
      { numRuns: 3000, seed: 13 },
    );
  });
  it.each([
    ["not read, and itself", unread("gone"), unread("gone"), "unknown"],
    ["nothing and a text", known(undefined), known(""), "no"],
    [
      "nothing and what is known only after apply",
      known(undefined),
      textOf([new Reference("a.b.c")]),
      "unknown",
    ],
    ["a number and the same number", known(1), known(1), "yes"],
  ] as const)("%s: %#", (_why, one, other, expected) => {
    expect(same<string | number | undefined>(one as Known<string>, other as Known<string>)).toBe(expected);
  });
});

describe("prefixes and suffixes", () => {
  const [one] = REFERENCES;
  const late = textOf(one ? [one] : []);
  it("of literals are taken off, of references they make one value for all who ask", () => {
    expect(shown(withoutPrefix(known("https://a"), "https://"))).toBe("a");
    expect(shown(withoutPrefix(known("a"), "https://"))).toBe("a");
    expect(same(withoutPrefix(late, "https://"), withoutPrefix(late, "https://"))).toBe("yes");
    expect(same(withoutPrefix(late, "https://"), late)).toBe("unknown");
    expect(same(withoutPrefix(late, "https://"), withoutSuffix(late, "/"))).toBe("unknown");
    expect(shown(withoutPrefix(joined("https://", late), "https://"))).toBe("<a.b.c>");
    expect(shown(withoutSuffix(joined(late, "/"), "/"))).toBe("<a.b.c>");
    expect(
      match(
        withoutPrefix(joined("http", late), "https://"),
        () => "known",
        ({ kind }) => kind,
      ),
    ).toBe("unread");
  });
});

describe("using what is not known", () => {
  const gone = unread("gone");
  it("throws where it becomes text", () => {
    expect(() => String(gone)).toThrow("gone");
    expect(() => `${gone as unknown as string}`).toThrow("gone");
    expect(() => (gone as unknown as number) + 1).toThrow("gone");
    expect(() => JSON.stringify([gone])).toThrow("gone");
  });
  it("goes through functions as it is", () => {
    expect(
      orElse(
        map(gone, () => "value"),
        ({ kind }) => kind,
      ),
    ).toBe("unread");
    expect(orElse(all([known(1), gone]), ({ kind }) => kind)).toBe("unread");
    expect(orElse(all([known(1), known(2)]), () => [])).toEqual([1, 2]);
    expect(shown(notKnown({ kind: "contested", what: "two files disagree" }))).toBe(
      "<unknown: two files disagree>",
    );
    expect(is(gone as Known<string>, "")).toBe("unknown");
  });
});

describe("three-valued logic", () => {
  it.each([
    [["yes", "yes"], "yes", "yes"],
    [["yes", "unknown"], "unknown", "yes"],
    [["no", "unknown"], "no", "unknown"],
    [["no", "yes"], "no", "yes"],
    [[], "yes", "no"],
  ] as const)("%j: all %s, one %s", (answers, every, some) => {
    expect([and(...answers), or(...answers)]).toEqual([every, some]);
    expect(not(and(...answers))).toBe(or(...answers.map(not)));
  });
});
