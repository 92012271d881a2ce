/*
 * Evaluates the Condition block of a statement: every operator and key must hold.
 * Source: "Conditions with multiple context keys or values" and "Single-valued vs. multivalued context keys" in the
 * IAM user guide.
 */

import type { ContextValue, RequestContext } from "./context";
import { type Match, all, any, cannotTell, no, not, quoted, yes } from "./match";
import { type Comparison, type Operator, readOperator } from "./operators";
import { policyValue } from "./policy-value";
import type { Condition, Statement } from "./statements";

/** Whether all conditions of a statement hold. */
export function conditionsHold({ conditions, variables }: Statement, context: RequestContext): Match {
  return all(
    conditions.map((condition) => conditionHolds(condition, variables, context)),
    "every condition holds",
  );
}

function conditionHolds(condition: Condition, variables: boolean, context: RequestContext): Match {
  const { key, values } = condition;
  const operator = readOperator(condition.operator);
  if (!operator) return cannotTell(`operator ${quoted(condition.operator)} is not evaluated here`);
  const found = context.lookup(key);
  if (!found.known) return cannotTell(found.reason);
  if (!operator.comparison) return nullHolds(values, key, found, context);
  if (found.values.length === 0) return absentHolds(operator, found, key);
  const { comparison, set } = operator;
  if (values.length === 0 && comparison.negated)
    return cannotTell(`${condition.operator} on ${quoted(key)} has no values, which AWS does not define`);
  const each = found.values.map((value) => valueHolds(condition, comparison, value, variables, context));
  if (set === "ForAllValues") return all(each, "every value agrees");
  if (set === "ForAnyValue") return any(each, each[0]?.reason ?? "no value agrees");
  return withoutQuantifier(each, key);
}

/** AWS leaves open how several values are compared without quantifier, so only an answer that all of them give is one. */
function withoutQuantifier(each: readonly Match[], key: string): Match {
  const [first] = each;
  if (first && each.every(({ holds }) => holds === first.holds)) return first;
  return cannotTell(
    `${quoted(key)} has several values, and AWS defines their comparison only with ForAnyValue or ForAllValues`,
  );
}

function nullHolds(
  values: readonly string[],
  key: string,
  found: ContextValue & { known: true },
  { bearer }: RequestContext,
): Match {
  if (values.length === 0)
    return cannotTell(`Null on ${quoted(key)} has no values, which AWS does not define`);
  const absent = found.values.length === 0;
  const wanted: readonly string[] = values.map((value) => value.toLowerCase());
  if (wanted.some((value) => !["true", "false"].includes(value)))
    return cannotTell(`Null on ${quoted(key)} is neither true nor false`);
  const reason = `Null on ${quoted(key)}: ${absent ? found.absent : `the ${bearer} has it`}`;
  return wanted.includes(String(absent)) ? yes(reason) : no(reason);
}

function absentHolds(
  { set, comparison, ifExists }: Operator,
  { absent }: { absent: string },
  key: string,
): Match {
  const reason = `${quoted(key)} has no value: ${absent}`;
  if (ifExists || set === "ForAllValues") return yes(reason);
  return set === undefined && comparison?.negated ? yes(reason) : no(reason);
}

function valueHolds(
  { operator, key, values }: Condition,
  comparison: Comparison,
  value: string,
  variables: boolean,
  context: RequestContext,
): Match {
  const agreements = values.map((raw): Match => {
    const wanted = policyValue(raw, variables, (name) => context.lookup(name));
    if ("problem" in wanted) return cannotTell(wanted.problem);
    const agrees = comparison.agree(wanted, value);
    if (agrees === undefined) return cannotTell(`${quoted(raw)} is too long to compare`);
    return agrees ? yes(`${operator} on ${quoted(key)} agrees`) : no("differs");
  });
  const wanted = `${values.length === 1 ? "" : "one of "}${values.map(quoted).slice(0, 3).join(", ")}${values.length > 3 ? ", …" : ""}`;
  const refusal = `${operator} on ${quoted(key)} wants ${wanted}, the ${context.bearer} has ${quoted(value)}`;
  const agreed = any(agreements, refusal + literalWildcard(comparison, values));
  return comparison.negated ? not(agreed, refusal) : agreed;
}

function literalWildcard({ wildcards }: Comparison, values: readonly string[]): string {
  return !wildcards && values.some((value) => /[*?]/.test(value))
    ? "; this operator compares to the letter, so the wildcard never matches: StringLike honours it"
    : "";
}
