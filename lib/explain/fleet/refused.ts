import type { WorkloadIdentityError } from "../../errors";
import { type Answer, type Evidence, broken, pass } from "../answer";

/** Passes without refusals; else says the first, and names the others among the evidence. */
export function unlessRefused(
  issues: readonly WorkloadIdentityError[],
  reason: string,
  ...evidence: readonly Evidence[]
): Answer {
  const [first, ...others] = issues;
  if (!first) return pass(reason, ...evidence);
  return broken(
    sentence(first),
    first.allowed === undefined ? first.remedy : `${first.remedy}; allowed: ${first.allowed}`,
    undefined,
    ...evidence,
    ...others.map((each) => ({ text: sentence(each) })),
  );
}

/** What is wrong, and the value. */
export function sentence({ problem, value }: WorkloadIdentityError): string {
  return value === undefined ? problem : `${problem}, got ${JSON.stringify(value) ?? "a value without text"}`;
}
