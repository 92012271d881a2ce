/*
 * Members of IAM policies that roles are granted to.
 * Source: https://cloud.google.com/iam/docs/principal-identifiers, the identifiers of allow policies. Members of
 * deleted identities and the conveniences of buckets (`projectViewer:` and the like) are left out.
 */

import { fail } from "../../errors";
import { isLate } from "../../model/late";

const EMAIL = "[^\\s@:/]+@[^\\s@:/]+";
const WORKLOAD_POOL = "projects/[1-9][0-9]*/locations/global/workloadIdentityPools/[^/\\s]+";
const WORKFORCE_POOL = "locations/global/workforcePools/[^/\\s]+";
const IN_POOL = `iam\\.googleapis\\.com/(?:${WORKLOAD_POOL}|${WORKFORCE_POOL})`;

/** Named identities, and sets that somebody keeps. */
const NAMED: readonly RegExp[] = [
  new RegExp(`^(?:serviceAccount|user|group):${EMAIL}$`),
  /^serviceAccount:[^\s@/]+\.svc\.id\.goog\[[a-z0-9-]+\/[a-z0-9.-]+\]$/,
  /^domain:[a-z0-9-]+(?:\.[a-z0-9-]+)+$/,
  new RegExp(`^principal://${IN_POOL}/subject/\\S+$`),
  new RegExp(`^principalSet://${IN_POOL}/(?:group|namespace|attribute\\.[a-z0-9_]+)/\\S+$`),
];

/** Everybody, everybody of a pool, everybody of a cluster. */
const BROAD: readonly RegExp[] = [
  /^(?:allUsers|allAuthenticatedUsers)$/,
  new RegExp(`^principalSet://${IN_POOL}/(?:\\*|kubernetes\\.cluster/\\S+)$`),
];

/**
 * Returns a member of an IAM policy, a late one as it is. Everybody, and everybody of a pool or cluster, needs a
 * reason.
 *
 * Throws `google-member-invalid` or `google-member-broad`.
 */
export function iamMember(value: string, reason: string | undefined): string {
  if (isLate(value)) return value;
  if (typeof value !== "string") return fail("google-member-invalid", value);
  if (NAMED.some((form) => form.test(value))) return value;
  if (!BROAD.some((form) => form.test(value))) return fail("google-member-invalid", value);
  return reason === undefined ? fail("google-member-broad", value) : value;
}
