import type { AccessDeclaration } from "../model/workloads";
import type { ControllerWorkload, SpokeFacts } from "../model/fleet";
import { isLate } from "../model/late";
import type { HubConsumer, SpokeCluster, StatusWriter } from "../fleet";
import { fleetPlugin } from "../rules/fleet/plugins";
import type { RecordedCluster } from "./cluster-records";
import type { FleetAccessProps } from "./fleet-access-props";
import type { FleetPlan } from "./fleet-plan";
import type { EnteredSpoke } from "./fleet-spokes";

/** What was declared, as far as it is recorded. */
export interface DeclaredFleet {
  /** The profiles' spokes. */
  readonly spokes: readonly SpokeCluster[];
  /** Identities by cloud. */
  readonly declarations: Readonly<Record<string, AccessDeclaration>>;
  /** Entries by spoke. */
  readonly entries: ReadonlyMap<string, EnteredSpoke>;
  /** The controller. */
  readonly consumer: HubConsumer;
  /** Jobs that write the profiles' status. */
  readonly statusWriters: readonly StatusWriter[];
}

/**
 * What `workload-identity.json` says of a hub's fleet: who opens connections, as what it acts in each cloud, and which
 * spokes it shall enter, each with what gives it its rights there.
 */
export function fleetRecord(
  { consumer, clusterManager, hub, plugins = [] }: FleetAccessProps,
  { name, issuer, apiServer, namespace }: FleetPlan,
  declared: DeclaredFleet,
): RecordedCluster {
  const { title, form, isDistroless, onPath } = consumer;
  return {
    name,
    issuer: issuer.url,
    apiServer,
    ...(hub.featureGates && { featureGates: hub.featureGates }),
    fleet: {
      consumer: { title, form, isDistroless, onPath },
      reader: workloadRecord(consumer.reader),
      workloads: consumer.workloads.map(workloadRecord),
      plugins: plugins.map(({ plugin, path }) => ({ plugin, path: path ?? fleetPlugin(plugin).path })),
      ...(declared.statusWriters.length > 0 && {
        statusWriters: declared.statusWriters.map(({ subject }) => subject.key),
      }),
      clusterManager,
      namespace,
      podIdentityWebhooks: [...(hub.podIdentityWebhooks ?? [])].sort(),
      identities: Object.entries(declared.declarations).flatMap(([cloud, { grants }]) =>
        grants.map(({ subject, identity }) => ({ serviceAccount: subject.key, cloud, identity })),
      ),
      spokes: declared.spokes.map(({ profileName, providerName, access }) => ({
        name: profileName,
        ...accessRecord(access),
        provider: providerName,
        rights: declared.entries.get(profileName)?.binding === undefined ? "cloud" : "rbac",
      })),
    },
  };
}

/** What is late stands in the profile alone. */
function accessRecord({
  cloud,
  endpoint,
  project,
  projectNumber,
}: SpokeFacts): Readonly<Record<string, string>> {
  const { server } = endpoint;
  return {
    cloud,
    ...(!isLate(server) && { server }),
    ...(project !== undefined && { project }),
    ...(projectNumber !== undefined && !isLate(projectNumber) && { projectNumber }),
  };
}

function workloadRecord(workload: ControllerWorkload): Readonly<Record<string, string>> {
  const { kind, namespace, name, container, serviceAccount } = workload;
  return { kind, namespace, name, container, serviceAccount };
}
