import { fail } from "../../errors";
import { isLate } from "../../model/late";

/** What a caller states, or else what the configuration says of the cluster as a literal. */
export function statedOrInput<T>(what: string, stated: T | undefined, input: T | undefined, to: string): T {
  const value = stated ?? (isLate(input) ? undefined : input);
  return (
    value ??
    fail("cluster-missing", {
      problem: `${what} of the cluster is not known at synth`,
      allowed: `${what} as a literal, in the resource of the cluster or in ${to}`,
      remedy: `state it: ${to}`,
    })
  );
}
