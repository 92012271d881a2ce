import type { WorkloadIdentityError } from "../errors";

/** Throws the first refusal of a list, where there is one. */
export function throwFirst(issues: readonly WorkloadIdentityError[]): void {
  const [first] = issues;
  if (first) throw first;
}
