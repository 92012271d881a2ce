import { fail } from "../../errors";
import { type LabelledRequest, requestLabel } from "../../model/request-label";

/**
 * Refuses two requests of one `metadata.name`, by which settings and constructs know them; throws
 * `credentials-request-twice`, naming both.
 */
export function refuseSameNames(requests: readonly LabelledRequest[]): void {
  const known = new Map<string, LabelledRequest>();
  for (const request of requests) {
    const first = known.get(request.name);
    if (first) fail("credentials-request-twice", request.name, requestLabel(first), requestLabel(request));
    known.set(request.name, request);
  }
}
