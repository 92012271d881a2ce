/*
 * The condition operators that can be judged without a clock or a network.
 * Source: "IAM JSON policy elements: Condition operators" in the IAM user guide. Numeric, date, IP address and
 * binary operators are left out: no key that they suit is known before the request.
 */

import { type Known, type Ternary, and, is, match, same } from "../../../model/known";
import { type Pattern, matchesPattern, patternOf } from "../../wildcard";
import { type PolicyValue, lowered, ternary, valueMatches } from "./value";

export interface Comparison {
  readonly agree: (policy: PolicyValue, value: Known<string>) => Ternary;
  /** True for the `Not…` operators. */
  readonly negated: boolean;
  /** True where `*` and `?` in the policy's value are wildcards. */
  readonly wildcards: boolean;
}

export interface Operator {
  /** The quantifier over several values of the request; `undefined` for none. */
  readonly set: "ForAnyValue" | "ForAllValues" | undefined;
  /** The comparison; `undefined` for `Null`, which asks whether the key is absent. */
  readonly comparison: Comparison | undefined;
  /** True where an absent key satisfies the condition. */
  readonly ifExists: boolean;
}

type Agree = Comparison["agree"];

const equals: Agree = ({ text }, value) => same(text, value);
const equalsIgnoringCase: Agree = ({ text }, value) => same(lowered(text), lowered(value));
const like: Agree = (policy, value) =>
  match(
    value,
    (text) => valueMatches(policy, text),
    () => (policy.pattern === "*" || same(policy.text, value) === "yes" ? "yes" : "unknown"),
  );
const arn: Agree = (policy, value) =>
  match(
    value,
    (text) => arnMatches(policy, text),
    () => (same(policy.text, value) === "yes" ? "yes" : "unknown"),
  );

function comparison(agree: Agree, negated: boolean, wildcards: boolean): Comparison {
  return { agree, negated, wildcards };
}

/** ArnEquals and ArnLike behave the same, so do their negations. */
const COMPARISONS: Readonly<Record<string, Comparison>> = {
  StringEquals: comparison(equals, false, false),
  StringNotEquals: comparison(equals, true, false),
  StringEqualsIgnoreCase: comparison(equalsIgnoringCase, false, false),
  StringNotEqualsIgnoreCase: comparison(equalsIgnoringCase, true, false),
  StringLike: comparison(like, false, true),
  StringNotLike: comparison(like, true, true),
  Bool: comparison(equalsIgnoringCase, false, false),
  ArnEquals: comparison(arn, false, true),
  ArnLike: comparison(arn, false, true),
  ArnNotEquals: comparison(arn, true, true),
  ArnNotLike: comparison(arn, true, true),
};

const OPERATOR = /^(?:(ForAnyValue|ForAllValues):)?([A-Za-z]+?)(IfExists)?$/;

/** Takes an operator apart; `undefined` for one that cannot be judged. */
export function readOperator(operator: string): Operator | undefined {
  const [, set, name = "", ifExists] = OPERATOR.exec(operator) ?? [];
  if (operator === "Null") return { set: undefined, comparison: undefined, ifExists: false };
  const found = Object.hasOwn(COMPARISONS, name) ? COMPARISONS[name] : undefined;
  if (!found) return undefined;
  return { set: set as Operator["set"], comparison: found, ifExists: ifExists !== undefined };
}

/** Parts of an ARN; the last one may hold colons. */
export const ARN_PARTS = 6;
const COLON = ":".charCodeAt(0);

/** Each of the six parts of an ARN is compared by itself, so that `*` does not reach over a colon into the next. */
function arnMatches(policy: PolicyValue, value: string): Ternary {
  // What only apply tells may hold colons.
  if (policy.isLate) return valueMatches(policy, value);
  const wanted = arnPatterns(policy.pattern);
  const given = arnParts(value);
  if (wanted.length !== ARN_PARTS || given.length !== ARN_PARTS) return is(policy.text, value);
  return and(...wanted.map((part, place) => ternary(matchesPattern(part, given[place] ?? ""))));
}

/** The parts of an ARN, of which the last may hold colons. */
export function arnParts(arn: string): readonly string[] {
  const parts = arn.split(":", ARN_PARTS - 1);
  const length = parts.reduce((sum, part) => sum + part.length + 1, 0);
  return length <= arn.length ? [...parts, arn.slice(length)] : parts;
}

export function arnPatterns(pattern: string | Pattern): readonly Pattern[] {
  const units = typeof pattern === "string" ? patternOf(pattern) : pattern;
  const parts: Pattern[] = [];
  let from = 0;
  while (parts.length < ARN_PARTS - 1) {
    const to = units.indexOf(COLON, from);
    if (to < 0) break;
    parts.push(units.subarray(from, to));
    from = to + 1;
  }
  return [...parts, units.subarray(from)];
}
