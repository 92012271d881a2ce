import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { extract, isExtractTemplate } from "../../../lib/rules/google/cel-extract";

describe("extract", () => {
  // Forms of the examples in cloud.google.com/iam/docs/conditions-attribute-reference, "extract()", on other texts.
  it.each([
    ["system:serviceaccount:shop:web", "system:serviceaccount:{namespace}:", "shop"],
    ["system:serviceaccount:shop:web", "system:serviceaccount:{rest}", "shop:web"],
    ["system:serviceaccount:shop:web", "{start}:shop", "system:serviceaccount"],
    ["system:serviceaccount:shop:web", "{all}", "system:serviceaccount:shop:web"],
    ["system:serviceaccount:shop:web", "account:{empty}shop", ""],
    ["system:serviceaccount:shop:web", "/{none}", ""],
    ["system:serviceaccount:shop:web", "shop:{none}:", ""],
    ["a/b/a/c", "a/{first}/", "b"],
    ["", "{all}", ""],
  ])("of %s by %s: %s", (text, template, expected) => {
    expect(extract(text, template)).toBe(expected);
  });

  it("finds what stands between two texts", () => {
    const word = fc.stringMatching(/^[a-z]{1,5}$/);
    fc.assert(
      fc.property(word, word, word, (before, value, after) => {
        expect(extract(`<${before}|${value}|${after}>`, `${before}|{value}|${after}`)).toBe(value);
      }),
    );
  });
});

describe("isExtractTemplate", () => {
  it.each([
    ["{a}", true],
    ["x/{role_name}/y", true],
    ["", false],
    ["x", false],
    ["{}", false],
    ["{1}", false],
    ["{a}{b}", false],
    ["{a}/{b}", false],
    ["{{a}}", false],
  ])("%s: %s", (template, expected) => {
    expect(isExtractTemplate(template)).toBe(expected);
  });
});
