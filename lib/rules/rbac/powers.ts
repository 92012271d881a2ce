/*
 * Rules of RBAC with which their holder gets other rights. Source: kubernetes.io/docs/concepts/security/rbac-good-practices,
 * "Kubernetes RBAC - privilege escalation risks".
 */

import { powerIn, type Power, type PowerRow } from "../powers";

export const ALL_OF_CLUSTER: Power = { danger: "admin", says: "it may do everything in the cluster" };

const ROWS: readonly PowerRow[] = [
  ["admin", /^ClusterRole cluster-admin:|: \* on \*\/\*$/, ALL_OF_CLUSTER.says],
  [
    "admin",
    /: (?:.*, )?(?:\*|bind|escalate)(?:, .*)? on .*(?:rbac\.authorization\.k8s\.io|\*)\/.*(?:roles|\*)/,
    "it may give itself any right in the cluster",
  ],
  ["others", /: (?:.*, )?impersonate(?:, .*)? on /, "it may act as others in the cluster"],
  [
    "others",
    /: (?:.*, )?(?:\*|create)(?:, .*)? on .*\bserviceaccounts\/token/,
    "it may act as service accounts",
  ],
];

/** What a rule of a role amounts to, as `ClusterRole deployer: get, list on apps/deployments`. */
export function powerOfRule(text: string): Power | undefined {
  return powerIn(ROWS, text);
}
