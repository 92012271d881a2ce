import { fail } from "../../errors";
import { isLate } from "../../model/late";

/** Returns the stated value, or else the literal value in the cluster's resource; throws if there is neither. */
export function statedOrInput<T>(what: string, stated: T | undefined, input: T | undefined, to: string): T {
  const value = stated ?? (isLate(input) ? undefined : input);
  return (
    value ??
    fail("cluster-missing", {
      problem: `${what} of the cluster is known only after Terraform apply`,
      allowed: `${what} as a literal, in the cluster's resource or in ${to}`,
      remedy: `state it: ${to}`,
    })
  );
}
