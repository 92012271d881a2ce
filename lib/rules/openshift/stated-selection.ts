import { fail } from "../../errors";
import { isRecord } from "../../model/record";
import type { CredentialsRequestSelection } from "./credentials-request-selection";

/**
 * Returns what a caller states as the result of `credentialsRequests()`; also of callers whose values no compiler saw,
 * who take a list of requests or parsed documents for it.
 *
 * Throws `credentials-requests-selection`.
 */
export function statedSelection(given: CredentialsRequestSelection): CredentialsRequestSelection {
  const { requests, skipped }: Partial<Record<string, unknown>> = isRecord(given) ? given : {};
  return listOf(requests, isRequest) && listOf(skipped, hasSource)
    ? given
    : fail("credentials-requests-selection", given);
}

function listOf(list: unknown, good: (entry: unknown) => boolean): boolean {
  return Array.isArray(list) && list.every(good);
}

function isRequest(entry: unknown): boolean {
  return (
    isRecord(entry) &&
    hasSource(entry) &&
    isRecord(entry["secret"]) &&
    isRecord(entry["providerSpec"]) &&
    Array.isArray(entry["subjects"])
  );
}

function hasSource(entry: unknown): boolean {
  return isRecord(entry) && isRecord(entry["source"]);
}
