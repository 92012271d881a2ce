/*
 * RBAC of a fleet's member that is no GKE cluster: the Connect agent brings requests of Connect Gateway in, and
 * impersonates their user. Source: https://cloud.google.com/kubernetes-engine/enterprise/multicluster-management/gateway/setup,
 * and what `gcloud container fleet memberships generate-gateway-rbac` writes.
 */

/** Whom the agent may impersonate. */
export interface AgentImpersonation {
  /** Name of both objects. */
  readonly name: string;
  /** Name of the user: an e-mail address. */
  readonly user: string;
}

const RBAC = "rbac.authorization.k8s.io";
const AGENT = { kind: "ServiceAccount", namespace: "gke-connect", name: "connect-agent-sa" } as const;

/** A ClusterRole for this one user, and its binding to the agent's service account. */
export function agentImpersonation({
  name,
  user,
}: AgentImpersonation): readonly Readonly<Record<string, unknown>>[] {
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
