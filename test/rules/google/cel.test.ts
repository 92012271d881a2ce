import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { celString, readCelString } from "../../../lib/rules/google/cel";
import { takenCharacters } from "../../support/characters";

describe("celString", () => {
  // Each literal was evaluated with cel-go v0.26.1 and gave the text on the left.
  it.each([
    ["shop", "'shop'"],
    ["it's", "'it\\'s'"],
    ["a\\b", "'a\\\\b'"],
    ['say "hi"', "'say \"hi\"'"],
    ["a\nb\tc\rd", "'a\\nb\\tc\\rd'"],
    ["\u0000\u007f", "'\\u0000\\u007f'"],
    ["${x}", "'\\u0024{x}'"],
    ["%{x}", "'\\u0025{x}'"],
    ["$$${", "'$$\\u0024{'"],
    ["100%", "'100%'"],
    ["ü😀", "'ü😀'"],
    ["", "''"],
  ])("%j becomes %s", (text, literal) => {
    expect(celString(text)).toBe(literal);
  });

  it("escapes backslash, quote and control characters, and nothing else of ASCII", () => {
    const escaped = takenCharacters((each) => celString(each) !== `'${each}'`);
    const controls = Array.from({ length: 32 }, (_, code) => String.fromCharCode(code)).join("");
    expect(escaped).toBe(`${controls}'\\\u007f`);
    expect([..."\n\r\t'\\"].map(celString)).toEqual(["'\\n'", "'\\r'", "'\\t'", "'\\''", "'\\\\'"]);
    expect(celString("\u001f")).toBe("'\\u001f'");
  });

  it("round-trips any text, and hides templates from Terraform", () => {
    const odd = fc.oneof(fc.string({ unit: "binary" }), fc.stringMatching(/^[\\'"${}%n]*$/));
    fc.assert(
      fc.property(odd, (text) => {
        const literal = celString(text);
        expect(readCelString(literal)).toBe(text);
        expect(literal).not.toMatch(/[$%]\{/);
        expect(literal).not.toMatch(/[\r\n]/);
      }),
    );
  });
});

describe("readCelString", () => {
  it.each([
    ['"a\'b"', "a'b"],
    ["'\\x41\\u0042'", "AB"],
  ])("reads %s", (literal, text) => {
    expect(readCelString(literal)).toBe(text);
  });

  // cel-spec, doc/langdef.md: the escapes of one character; `x` and `u` need digits behind them.
  it("knows these escapes, and no other", () => {
    const known = takenCharacters((each) => readCelString(`'\\${each}'`) !== undefined);
    expect(known).toBe("\"'?\\`abfnrtv");
    expect([...known].map((each) => readCelString(`'\\${each}'`))).toEqual([
      ...['"', "'", "?", "\\", "`"],
      ...["\u0007", "\u0008", "\u000c", "\u000a", "\u000d", "\u0009", "\u000b"],
    ]);
    const digits = "0123456789ABCDEFabcdef";
    expect(takenCharacters((each) => readCelString(`'\\x4${each}'`) !== undefined)).toBe(digits);
    expect(takenCharacters((each) => readCelString(`'\\u004${each}'`) !== undefined)).toBe(digits);
  });

  it.each([
    ["'a' + 'b'", "an expression"],
    ["'a", "no end"],
    ["'", "one quote"],
    ["'a\\'", "the end is escaped"],
    ["'a\\qb'", "unknown escape"],
    ["r'a'", "raw string"],
    ["'''a'''", "triple quotes"],
    ["'a\nb'", "line break"],
    ["abc", "no quotes"],
    ["", "empty"],
  ])("leaves %j alone: %s", (literal) => {
    expect(readCelString(literal)).toBeUndefined();
  });
});
