/*
 * Conditions of IAM policies as data. Source: "IAM JSON policy elements: Condition" in the IAM user guide.
 */

/** A value that a condition key is compared with; IAM reads a number or a switch as its text. */
export type ConditionValue = string | number | boolean;

/** Operator, condition key, value or values; all of them must hold. */
export type PolicyCondition = Readonly<
  Record<string, Readonly<Record<string, ConditionValue | readonly ConditionValue[]>>>
>;
