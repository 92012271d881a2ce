/*
 * Evaluates the Condition block of a statement: every operator and key must hold.
 * Source: "Conditions with multiple context keys or values" and "Single-valued vs. multivalued context keys" in the
 * IAM user guide.
 */

import { type Known, type Ternary, match, orElse, shown, whyText } from "../../../model/known";
import { type ContextValue, type RequestContext, shownKey } from "./context";
import { Match, all, any, cannotTell, no, not, quoted, yes } from "./match";
import { type Comparison, type Operator, readOperator } from "./operators";
import type { Condition, Statement } from "./document";
import { policyValue } from "./value";

const NO_CONDITION = yes(() => "there is no condition");

export function conditionsHold(statement: Statement, context: RequestContext): Match {
  return match(
    statement.conditions,
    (conditions) =>
      conditions.length === 0
        ? NO_CONDITION
        : all(
            conditions.map((each) => conditionHolds(each, statement, context)),
            () => "every condition holds",
          ),
    (why) => cannotTell(() => `its conditions are not known: ${whyText(why)}`),
  );
}

function conditionHolds(condition: Condition, statement: Statement, context: RequestContext): Match {
  if (context.presumes?.(condition, statement)) return yes(() => "it is taken to hold");
  const { key, values } = condition;
  const operator = readOperator(condition.operator);
  if (!operator) return cannotTell(() => `operator ${quoted(condition.operator)} is not evaluated here`);
  const found = context.lookup(key);
  if (!found.known) return cannotTell(found.why);
  if (!operator.comparison) return nullHolds(condition, found, context);
  if (found.values.length === 0) return absentHolds(operator, found, key);
  const { comparison, set } = operator;
  if (values.length === 0 && comparison.negated)
    return cannotTell(
      () => `${condition.operator} on ${shownKey(key)} has no values, which AWS does not define`,
    );
  const asked = { condition, comparison, variables: statement.variables, context };
  const each = found.values.map((value) => valueHolds(asked, value));
  if (set === "ForAllValues") return all(each, () => "every value agrees");
  if (set === "ForAnyValue") return any(each, () => each[0]?.reason ?? "no value agrees");
  return withoutQuantifier(each, key);
}

/** AWS leaves open how several values are compared without quantifier, so only an answer that all of them give is one. */
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
  found: ContextValue & { known: true },
  { bearer }: RequestContext,
): Match {
  if (values.length === 0)
    return cannotTell(() => `Null on ${shownKey(key)} has no values, which AWS does not define`);
  const isAbsent = found.values.length === 0;
  const wanted = values.map((value) => orElse(value, () => "")).map((value) => value.toLowerCase());
  if (wanted.some((value) => !["true", "false"].includes(value)))
    return cannotTell(() => `Null on ${shownKey(key)} is neither true nor false`);
  const holds: Ternary = wanted.includes(String(isAbsent)) ? "yes" : "no";
  return new Match(
    holds,
    () => `Null on ${shownKey(key)}: ${isAbsent ? found.absent() : `the ${bearer} has it`}`,
  );
}

function absentHolds(
  { set, comparison, ifExists }: Operator,
  { absent }: { readonly absent: () => string },
  key: Known<string>,
): Match {
  const words = (): string => `${shownKey(key)} has no value: ${absent()}`;
  if (ifExists || set === "ForAllValues") return yes(words);
  return set === undefined && comparison?.negated ? yes(words) : no(words);
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
  const agreements = values.map((raw): Match => {
    const wanted = policyValue(raw, variables, context);
    if (wanted === undefined) return cannotTell(() => VARIABLE_UNKNOWN);
    const agrees = comparison.agree(wanted, value);
    if (agrees !== "unknown") return new Match(agrees, () => `${operator} on ${shownKey(key)} agrees`);
    return cannotTell(() => openWords(raw, value));
  });
  const refusal = (): string =>
    `${operator} on ${shownKey(key)} wants ${listed(values)}, the ${context.bearer} has ${shownValue(value)}` +
    literalWildcard(comparison, values);
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
  const isWild = values.some((value) => /[*?]/.test(orElse(value, () => "")));
  return !wildcards && !negated && isWild
    ? "; this operator compares literally, so the wildcard never matches: StringLike honours it"
    : "";
}
