import type { Construct } from "constructs";
import { at, fail } from "../errors";
import { SpokeRoleBinding } from "../fleet";
import type { SpokeUser } from "../model/fleet";
import type { Subject } from "../model/subject";
import type { AccessDeclaration, AccessGrant } from "../model/workloads";
import { SPOKE } from "./fleet-charts";
import type { FleetPlan, PlannedSpoke } from "./fleet-plan";
import type { Manifests } from "./manifests";

/** A spoke that lets the controllers in. */
export interface EnteredSpoke {
  /** Who the controllers are there. */
  readonly users: readonly SpokeUser[];
  /** Their RBAC, `undefined` where the cloud itself gives them their rights. */
  readonly binding: SpokeRoleBinding | undefined;
}

/**
 * Declares in each spoke's cloud what lets the controllers in, and writes the spoke's own manifests.
 *
 * Throws `spoke-cluster-role-missing`, `spoke-cluster-role-unused`, and the codes of clouds and of `SpokeRoleBinding`.
 */
export function enterSpokes(
  scope: Construct,
  { spokes, subjects }: FleetPlan,
  declarations: Readonly<Record<string, AccessDeclaration>>,
  manifests: Manifests,
): ReadonlyMap<string, EnteredSpoke> {
  const own = subjects.map(ownGrant);
  return new Map(
    spokes.map((spoke) => {
      const { name, access } = spoke;
      const controllers = declarations[access.cloud]?.grants ?? own;
      return at({ node: { path: `spoke ${name}` } }, () => {
        const { users } = access.declare(scope, { spoke: name, controllers });
        if (access.nodeSetup) manifests.spokeNodeSetup(name, access.nodeSetup);
        return [name, { users, binding: bound(spoke, users, manifests) }] as const;
      });
    }),
  );
}

/** A service account that enters as itself. */
function ownGrant(subject: Subject): AccessGrant {
  return {
    subject,
    identity: subject.toString(),
    annotations: {},
    pod: { labels: {}, env: [], volumeMounts: [], volumes: [] },
  };
}

function bound(
  { name, clusterRole, namespaces }: PlannedSpoke,
  users: readonly SpokeUser[],
  manifests: Manifests,
): SpokeRoleBinding | undefined {
  const waiting = users.filter(({ authorized }) => !authorized).map(({ subject }) => subject.key);
  if (clusterRole === undefined)
    return waiting.length === 0 ? undefined : fail("spoke-cluster-role-missing", name, waiting);
  if (waiting.length === 0) return fail("spoke-cluster-role-unused", name, clusterRole);
  const comment = [`The ClusterRole ${clusterRole} must be there.`];
  return new SpokeRoleBinding(manifests.chart(name, { ...SPOKE, comment }), "controllers", {
    spoke: name,
    users,
    clusterRole,
    ...(namespaces && { namespaces }),
  });
}
