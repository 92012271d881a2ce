import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compareBytes, goLower, quoted, runeAt, toBytes, goQuote } from "../../../lib/rules/kubelet/go-text";

describe("quoted", () => {
  // Go's strconv.Quote.
  it.each([
    ["plain", '"plain"'],
    ['"\\', '"\\"\\\\"'],
    ["\u0007\b\t\n\v\f\r", '"\\a\\b\\t\\n\\v\\f\\r"'],
    ["\u0000\u001b\u007f", '"\\x00\\x1b\\x7f"'],
    ["é 😀", '"é 😀"'],
    ["\u00a0\u2028\ufeff", '"\\u00a0\\u2028\\ufeff"'],
    ["\u{e0001}", '"\\U000e0001"'],
    ["\u{10ffff}", '"\\U0010ffff"'],
    ["\ud800", '"\ufffd"'],
  ])("%j", (text, expected) => {
    expect(quoted(text)).toBe(expected);
  });

  it("shows bytes that are no UTF-8", () => {
    expect(goQuote("a\xff\xc3(\xed\xa0\x80\xc0\xaf")).toBe('"a\\xff\\xc3(\\xed\\xa0\\x80\\xc0\\xaf"');
  });
});

it("decodes what it encodes", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", minLength: 1 }), (text) => {
      const code = text.codePointAt(0) ?? 0;
      expect(runeAt(toBytes(text), 0).code).toBe(code);
    }),
  );
});

it("orders by bytes, not by UTF-16 units", () => {
  expect(["\u{1f600}", "\uffee", "a", "é"].sort(compareBytes)).toEqual(["a", "é", "\uffee", "\u{1f600}"]);
});

it("lowers each code point on its own", () => {
  expect(goLower("\u0130\u212aÉ")).toBe("iké");
});
