import { fail } from "../../errors";

/** Principals that the allow policy of one resource may name (https://cloud.google.com/iam/quotas). */
export const POLICY_PRINCIPALS_MAX = 1500;

/**
 * Checks how many principals the policy of a repository would name; throws `google-principals-too-many`.
 *
 * Principals that others add to the policy count too, but cannot be seen here.
 */
export function checkPolicySize(repository: string, count: number): void {
  if (count > POLICY_PRINCIPALS_MAX)
    fail("google-principals-too-many", repository, count, POLICY_PRINCIPALS_MAX);
}
