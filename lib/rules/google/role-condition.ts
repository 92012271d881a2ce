/*
 * Conditions on roles. Source: https://cloud.google.com/iam/docs/conditions-overview; REST type Expr.
 */

import { fail } from "../../errors";
import { isLate, literal } from "../../model/late";
import { shortText } from "./short-text";
import { admitsEveryToken, logicalOperators } from "./trivial-condition";
import { type ObjectKind, object, optional, text } from "../../model/shape";

/** An IAM condition, in CEL. */
export interface RoleCondition {
  /** Name for people, 1 to 100 characters; literal. */
  readonly title: string;
  /** The expression; may be late. */
  readonly expression: string;
  /**
   * Description, at most 256 characters; may be late.
   *
   * @defaultValue - none
   */
  readonly description?: string;
}

/** The kind of {@link RoleCondition}. */
export const ROLE_CONDITION: ObjectKind<RoleCondition> = object({
  title: text,
  expression: text,
  description: optional(text),
});

/** Logical operators in the condition of a role binding. Source: cloud.google.com/iam/quotas, "Limits". */
const OPERATORS_MAX = 12;
const TITLE_MAX = 100;
const DESCRIPTION_MAX = 256;

/** Checks a condition; throws `google-role-condition`, `name-too-long` and `late-value`. */
export function roleCondition(condition: RoleCondition | undefined): RoleCondition | undefined {
  if (condition === undefined) return undefined;
  const { title, expression, description } = condition;
  if (isBlank(literal(title, "title of a condition")))
    return fail("google-role-condition", "has no title", title);
  if (isBlank(expression)) return fail("google-role-condition", "has no expression", expression);
  if (!isLate(expression) && admitsEveryToken(expression))
    return fail("google-role-condition", "is always true", expression);
  if (!isLate(expression)) checkOperators(expression);
  shortText("title of a condition", title, TITLE_MAX);
  shortText("description of a condition", description, DESCRIPTION_MAX);
  return condition;
}

/** Whether `!` counts among them is not documented: with it the limit is certainly kept. */
function checkOperators(expression: string): void {
  const { joining, negating } = logicalOperators(expression);
  const count = joining + negating;
  if (count > OPERATORS_MAX)
    fail(
      "google-role-condition",
      `has ${count} logical operators (&&, ||, !), at most ${OPERATORS_MAX} are allowed`,
      expression,
    );
}

/** True where IAM certainly refuses a binding for the operators that join the terms of its condition. */
export function hasTooManyOperators(expression: string): boolean {
  return logicalOperators(expression).joining > OPERATORS_MAX;
}

function isBlank(text: unknown): boolean {
  return typeof text !== "string" || text.trim() === "";
}
