/*
 * The condition operators that can be judged without a clock or a network.
 * Source: "IAM JSON policy elements: Condition operators" in the IAM user guide. Numeric, date, IP address and
 * binary operators are left out: no key that they suit is known before the request.
 */

import { type Pattern, matchesPattern } from "../../wildcard";

/** How one value of the request is compared with one value of the policy. */
export interface Comparison {
  /** True when they agree; `undefined` where that cannot be told. */
  readonly agree: (policy: { text: string; pattern: string | Pattern }, value: string) => boolean | undefined;
  /** True for the `Not…` operators. */
  readonly negated: boolean;
  /** True where `*` and `?` in the policy's value are wildcards. */
  readonly wildcards: boolean;
}

/** An operator taken apart. */
export interface Operator {
  /** The quantifier over several values of the request; `undefined` for none. */
  readonly set: "ForAnyValue" | "ForAllValues" | undefined;
  /** The comparison; `undefined` for `Null`, which asks whether the key is absent. */
  readonly comparison: Comparison | undefined;
  /** True where an absent key satisfies the condition. */
  readonly ifExists: boolean;
}

type Agree = Comparison["agree"];

const equals: Agree = ({ text }, value) => text === value;
const equalsIgnoringCase: Agree = ({ text }, value) => text.toLowerCase() === value.toLowerCase();
const like: Agree = ({ pattern }, value) => matchesPattern(pattern, value);
const arn: Agree = ({ text }, value) => arnMatches(text, value);

/** ArnEquals and ArnLike behave the same, so do their negations. */
const COMPARISONS: Readonly<Record<string, Comparison>> = {
  StringEquals: { agree: equals, negated: false, wildcards: false },
  StringNotEquals: { agree: equals, negated: true, wildcards: false },
  StringEqualsIgnoreCase: { agree: equalsIgnoringCase, negated: false, wildcards: false },
  StringNotEqualsIgnoreCase: { agree: equalsIgnoringCase, negated: true, wildcards: false },
  StringLike: { agree: like, negated: false, wildcards: true },
  StringNotLike: { agree: like, negated: true, wildcards: true },
  Bool: { agree: equalsIgnoringCase, negated: false, wildcards: false },
  ArnEquals: { agree: arn, negated: false, wildcards: true },
  ArnLike: { agree: arn, negated: false, wildcards: true },
  ArnNotEquals: { agree: arn, negated: true, wildcards: true },
  ArnNotLike: { agree: arn, negated: true, wildcards: true },
};

const OPERATOR = /^(?:(ForAnyValue|ForAllValues):)?([A-Za-z]+?)(IfExists)?$/;

/** Takes an operator apart; `undefined` for one that cannot be judged. */
export function readOperator(operator: string): Operator | undefined {
  const [, set, name = "", ifExists] = OPERATOR.exec(operator) ?? [];
  if (operator === "Null") return { set: undefined, comparison: undefined, ifExists: false };
  const comparison = Object.hasOwn(COMPARISONS, name) ? COMPARISONS[name] : undefined;
  if (!comparison) return undefined;
  return { set: set as Operator["set"], comparison, ifExists: ifExists !== undefined };
}

const ARN_PARTS = 6;

/** Each of the six parts of an ARN is compared by itself, so that `*` does not reach over a colon into the next. */
export function arnMatches(pattern: string, value: string): boolean | undefined {
  const [wanted, given] = [arnParts(pattern), arnParts(value)];
  if (wanted.length !== ARN_PARTS || given.length !== ARN_PARTS) return pattern === value;
  const parts = wanted.map((part, index) => matchesPattern(part, given[index] ?? ""));
  if (parts.includes(false)) return false;
  return parts.includes(undefined) ? undefined : true;
}

function arnParts(arn: string): string[] {
  const parts = arn.split(":", ARN_PARTS - 1);
  const head = parts.join(":");
  return head.length < arn.length ? [...parts, arn.slice(head.length + 1)] : parts;
}
