import { clusterObject } from "../kubernetes/metadata";
import type { AccessGrant } from "../model/workloads";
import { derivedName } from "../rules/names";
import type { ClusterManifests } from "./cluster-manifests";

const RBAC = "rbac.authorization.k8s.io";
const NAME = { max: 253, allowed: /[^/%]/, separator: ":" } as const;

/** Writes what clouds ask RBAC for: a ClusterRole and its binding for each service account, of one name. */
export function writeClusterRights(manifests: ClusterManifests, grants: readonly AccessGrant[]): void {
  for (const { subject, clusterRight } of grants) {
    if (!clusterRight) continue;
    const { verb, apiGroup, resource } = clusterRight;
    const { namespace, name: account } = subject;
    const chart = manifests.chart("service-account-rights", { order: 22 });
    const name = derivedName([verb, namespace, account], NAME);
    // Another construct of the stack may have written it for the same identity.
    if (chart.node.tryFindChild(name)) continue;
    const metadata = { name };
    const rules = [{ apiGroups: [apiGroup], resources: [resource], verbs: [verb] }];
    const apiVersion = `${RBAC}/v1`;
    clusterObject(chart, name, { apiVersion, kind: "ClusterRole", metadata, rules });
    const roleRef = { apiGroup: RBAC, kind: "ClusterRole", name };
    const subjects = [{ kind: "ServiceAccount", namespace, name: account }];
    clusterObject(chart, `${name}-binding`, {
      apiVersion,
      kind: "ClusterRoleBinding",
      metadata,
      roleRef,
      subjects,
    });
  }
}
