import { describe, expect, it } from "vitest";
import { knownBlocks, listed, switched, withoutDynamic } from "../../../lib/explain/facts/terraform-values";

const MADE = "${dynamic.block}";
const LATE = "${unread}";

// developer.hashicorp.com/terraform/language/syntax/json, "Expression Mapping".
it.each<[string, unknown, readonly string[]]>([
  ["absent", undefined, []],
  ["null", null, []],
  ["texts", ["a", "${var.b}"], ["a", "${var.b}"]],
  ["an expression where the list should be", "${var.a}", ["${var.a}"]],
  ["a text where the list should be, which Terraform refuses", "a", [LATE]],
  ["an element that is not known", [null, "a"], [LATE, "a"]],
  ["numbers and switches", [1, true], ["1", "true"]],
  ["an object", { a: 1 }, [LATE]],
])("listed: %s", (_, value, expected) => {
  expect(listed(value)).toEqual(expected);
});

it.each<[string, unknown, unknown]>([
  ["absent", undefined, []],
  ["one", { a: 1 }, [{ a: 1 }]],
  ["several", [{ a: 1 }, { a: 2 }], [{ a: 1 }, { a: 2 }]],
  ["an expression", "${var.a}", undefined],
  ["one that is not known among others", [{ a: 1 }, LATE], undefined],
])("knownBlocks: %s", (_, value, expected) => {
  expect(knownBlocks(value)).toEqual(expected);
});

it.each<[unknown, boolean | undefined]>([
  [undefined, false],
  [null, false],
  [true, true],
  ["true", true],
  ["false", false],
  ["${var.off}", undefined],
  [["true", "false"], undefined],
])("switched: %j is %s", (value, expected) => {
  expect(switched(value)).toBe(expected);
});

// developer.hashicorp.com/terraform/language/expressions/dynamic-blocks.
describe("withoutDynamic", () => {
  const made = { for_each: ["x"], content: {} };

  it.each<[string, object, object]>([
    ["a block", { a: 1, dynamic: { b: made } }, { a: 1, b: MADE }],
    ["beside a static one", { b: { c: 1 }, dynamic: { b: made } }, { b: MADE }],
    ["in lists", { dynamic: [{ b: [made] }, { c: [made] }] }, { b: MADE, c: MADE }],
    ["in a block", { s: [{ a: 1, dynamic: { b: made } }, { a: 2 }] }, { s: [{ a: 1, b: MADE }, { a: 2 }] }],
    ["in a block of a block", { r: { d: { dynamic: { e: made } } } }, { r: { d: { e: MADE } } }],
    ["a text of that name", { tags: { dynamic: "x" } }, { tags: { dynamic: "x" } }],
  ])("%s", (_, values, expected) => {
    expect(withoutDynamic({ ...values })).toEqual(expected);
  });

  it("gives what has none as it is", () => {
    const values = { a: [{ b: [1, { c: "d" }] }] };
    expect(withoutDynamic(values)).toBe(values);
  });
});
