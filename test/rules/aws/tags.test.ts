import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { OBJECT_TAGS_MAX, type Tags, tagArguments } from "../../../lib/rules/aws/names";
import { code } from "../../support/refusal";

const many = (count: number): Tags =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`t${index}`, "x"]));

describe("tagArguments", () => {
  it("leaves no template marker for Terraform", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom("${", "%{", "x", "}"), { maxLength: 6 }), (parts) => {
        const text = parts.join("");
        const [written = ""] = Object.values(tagArguments({ k: text }) ?? {});
        expect(written.replace(/\$\$\{|%%\{/g, "")).not.toMatch(/[$%]\{/);
        expect(written.replaceAll("$${", "${").replaceAll("%%{", "%{")).toBe(text);
      }),
    );
  });

  it("takes as many as S3 and other services do, and late values", () => {
    expect(Object.keys(tagArguments(many(10), OBJECT_TAGS_MAX) ?? {})).toHaveLength(10);
    expect(Object.keys(tagArguments(many(50)) ?? {})).toHaveLength(50);
    expect(tagArguments({ k: "${TfToken[TOKEN.1]}" })).toEqual({ k: "${TfToken[TOKEN.1]}" });
    expect(tagArguments(undefined)).toBeUndefined();
  });

  it.each<[string, unknown, number?]>([
    ["51 tags", many(51)],
    ["11 tags of an object", many(11), OBJECT_TAGS_MAX],
    ["a key of AWS", { "aws:x": "y" }],
    ["an empty key", { "": "y" }],
    ["a long key", { ["k".repeat(129)]: "y" }],
    ["a long value", { k: "y".repeat(257) }],
    ["no value", { k: undefined }],
    ["a number", { k: 1 }],
  ])("refuses %s", (_, tags, max) => {
    expect(() => tagArguments(tags as Tags, max)).toThrowError(code("aws-invalid: tags"));
  });
});
