/*
 * Connect Gateway: the API servers of a fleet's members behind one host of Google, with Google's certificate. Sources:
 * https://cloud.google.com/kubernetes-engine/enterprise/multicluster-management/gateway/setup for the roles; for the
 * URL what `gcloud container fleet memberships get-credentials` writes, and GenerateCredentials of
 * gkeconnect.gateway.v1, which is asked at the host of the membership's location.
 */

import { fail } from "../../errors";
import { literal } from "../../model/late";

/** Roles on a fleet's project that let through the gateway: to read, to read and write, and to administer it. */
export type GatewayRoleName =
  "roles/gkehub.gatewayAdmin" | "roles/gkehub.gatewayEditor" | "roles/gkehub.gatewayReader";

/** A member of a fleet. */
export interface FleetMember {
  /** Number of the fleet's project, as text; may be late. */
  readonly projectNumber: string;
  /** `global`, or the region of the membership. */
  readonly location: string;
  /** Name of the membership. */
  readonly membership: string;
  /** True for a GKE cluster, false for an attached one. */
  readonly gke: boolean;
}

const HOST = "connectgateway.googleapis.com";
/** The gateway's roles. */
export const GATEWAY_ROLES: readonly GatewayRoleName[] = [
  "roles/gkehub.gatewayAdmin",
  "roles/gkehub.gatewayEditor",
  "roles/gkehub.gatewayReader",
];
const MEMBERSHIP = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const LOCATION = /^(?:global|[a-z]+-[a-z]+[1-9][0-9]*)$/;

/**
 * URL of a member's API server; late where the project number is.
 *
 * Throws `google-membership-invalid` or `late-value`.
 */
export function gatewayServer({ projectNumber, location, membership, gke }: FleetMember): string {
  checked("location", location, LOCATION);
  checked("name", membership, MEMBERSHIP);
  const host = location === "global" ? HOST : `${location}-${HOST}`;
  const collection = gke ? "gkeMemberships" : "memberships";
  return `https://${host}/v1/projects/${projectNumber}/locations/${location}/${collection}/${membership}`;
}

function checked(what: string, value: string, pattern: RegExp): void {
  if (typeof literal(value, `${what} of a fleet membership`) !== "string" || !pattern.test(value))
    fail("google-membership-invalid", what, value);
}
