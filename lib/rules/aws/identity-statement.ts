/*
 * Statements that users write for an identity policy. Source: "Grammar of the IAM JSON policy language" in the IAM
 * user guide.
 */

import { fail } from "../../errors";
import { isLate } from "../../model/late";
import { isRecord } from "../../model/record";
import { listOf } from "./list-of";
import type { PolicyCondition } from "./policy-condition";
import type { PolicyStatement } from "./policy-document";
import { isCondition, isTextList } from "./provider-spec";

const FIELDS: readonly string[] = ["Sid", "Effect", "Action", "Resource", "Condition"];
const SID = /^[A-Za-z0-9]+$/;
const ACTION = /^(?:\*|[a-z0-9-]+:[A-Za-z0-9*?]+)$/i;

/** Source: "IAM JSON policy elements: Condition operators" in the IAM user guide. */
const OPERATOR =
  /^(?:For(?:AllValues|AnyValue):)?(?:String(?:Not)?(?:Equals(?:IgnoreCase)?|Like)|(?:Numeric|Date)(?:(?:Not)?Equals|(?:Less|Greater)Than(?:Equals)?)|Bool|BinaryEquals|(?:Not)?IpAddress|Arn(?:Not)?(?:Equals|Like)|Null)(?:IfExists)?$/i;

/**
 * Returns the statements of an identity policy as they were given; throws `aws-statement-invalid`, or
 * `aws-statement-sid-twice`: IAM refuses a policy in which two statements have one name.
 */
export function identityStatements(
  statements: readonly PolicyStatement[],
  what: string,
): readonly PolicyStatement[] {
  if (!Array.isArray(statements)) return fail("aws-statement-invalid", what, "are no list", statements);
  statements.forEach((statement: PolicyStatement, index) =>
    identityStatement(statement, `${what}[${index}]`),
  );
  requireSidsOnce(statements);
  return statements;
}

/** Throws `aws-statement-sid-twice`. */
export function requireSidsOnce(statements: readonly PolicyStatement[]): void {
  const sids = statements.flatMap(({ Sid }) => (Sid === undefined ? [] : [Sid]));
  const twice = sids.find((sid, index) => sids.indexOf(sid) < index);
  if (twice !== undefined) fail("aws-statement-sid-twice", twice);
}

/** Returns a statement of an identity policy as it was given; throws `aws-statement-invalid`. */
export function identityStatement(statement: PolicyStatement, what: string): PolicyStatement {
  if (!isRecord(statement)) return fail("aws-statement-invalid", what, "is not a statement", statement);
  const stray = Object.keys(statement).find((field) => !FIELDS.includes(field));
  if (stray !== undefined) fail("aws-statement-invalid", what, "has a field that it cannot have", stray);
  const { Sid, Effect, Action, Resource, Condition } = statement;
  if (Sid !== undefined && !(typeof Sid === "string" && SID.test(Sid)))
    fail("aws-statement-invalid", what, "has a Sid that is not letters and digits", Sid);
  if (Effect !== "Allow" && Effect !== "Deny") fail("aws-statement-invalid", what, "has no effect", Effect);
  if (!isTextList(listOf(Action)) || !listOf(Action).every((action) => ACTION.test(action)))
    fail("aws-statement-invalid", what, "has no actions, or one that is not <service>:<action>", Action);
  if (!isTextList(listOf(Resource)) || !listOf(Resource).every(isResource))
    fail("aws-statement-invalid", what, "has no resources, or one that is no ARN", Resource);
  if (Condition !== undefined && !isConditionOfOperators(Condition))
    fail("aws-statement-invalid", what, "has a condition that is not operator → key → values", Condition);
  return statement;
}

/** True for an ARN, with wildcards or late, and for `*`. */
export function isResource(resource: string): boolean {
  return isLate(resource) || resource === "*" || resource.startsWith("arn:");
}

/** True for a condition that says something, with operators that IAM has. */
export function isConditionOfOperators(condition: unknown): condition is PolicyCondition {
  if (!isCondition(condition)) return false;
  const operators = Object.keys(condition);
  return operators.length > 0 && operators.every((operator) => OPERATOR.test(operator));
}
