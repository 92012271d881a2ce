/*
 * How GKE clusters and members of fleets are reached, and what roles of a project allow within them. Sources:
 * https://cloud.google.com/kubernetes-engine/docs/how-to/iam (a request is allowed where RBAC or IAM allows it, and
 * `container.clusters.get` is needed to get in at all), and for Connect Gateway
 * https://cloud.google.com/kubernetes-engine/enterprise/multicluster-management/gateway/setup.
 */

import { isLate } from "../../model/late";
import { textOfForm } from "./names";
import { grantableRole } from "./role";

/** A role on the project of a cluster. */
export interface GkeRole {
  /** Full name. */
  readonly role: string;
  /** True where it allows something within all clusters of the project; false where RBAC of each cluster decides. */
  readonly authorizes: boolean;
}

/** Gets in, and leaves everything else to RBAC. */
export const GKE_DEFAULT_ROLE = "roles/container.clusterViewer";

const SERVICE_ACCOUNT = "serviceAccount:";

/** Returns a role with what it means within clusters; of custom roles that is not known, so that RBAC must decide. */
export function gkeRole(value: string): GkeRole {
  const role = grantableRole(value);
  return { role, authorizes: /^roles\/container\.(?:admin|developer|viewer)$/.test(role) };
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

/** Roles on a fleet's project that let through the gateway: to read, to read and write, and to administer it. */
export type GatewayRoleName =
  "roles/gkehub.gatewayAdmin" | "roles/gkehub.gatewayEditor" | "roles/gkehub.gatewayReader";

export const GATEWAY_ROLES: readonly GatewayRoleName[] = [
  "roles/gkehub.gatewayAdmin",
  "roles/gkehub.gatewayEditor",
  "roles/gkehub.gatewayReader",
];

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

const GATEWAY_HOST = "connectgateway.googleapis.com";

/**
 * URL of a member's API server, at the host of the membership's location; late where the project number is. Source: what
 * `gcloud container fleet memberships get-credentials` writes, and GenerateCredentials of gkeconnect.gateway.v1.
 */
export function gatewayServer({ projectNumber, location, membership, gke }: FleetMember): string {
  const checked = (what: string, value: string, pattern: RegExp): string =>
    textOfForm(value, {
      problem: `${what} of a fleet membership is not valid`,
      pattern,
      allowed: "a name of 1 to 63 of a-z, 0-9 and -; a location such as global or europe-west1",
      remedy: "use the name and the location that `gcloud container fleet memberships list` shows",
    });
  checked("location", location, /^(?:global|[a-z]+-[a-z]+[1-9][0-9]*)$/);
  checked("name", membership, /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/);
  const host = location === "global" ? GATEWAY_HOST : `${location}-${GATEWAY_HOST}`;
  const collection = gke ? "gkeMemberships" : "memberships";
  return `https://${host}/v1/projects/${projectNumber}/locations/${location}/${collection}/${membership}`;
}

const RBAC = "rbac.authorization.k8s.io";
const AGENT = { kind: "ServiceAccount", namespace: "gke-connect", name: "connect-agent-sa" } as const;

/** The service account of the Connect agent, which brings requests of the gateway into members that are no GKE clusters. */
export const AGENT_KEY: string = `${AGENT.namespace}/${AGENT.name}`;

/**
 * A ClusterRole with which the Connect agent may impersonate this one user, and its binding; source: what
 * `gcloud container fleet memberships generate-gateway-rbac` writes.
 */
export function agentImpersonation(name: string, user: string): readonly Readonly<Record<string, unknown>>[] {
  return [
    {
      apiVersion: `${RBAC}/v1`,
      kind: "ClusterRole",
      metadata: { name },
      rules: [{ apiGroups: [""], resources: ["users"], resourceNames: [user], verbs: ["impersonate"] }],
    },
    {
      apiVersion: `${RBAC}/v1`,
      kind: "ClusterRoleBinding",
      metadata: { name },
      roleRef: { apiGroup: RBAC, kind: "ClusterRole", name },
      subjects: [AGENT],
    },
  ];
}
