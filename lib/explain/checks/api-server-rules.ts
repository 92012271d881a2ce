import { compareVersions } from "../../model/version";
import { featureGateDefault } from "../../rules/kubelet/feature-gates";
import { nodeNeedsServiceAccountGet } from "../../rules/kubelet/service-account-get";
import { type ClusterRecord, isKnown } from "../facts/cluster-record";
import { apiServerGates } from "../facts/recorded-gates";

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
const known = new WeakMap<ClusterRecord, { readonly rules: ApiServerRules | undefined }>();

/** The rules of the cluster's API server; `undefined` where its version is not known. */
export function apiServerRules(cluster: ClusterRecord): ApiServerRules | undefined {
  const before = known.get(cluster);
  if (before) return before.rules;
  const { apiServer: version } = cluster;
  const rules =
    version !== undefined && isKnown(version) ? rulesOf(version, apiServerGates(cluster)) : undefined;
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
