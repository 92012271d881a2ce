/*
 * Whether the conditions of a statement hold, and the values of their keys in a request. Numeric, date, IP address and
 * binary operators are not supported: no key that they suit is known before the request. Source: "Condition operators",
 * "Conditions with multiple context keys or values" and "Single-valued vs. multivalued context keys" in the IAM user
 * guide.
 */

import {
  type Known,
  match,
  isKnown,
  orElse,
  type Ternary,
  allOf,
  is,
  same,
  shown,
  whyText,
} from "../../../model/known";
import { type Pattern, matchesPattern, patternOf, hasWildcard } from "../../wildcard";
import type { Condition, Statement } from "./document";
import { type PolicyValue, lowered, ternary, valueMatches, policyValue } from "./value";
import { quoted, Match, YES, all, any, cannotTell, no, not } from "./match";
import { type ContextValue, type RequestContext, shownKey } from "./context";

interface Comparison {
  readonly agree: (policy: PolicyValue, value: Known<string>) => Ternary;
  /** True for the `Not…` operators. */
  readonly negated: boolean;
  /** True if `*` and `?` in the policy's value are wildcards. */
  readonly wildcards: boolean;
}

interface Operator {
  /** The quantifier over several values of the request; `undefined` for none. */
  readonly set: "ForAnyValue" | "ForAllValues" | undefined;
  /** The comparison; `undefined` for `Null`, which asks whether the key is absent. */
  readonly comparison: Comparison | undefined;
  /** True if an absent key satisfies the condition. */
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

/** Parses an operator; `undefined` if it cannot be judged. */
export function readOperator(operator: string): Operator | undefined {
  const [, set, name = "", ifExists] = OPERATOR.exec(operator) ?? [];
  if (operator === "Null") return { set: undefined, comparison: undefined, ifExists: false };
  const comparison = Object.hasOwn(COMPARISONS, name) ? COMPARISONS[name] : undefined;
  if (!comparison) return undefined;
  return { set: set as Operator["set"], comparison: comparison, ifExists: ifExists !== undefined };
}

/** Number of parts of an ARN; the last one may contain colons. */
export const ARN_PARTS = 6;
const COLON = ":".charCodeAt(0);

/** Compares each of the six parts of an ARN separately, so that `*` does not match beyond a colon. */
function arnMatches(policy: PolicyValue, value: string): Ternary {
  // A value known only after apply may contain colons.
  if (policy.isLate) return valueMatches(policy, value);
  const wanted = arnPatterns(policy.pattern);
  const parts = arnParts(value);
  if (wanted.length !== ARN_PARTS || parts.length !== ARN_PARTS) return is(policy.text, value);
  return allOf(wanted.map((part, place) => ternary(matchesPattern(part, parts[place] ?? ""))));
}

/** The parts of an ARN, of which the last may hold colons. */
export function arnParts(arn: string): readonly string[] {
  const parts = arn.split(":");
  const last = ARN_PARTS - 1;
  return parts.length <= last ? parts : [...parts.slice(0, last), parts.slice(last).join(":")];
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

export function conditionsHold(statement: Statement, context: RequestContext): Match {
  return match(
    statement.conditions,
    (conditions) =>
      all(
        conditions.map((each) =>
          context.presumes?.(each, statement) ? YES : conditionHolds(each, statement, context),
        ),
      ),
    (why) => cannotTell(() => `its conditions are not known: ${whyText(why)}`),
  );
}

/**
 * How many conditions of a statement certainly do not hold, of those that are assumed to hold as well, and whether one of
 * the others says who asks.
 */
export function conditionsMissed(
  statement: Statement,
  context: RequestContext,
): { readonly count: number; readonly isNamed: boolean } {
  const judged = orElse(statement.conditions, () => []).map((condition) => ({
    condition,
    holds: conditionHolds(condition, statement, context).holds,
  }));
  return {
    count: judged.filter(({ holds }) => holds === "no").length,
    isNamed: judged.some(({ condition, holds }) => holds === "yes" && context.identifies?.(condition.key)),
  };
}

function conditionHolds(condition: Condition, statement: Statement, context: RequestContext): Match {
  const { key, values } = condition;
  const operator = readOperator(condition.operator);
  if (!operator) return cannotTell(() => `operator ${quoted(condition.operator)} is not evaluated here`);
  const contextValue = context.lookup(key);
  if (!contextValue.known)
    return missesUnderAnyKey(condition, operator, statement, context) ?? cannotTell(contextValue.why);
  if (!operator.comparison) return nullHolds(condition, contextValue, context);
  if (contextValue.values.length === 0) return absentHolds(operator, contextValue, key);
  const { comparison, set } = operator;
  if (values.length === 0 && comparison.negated)
    return cannotTell(
      () => `${condition.operator} on ${shownKey(key)} has no values, which AWS does not define`,
    );
  const compared = { condition, comparison, variables: statement.variables, context };
  const each = contextValue.values.map((value) => valueHolds(compared, value));
  if (set === "ForAllValues") return all(each);
  if (set === "ForAnyValue") return any(each, () => each[0]?.reason ?? "no value agrees");
  return withoutQuantifier(each, key);
}

/** A condition on a key that is not known fails if none of its values can be that of any key. */
function missesUnderAnyKey(
  condition: Condition,
  { comparison, set, ifExists }: Operator,
  { variables }: Statement,
  context: RequestContext,
): Match | undefined {
  const { key, values } = condition;
  if (isKnown(key) || !comparison || comparison.negated || ifExists || set === "ForAllValues")
    return undefined;
  const outcomes = values.map((value) =>
    (context.onlyLike?.(value) ?? []).map((other) =>
      valueHolds({ condition: { ...condition, values: [value] }, comparison, variables, context }, other),
    ),
  );
  const isMissed = (all: readonly Match[]): boolean =>
    all.length > 0 && all.every(({ holds }) => holds === "no");
  return outcomes.every(isMissed) ? outcomes[0]?.[0] : undefined;
}

/** AWS does not define the comparison of several values without a quantifier, so only a unanimous result counts. */
function withoutQuantifier(each: readonly Match[], key: Known<string>): Match {
  const [first] = each;
  if (first && each.every(({ holds }) => holds === first.holds)) return first;
  return cannotTell(
    () =>
      `${shownKey(key)} has several values, and AWS defines their comparison only with ForAnyValue or ForAllValues`,
  );
}

function nullHolds(
  { key, values }: Condition,
  contextValue: ContextValue & { known: true },
  { bearer }: RequestContext,
): Match {
  if (values.length === 0)
    return cannotTell(() => `Null on ${shownKey(key)} has no values, which AWS does not define`);
  const isAbsent = contextValue.values.length === 0;
  const wanted = values.map((value) => orElse(value, () => "")).map((value) => value.toLowerCase());
  if (wanted.some((value) => !["true", "false"].includes(value)))
    return cannotTell(() => `Null on ${shownKey(key)} is neither true nor false`);
  const holds: Ternary = wanted.includes(String(isAbsent)) ? "yes" : "no";
  return new Match(
    holds,
    () => `Null on ${shownKey(key)}: ${isAbsent ? contextValue.absent() : `the ${bearer} has it`}`,
  );
}

function absentHolds(
  { set, comparison, ifExists }: Operator,
  { absent }: { readonly absent: () => string },
  key: Known<string>,
): Match {
  const holds = ifExists || set === "ForAllValues" || (set === undefined && comparison?.negated);
  return holds ? YES : no(() => `${shownKey(key)} has no value: ${absent()}`);
}

interface AskedCondition {
  readonly condition: Condition;
  readonly comparison: Comparison;
  readonly variables: boolean;
  readonly context: RequestContext;
}

function valueHolds(asked: AskedCondition, value: Known<string>): Match {
  const { condition, comparison, variables, context } = asked;
  const { operator, key, values } = condition;
  const refusal = (): string =>
    `${operator} on ${shownKey(key)} wants ${listed(values)}, the ${context.bearer} has ${shownValue(value)}` +
    literalWildcard(comparison, values);
  const agreements = values.map((raw): Match => {
    const wanted = policyValue(raw, variables, context);
    if (wanted === undefined) return cannotTell(() => VARIABLE_UNKNOWN);
    const agrees = comparison.agree(wanted, value);
    if (agrees === "unknown") return cannotTell(() => openWords(raw, value));
    return agrees === "yes" ? YES : no(refusal);
  });
  const agreed = any(agreements, refusal);
  return comparison.negated ? not(agreed, refusal) : agreed;
}

const VARIABLE_UNKNOWN = "a value holds a policy variable or Terraform reference that is not known";

function openWords(raw: Known<string>, value: Known<string>): string {
  const late = [raw, value].find((each) => orElse(each, () => undefined) === undefined);
  return late === undefined
    ? `${shownValue(raw)} is too long to compare`
    : `a value is known only after apply: ${shown(late)}`;
}

const SHOWN_VALUES = 3;

function listed(values: readonly Known<string>[]): string {
  const shownOnes = values.slice(0, SHOWN_VALUES).map(shownValue).join(", ");
  return `${values.length === 1 ? "" : "one of "}${shownOnes}${values.length > SHOWN_VALUES ? ", …" : ""}`;
}

function shownValue(value: Known<string>): string {
  return match(value, quoted, whyText);
}

function literalWildcard({ wildcards, negated }: Comparison, values: readonly Known<string>[]): string {
  const isWild = values.some((value) => hasWildcard(orElse(value, () => "")));
  return !wildcards && !negated && isWild
    ? "; this operator compares literally, so the wildcard never matches: StringLike honours it"
    : "";
}
