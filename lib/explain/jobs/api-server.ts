import { compareVersions } from "../../model/version";
import { featureGateDefault } from "../../rules/kubelet/feature-gates";
import { nodeNeedsServiceAccountGet } from "../../rules/kubelet/service-account-get";
import type { RbacPolicy } from "../../rules/rbac/evaluate";
import { type Answer, unknown } from "../answer";
import type { ClusterFacts } from "../read/cluster-record";
import { apiServerGates, isKnownMinor } from "../read/read-record";
import type { ClusterArtefacts } from "../read/facts";

/** What kube-apiserver lets nodes do, by its version and gates. */
export interface ApiServerRules {
  /** Its version, as recorded. */
  readonly version: string;
  /** Whether nodes need RBAC to get service accounts. */
  readonly needsServiceAccountGet: boolean;
  /** Whether it gives nodes only audiences that the pod references or that RBAC grants. */
  readonly restrictsAudiences: boolean;
  /** Whether RBAC can grant an audience. */
  readonly asksRbac: boolean;
}

const GATE = "ServiceAccountNodeAudienceRestriction";

/** Thousands of pulls ask about a handful of clusters. */
const known = new WeakMap<ClusterFacts, { readonly rules: ApiServerRules | undefined }>();

/** The rules of the cluster's API server; `undefined` where its version is not known. */
export function apiServerRules(cluster: ClusterFacts): ApiServerRules | undefined {
  const before = known.get(cluster);
  if (before) return before.rules;
  const { apiServer: version } = cluster;
  const rules =
    version !== undefined && isKnownMinor(version) ? rulesOf(version, apiServerGates(cluster)) : undefined;
  known.set(cluster, { rules });
  return rules;
}

function rulesOf(version: string, gates: Readonly<Record<string, boolean>>): ApiServerRules {
  return {
    version,
    needsServiceAccountGet: nodeNeedsServiceAccountGet(version, gates),
    restrictsAudiences: gates[GATE] ?? featureGateDefault(GATE, version) ?? false,
    // 1.32 with the gate on asks no authorizer.
    asksRbac: compareVersions(version, "1.33") >= 0,
  };
}

/** The answer by what RBAC grants; unknown where that depends on which folder is applied last. */
export function inAnyOrder(
  { rbac, rbacOtherwise }: Pick<ClusterArtefacts, "rbac" | "rbacOtherwise">,
  judge: (rbac: RbacPolicy) => Answer,
): Answer {
  const answer = judge(rbac);
  return rbacOtherwise.some((other) => judge(other).status !== answer.status) ? CONTESTED : answer;
}

const CONTESTED = unknown(
  "two folders declare one role or binding differently, and what RBAC grants here depends on which is applied last",
  "declare each role and binding once",
);

/** A node for all; rules about single nodes are not what a pull by any node can rest on. */
export const NODE_USER = "system:node:*";
