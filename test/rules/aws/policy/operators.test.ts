/*
 * The condition operators, whole. Source: IAM user guide, "IAM JSON policy elements: Condition operators".
 */

import { describe, expect, it } from "vitest";
import { type Ternary, known } from "../../../../lib/model/known";
import { readOperator } from "../../../../lib/rules/aws/policy/conditions";

/** Whether `*` stands for any text, and whether letter case counts; operators whose negation has a name of its own. */
const PAIRS: readonly (readonly [
  operator: string,
  negation: string | undefined,
  wildcards: boolean,
  cased: boolean,
])[] = [
  ["StringEquals", "StringNotEquals", false, true],
  ["StringEqualsIgnoreCase", "StringNotEqualsIgnoreCase", false, false],
  ["StringLike", "StringNotLike", true, true],
  ["Bool", undefined, false, false],
  ["ArnEquals", "ArnNotEquals", true, true],
  ["ArnLike", "ArnNotLike", true, true],
];

const ARN = "arn:aws:iam::111122223333:role/Web";

/** Whether a value of the policy and one of the request agree, whatever the operator makes of it. */
function agree(operator: string, text: string, value: string): Ternary | undefined {
  const policy = { text: known(text), pattern: text, isLate: false };
  return readOperator(operator)?.comparison?.agree(policy, known(value));
}

describe("readOperator", () => {
  it.each(PAIRS)("%s and its negation %s", (operator, negation, wildcards, cased) => {
    for (const [name, negated] of [
      [operator, false],
      [negation, true],
    ] as const) {
      if (name === undefined) continue;
      expect(readOperator(name)).toMatchObject({
        set: undefined,
        ifExists: false,
        comparison: { negated, wildcards },
      });
      const yes = (holds: boolean): Ternary => (holds ? "yes" : "no");
      expect(agree(name, ARN, ARN)).toBe("yes");
      expect(agree(name, ARN, `${ARN}2`)).toBe("no");
      expect(agree(name, ARN, ARN.replace("Web", "web"))).toBe(yes(!cased));
      expect(agree(name, ARN.replace("Web", "W*"), ARN)).toBe(yes(wildcards));
      // A star of an ARN operator does not reach over a colon.
      expect(agree(name, "arn:*:role/Web", ARN)).toBe(yes(name.startsWith("String") && wildcards));
      for (const set of ["ForAnyValue", "ForAllValues"])
        expect(readOperator(`${set}:${name}IfExists`)).toMatchObject({ set, ifExists: true });
    }
  });

  it("Null compares nothing", () => {
    expect(readOperator("Null")).toEqual({ set: undefined, comparison: undefined, ifExists: false });
  });

  it("judges no other, in exactly this spelling", () => {
    const others = [
      ...["NumericEquals", "NumericLessThan", "DateGreaterThan", "BinaryEquals", "IpAddress", "NotIpAddress"],
      ...["BoolNot", "NotBool", "stringequals", "StringEqualsIfExist", "ForSomeValues:StringEquals"],
      ...["NullIfExists", "ForAnyValue:Null", "StringEquals ", "constructor", ""],
    ];
    expect(others.filter((operator) => readOperator(operator) !== undefined)).toEqual([]);
  });
});
