/*
 * How a GKE cluster is reached, and what roles of its project allow within it. Sources:
 * https://cloud.google.com/kubernetes-engine/docs/how-to/iam (roles; a request is allowed where RBAC or IAM allows it,
 * and `container.clusters.get` is needed to get in at all) and
 * https://cloud.google.com/kubernetes-engine/docs/how-to/role-based-access-control (users of RBAC: e-mail addresses).
 */

import { isLate } from "../../model/late";
import { grantableRole } from "./custom-role";

/** A role on the project of a cluster. */
export interface GkeRole {
  /** Full name. */
  readonly role: string;
  /** True where it allows something within all clusters of the project; false where RBAC of each cluster decides. */
  readonly authorizes: boolean;
}

/** Gets in, and leaves everything else to RBAC. */
export const GKE_DEFAULT_ROLE = "roles/container.clusterViewer";

const AUTHORIZING: readonly string[] = [
  "roles/container.admin",
  "roles/container.developer",
  "roles/container.viewer",
];
const SERVICE_ACCOUNT = "serviceAccount:";

/**
 * Returns a role with what it means within clusters; what a custom role allows there is not known, so that RBAC must.
 *
 * Throws `google-role-invalid`, `google-role-basic` or `late-value`.
 */
export function gkeRole(value: string): GkeRole {
  const role = grantableRole(value);
  return { role, authorizes: AUTHORIZING.includes(role) };
}

/** `https://` before an endpoint that has no scheme, as those of GKE have none; a late one is taken for such. */
export function gkeServer(endpoint: string): string {
  return !isLate(endpoint) && endpoint.includes("://") ? endpoint : `https://${endpoint}`;
}

/**
 * Name that a cluster's RBAC knows an IAM member by: the e-mail address of a service account; `undefined` for a
 * principal of a workload identity pool, for which Google documents none, and for a late one.
 */
export function rbacUser(member: string): string | undefined {
  return !isLate(member) && member.startsWith(SERVICE_ACCOUNT)
    ? member.slice(SERVICE_ACCOUNT.length)
    : undefined;
}
