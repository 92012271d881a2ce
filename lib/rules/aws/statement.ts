/*
 * Statements that users write for an identity policy, and those that are so broad that they require a stated reason.
 * Source: "Grammar of the IAM JSON policy language" in the IAM user guide.
 */

import { fail, type Problem } from "../../errors";
import { isLate } from "../../model/late";
import { isRecord } from "../../model/record";
import { readArn, readArnOf } from "./arn";
import { listOf } from "./names";
import type { PolicyCondition, PolicyStatement, ConditionValue } from "./policy-document";
import { MANAGED_BY_AWS } from "./role";

const FIELDS: readonly string[] = ["Sid", "Effect", "Action", "Resource", "Condition"];
const SID = /^[A-Za-z0-9]+$/;
/** "IAM JSON policy elements: Action"; wildcards are allowed in the action, and `*` alone means all services. */
export const ACTION: RegExp = /^(?:\*|[a-z0-9-]+:[A-Za-z0-9*?]+)$/i;

/** Source: "IAM JSON policy elements: Condition operators" in the IAM user guide. */
const OPERATOR =
  /^(?:For(?:AllValues|AnyValue):)?(?:String(?:Not)?(?:Equals(?:IgnoreCase)?|Like)|(?:Numeric|Date)(?:(?:Not)?Equals|(?:Less|Greater)Than(?:Equals)?)|Bool|BinaryEquals|(?:Not)?IpAddress|Arn(?:Not)?(?:Equals|Like)|Null)(?:IfExists)?$/i;

export function identityStatements(
  statements: readonly PolicyStatement[],
  what: string,
): readonly PolicyStatement[] {
  if (!Array.isArray(statements)) return refuse(what, "are not a list", statements);
  statements.forEach((statement: PolicyStatement, index) =>
    identityStatement(statement, `${what}[${index}]`),
  );
  requireSidsOnce(statements);
  return statements;
}

export function requireSidsOnce(statements: readonly PolicyStatement[]): void {
  const sids = statements.flatMap(({ Sid }) => (Sid === undefined ? [] : [Sid]));
  const twice = sids.find((sid, index) => sids.indexOf(sid) < index);
  if (twice !== undefined)
    fail("aws-conflict", {
      problem: "two statements of one policy have the same Sid, which IAM refuses",
      value: twice,
      allowed: "each Sid once per IAM role",
      remedy: "rename one of the two, or omit the Sid of both",
    });
}

function identityStatement(statement: PolicyStatement, what: string): PolicyStatement {
  if (!isRecord(statement)) return refuse(what, "is not a statement", statement);
  const stray = Object.keys(statement).find((field) => !FIELDS.includes(field));
  if (stray !== undefined) refuse(what, "has a field that it cannot have", stray);
  const { Sid, Effect, Action, Resource, Condition } = statement;
  if (Sid !== undefined && !(typeof Sid === "string" && SID.test(Sid)))
    refuse(what, "has a Sid that is not letters and digits", Sid);
  if (Effect !== "Allow" && Effect !== "Deny") refuse(what, "has no effect", Effect);
  if (!isTextList(listOf(Action)) || !listOf(Action).every((action) => ACTION.test(action)))
    refuse(what, "has no actions, or one that is not <service>:<action>", Action);
  if (!isTextList(listOf(Resource)) || !listOf(Resource).every(isResource))
    refuse(what, "has no resources, or one that is not an ARN", Resource);
  if (Condition !== undefined && !isConditionOfOperators(Condition))
    refuse(what, "has a condition that is not operator → key → values", Condition);
  return statement;
}

/** True for an ARN, with wildcards or late, and for `*`. */
export function isResource(resource: string): boolean {
  return isLate(resource) || resource === "*" || resource.startsWith("arn:");
}

/** True for a condition that is not empty and uses operators of IAM. */
export function isConditionOfOperators(condition: unknown): condition is PolicyCondition {
  if (!isCondition(condition)) return false;
  const operators = Object.keys(condition);
  return operators.length > 0 && operators.every((operator) => OPERATOR.test(operator));
}

/** Every action, or every action of one service: the action consists only of wildcards. */
const WIDE_ACTION = /^(?:[*?]+|[^:]+:[*?]+)$/;

/** The resource consists only of wildcards; what precedes it states only its kind or its owner. */
const WIDE_RESOURCE = /^[:/]*[*?][*?:/]*$/;

/** AWS managed policies that permit everything or make their holder an administrator. Source: their reference. */
const WIDE_POLICIES: readonly string[] = ["AdministratorAccess", "PowerUserAccess", "IAMFullAccess"];

/** True for a statement that permits every action, or every action of a service, on every resource. */
export function isWide({ Effect, Action, Resource }: PolicyStatement): boolean {
  return (
    Effect === "Allow" &&
    listOf(Action).some((action) => WIDE_ACTION.test(action)) &&
    listOf(Resource).some(isWideResource)
  );
}

/** True for an AWS managed policy that permits everything, or lets its holder grant that; false for a late ARN. */
export function isWideManagedPolicy(arn: string): boolean {
  const policy = readArnOf(arn, "iam", "policy/");
  return policy?.account === MANAGED_BY_AWS && WIDE_POLICIES.includes(policy.name);
}

function isWideResource(resource: string): boolean {
  if (isLate(resource)) return false;
  return WIDE_RESOURCE.test(readArn(resource)?.resource ?? resource.slice(resource.lastIndexOf(":") + 1));
}

export function tooWide(value: unknown): Problem {
  return {
    problem:
      "the permission covers every action, or every action of a service, on every resource, but no reason is stated",
    value,
    allowed: "named actions, or named resources",
    remedy:
      "narrow it; if it must be this broad, state why as `wideReason`, which becomes part of the role's description",
  };
}

function refuse(what: string, reason: string, value: unknown): never {
  return fail("aws-invalid", {
    problem: `${what} ${reason}`,
    value,
    allowed:
      "{ Sid?, Effect: Allow or Deny, Action: one or several, Resource: one or several, Condition? }, nothing else",
    remedy: "write it as in an IAM identity policy",
  });
}

/** True for a value that IAM accepts as the Condition of a statement. */
export function isCondition(condition: unknown): condition is PolicyCondition {
  return (
    isRecord(condition) &&
    Object.values(condition).every(
      (keys) => isRecord(keys) && Object.keys(keys).length > 0 && Object.values(keys).every(isConditionValue),
    )
  );
}

function isConditionValue(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 && value.every(isScalar) : isScalar(value);
}

function isScalar(value: unknown): value is ConditionValue {
  return ["string", "number", "boolean"].includes(typeof value);
}

/** True for a list of at least one text, none of them empty. */
export function isTextList(value: unknown): value is readonly string[] {
  return (
    Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === "string" && one !== "")
  );
}
