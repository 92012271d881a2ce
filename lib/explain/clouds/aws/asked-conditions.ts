/*
 * What a request's own condition says of the calls that a component makes: it acts within it.
 * Source: "IAM JSON policy elements: Condition operators" and "Conditions with multiple context keys or values" in the
 * IAM user guide.
 */

import { isRecord } from "../../../model/record";
import { type Json, list, own, record } from "../../facts/access";

type Context = Readonly<Record<string, readonly string[] | null>>;

const TELLS_VALUES = /^(?:(?:ForAnyValue:)?(?:String|Arn)(?:Equals|Like)|Bool)$/i;
const LIKENESS = /Like$|Arn/i;

/** The keys whose values a condition tells; `undefined` where it tells none. What it merely excludes says no value. */
export function askedContext(condition: Json): Context | undefined {
  const told = Object.entries(condition).flatMap(([operator, keys]) =>
    Object.entries(record(keys)).flatMap(([key, value]): [string, string[] | null][] => {
      const values = scalars(value);
      if (/^Null$/i.test(operator)) return values.join().toLowerCase() === "true" ? [[key, null]] : [];
      const isTold = TELLS_VALUES.test(operator) && !(LIKENESS.test(operator) && /[*?]/.test(values.join()));
      return isTold ? [[key, values]] : [];
    }),
  );
  return told.length === 0 ? undefined : Object.fromEntries(told);
}

/** A policy without the conditions that hold wherever the asked one does, whatever their operators. */
export function withoutAsked(policy: unknown, condition: Json): unknown {
  if (!isRecord(policy) || Object.keys(condition).length === 0) return policy;
  const statements = policy["Statement"];
  const within = (statement: unknown): unknown => {
    const conditions = isRecord(statement) ? statement["Condition"] : undefined;
    return isRecord(statement) && isRecord(conditions)
      ? { ...statement, Condition: remaining(conditions, condition) }
      : statement;
  };
  return { ...policy, Statement: Array.isArray(statements) ? statements.map(within) : within(statements) };
}

/** What is no condition stays, for the evaluator to judge. */
function remaining(conditions: Json, asked: Json): Json {
  return Object.fromEntries(
    Object.entries(conditions).map(([operator, keys]) => {
      const known = record(same(asked, operator));
      const left =
        isRecord(keys) &&
        Object.entries(keys).filter(([key, value]) => !implied(operator, value, same(known, key)));
      return [operator, left ? Object.fromEntries(left) : keys];
    }),
  );
}

/** Neither operators nor keys tell upper from lower case. */
function same(values: Json, name: string): unknown {
  const found = Object.keys(values).find((each) => each.toLowerCase() === name.toLowerCase());
  return found === undefined ? undefined : own(values, found);
}

/** One of more values is more, none of fewer values too. */
function implied(operator: string, granted: unknown, asked: unknown): boolean {
  if (asked === undefined) return false;
  const [wide, narrow] = /Not/i.test(operator) ? [asked, granted] : [granted, asked];
  const all = new Set(scalars(wide));
  const some = scalars(narrow);
  return some.length > 0 && some.every((value) => all.has(value));
}

function scalars(value: unknown): string[] {
  return (Array.isArray(value) ? list(value) : [value]).map(String);
}
