/*
 * Names and numbers of Google Cloud as its APIs check them: projects, workload identity pools and pool providers.
 * A wrong project number is not refused by IAM's syntax check; the binding just never matches.
 */

import { fail } from "../../errors";
import { isLate, literal } from "../../model/late";

/** Project ids: https://cloud.google.com/resource-manager/docs/creating-managing-projects, "project ID". */
const PROJECT = /^[a-z][a-z0-9-]{4,28}[a-z0-9]$/;

/** Domain-scoped ids are older than that rule; the shape is the one that the Terraform provider's ProjectRegex accepts. */
const DOMAIN_SCOPED =
  /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}:[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

const NUMBER = /^[1-9][0-9]{0,18}$/;

/**
 * REST reference of projects.locations.workloadIdentityPools.create and .providers.create: 4 to 32 of [a-z0-9-], the
 * prefix `gcp-` reserved. Nothing is said of hyphens at an end, which the Terraform provider takes too.
 */
const WORKLOAD_IDENTITY_ID = /^(?!gcp-)[a-z0-9-]{4,32}$/;

/** Returns a project id, plain or domain-scoped; throws `google-project-invalid` or `late-value`. */
export function projectId(value: string): string {
  const given = literal(value, "Google Cloud project id");
  return typeof given === "string" && (PROJECT.test(given) || DOMAIN_SCOPED.test(given))
    ? given
    : fail("google-project-invalid", given);
}

/** Returns a project number as text, or a late value as it is; throws `google-project-number-invalid`. */
export function projectNumber(value: string): string {
  if (isLate(value)) return value;
  return typeof value === "string" && NUMBER.test(value)
    ? value
    : fail("google-project-number-invalid", value);
}

/** Returns the id of a pool or pool provider; throws `google-workload-identity-id-invalid` or `late-value`. */
export function workloadIdentityId(what: "pool" | "pool provider", value: string): string {
  const given = literal(value, `id of a workload identity ${what}`);
  return typeof given === "string" && WORKLOAD_IDENTITY_ID.test(given)
    ? given
    : fail("google-workload-identity-id-invalid", what, given);
}
