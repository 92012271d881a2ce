import { describe, expect, it } from "vitest";
import { cutText, describedWith, shortText, utf8Bytes } from "../../../lib/rules/google/text";
import { refusal } from "../../support/refusal";

const LATE = "${TfToken[TOKEN.1]}";

describe("shortText", () => {
  it("counts characters and lets absent and late texts pass", () => {
    expect(shortText("name", "ü".repeat(32), 32)).toHaveLength(32);
    expect(shortText("name", undefined, 1)).toBeUndefined();
    expect(shortText("name", LATE, 1)).toBe(LATE);
    expect(() => shortText("name", "ü".repeat(33), 32)).toThrowError(refusal("property-limit"));
  });

  it("counts bytes where the API does", () => {
    expect(() => shortText("name", "ü".repeat(32), 32, utf8Bytes)).toThrowError(refusal("property-limit"));
  });
});

describe("cutText", () => {
  it.each([
    ["abc", 3, "abc"],
    ["abcd", 3, "abc"],
    ["aüü", 4, "aü"],
    ["a😀", 4, "a"],
    ["ü", 0, ""],
  ])("cuts %s to %i bytes: %s", (text, max, cut) => expect(cutText(text, max, utf8Bytes)).toBe(cut));
});

describe("describedWith", () => {
  it.each([
    ["a", undefined, "a"],
    [undefined, "b", "b"],
    ["a", "b", "a. b"],
    ["a!", "b", "a! b"],
    ["abcdefgh", "12", "abcd… 12"],
    [LATE, "12345678", `${LATE}. 12345678`],
  ])("writes %s and %s as %s", (description, reason, whole) =>
    expect(describedWith(description, reason, 8)).toBe(whole),
  );
});
