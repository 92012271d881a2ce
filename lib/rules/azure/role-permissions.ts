/*
 * What the permissions of a role allow. Source: learn.microsoft.com, "Understand Azure role definitions".
 */

import { type Known, type Ternary, and, match, not, or } from "../../model/known";
import { matchesPattern, patternOf } from "../wildcard";

/** A list of operations, of which one or all may not be known. */
export type Operations = Known<readonly Known<string>[]>;

/** One block of permissions: the lists, less those of `not`. */
export interface RolePermissions {
  /** Actions, `*` for any text. */
  readonly actions: Operations;
  /** Actions taken away again. */
  readonly notActions: Operations;
  /** Data actions. */
  readonly dataActions: Operations;
  /** Data actions taken away again. */
  readonly notDataActions: Operations;
}

/** The lists that allow. */
export type OperationList = "actions" | "dataActions";

const WITHOUT = { actions: "notActions", dataActions: "notDataActions" } as const;

/** Whether permissions hold an operation; letter case does not count. */
export function permits(
  permissions: readonly RolePermissions[],
  operation: string,
  list: OperationList,
): Ternary {
  return or(
    ...permissions.map((each) =>
      and(lists(each[list], operation), not(lists(each[WITHOUT[list]], operation))),
    ),
  );
}

/** Whether a list holds an operation. */
export function lists(operations: Operations, operation: string): Ternary {
  return match(
    operations,
    (patterns) => or(...patterns.map((pattern) => matchesOperation(pattern, operation))),
    () => "unknown",
  );
}

function matchesOperation(pattern: Known<string>, operation: string): Ternary {
  return match(
    pattern,
    (text) => (matchesPattern(patternOf(text.toLowerCase()), operation.toLowerCase()) ? "yes" : "no"),
    () => "unknown",
  );
}
