import type { Construct } from "constructs";
import { at, fail } from "../errors";
import { SpokeRoleBinding } from "../fleet";
import { clusterObject } from "../kubernetes/metadata";
import type { SpokeEntry, SpokeUser } from "../model/fleet";
import { isRecord } from "../model/record";
import type { Subject } from "../model/subject";
import type { AccessDeclaration, AccessGrant } from "../model/workloads";
import { SPOKE } from "./fleet-charts";
import type { FleetPlan } from "./fleet-plan";
import type { PlannedSpoke } from "./fleet-planned-spoke";
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
 */
export function enterSpokes(
  scope: Construct,
  plan: FleetPlan,
  declarations: Readonly<Record<string, AccessDeclaration>>,
  manifests: Manifests,
): ReadonlyMap<string, EnteredSpoke> {
  const own = plan.subjects.map(ownGrant);
  return new Map(
    plan.spokes.map((spoke) => {
      const { name, access } = spoke;
      const controllers = declarations[access.cloud]?.grants ?? own;
      return at({ node: { path: `spoke ${name}` } }, () => {
        const entry = access.declare(scope, { hub: plan.name, spoke: name, controllers });
        if (access.nodeSetup) manifests.spokeNodeSetup(name, access.nodeSetup);
        writeObjects(name, entry, manifests);
        const { users } = entry;
        return [name, { users, binding: bound(spoke, users, plan, manifests) }] as const;
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

/** What the spoke needs besides RBAC of the controllers. */
function writeObjects(spoke: string, { objects = [], comment = [] }: SpokeEntry, manifests: Manifests): void {
  if (objects.length === 0) return;
  const chart = manifests.chart(spoke, { ...SPOKE, comment });
  for (const [index, object] of objects.entries()) {
    const { apiVersion, kind, metadata, ...fields } = object;
    clusterObject(chart, `object-${index}`, {
      apiVersion: String(apiVersion),
      kind: String(kind),
      metadata: isRecord(metadata) ? metadata : {},
      ...fields,
    });
  }
}

function bound(
  { name, clusterRole, namespaces }: PlannedSpoke,
  users: readonly SpokeUser[],
  { name: hub, consumer }: FleetPlan,
  manifests: Manifests,
): SpokeRoleBinding | undefined {
  const waiting = users.filter(({ authorized }) => !authorized).map(({ subject }) => subject.key);
  if (clusterRole === undefined)
    return waiting.length === 0 ? undefined : fail("spoke-cluster-role-missing", name, waiting);
  if (waiting.length === 0) return fail("spoke-cluster-role-unused", name, clusterRole);
  const comment = [`The ClusterRole ${clusterRole} must be there.`];
  return new SpokeRoleBinding(manifests.chart(name, { ...SPOKE, comment }), "controllers", {
    spoke: name,
    hub,
    consumer,
    users,
    clusterRole,
    ...(namespaces && { namespaces }),
  });
}
