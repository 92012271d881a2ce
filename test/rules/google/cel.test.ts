import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { celString } from "../../../lib/rules/google/cel";
import { evaluateCel } from "../../../lib/rules/google/cel-evaluation";
import { takenCharacters } from "../../support/characters";

const readBack = (literal: string): unknown => {
  const answer = evaluateCel(literal, {});
  return answer.kind === "value" ? answer.value : answer;
};

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
        expect(readBack(literal)).toBe(text);
        expect(literal).not.toMatch(/[$%]\{/);
        expect(literal).not.toMatch(/[\r\n]/);
      }),
    );
  });
});
