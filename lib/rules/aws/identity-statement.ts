/*
 * Statements that users write for an identity policy. Source: "Grammar of the IAM JSON policy language" in the IAM
 * user guide.
 */

import { fail } from "../../errors";
import { isLate } from "../../model/late";
import { isRecord } from "../../model/record";
import type { PolicyStatement } from "./policy-document";
import { isCondition, isTextList } from "./provider-spec";

const FIELDS: readonly string[] = ["Sid", "Effect", "Action", "Resource", "Condition"];
const SID = /^[A-Za-z0-9]+$/;
const ACTION = /^(?:\*|[a-z0-9-]+:[A-Za-z0-9*?]+)$/i;

/** Every action, or every action of one service. */
const WIDE_ACTION = /^(?:\*|[^:]+:\**)$/;

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
  if (Condition !== undefined && !isCondition(Condition))
    fail("aws-statement-invalid", what, "has a condition that is not operator → key → values", Condition);
  return statement;
}

/** True for a statement that permits every action, or every action of a service, on every resource. */
export function isWide({ Effect, Action, Resource }: PolicyStatement): boolean {
  return (
    Effect === "Allow" &&
    listOf(Action).some((action) => WIDE_ACTION.test(action)) &&
    listOf(Resource).some((resource) => /^\*+$/.test(resource))
  );
}

/** What a statement permits or refuses, in words: `s3:GetObject on arn:…`, one text per action and resource. */
export function statementInWords({ Effect, Action, Resource, Condition }: PolicyStatement): string[] {
  const deny = Effect === "Deny" ? "not " : "";
  const conditions = Condition === undefined ? "" : " under conditions";
  return listOf(Action).flatMap((action) =>
    listOf(Resource).map((resource) => `${deny}${action} on ${resource}${conditions}`),
  );
}

/** One value or several, as a list; none where there is none. */
export function listOf(values: string | readonly string[] | undefined): readonly string[] {
  if (values === undefined) return [];
  return typeof values === "string" ? [values] : values;
}

function isResource(resource: string): boolean {
  return isLate(resource) || resource === "*" || resource.startsWith("arn:");
}
