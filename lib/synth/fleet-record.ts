import type { AccessDeclaration } from "../model/workloads";
import type { ControllerWorkload } from "../model/fleet";
import type { HubConsumer, SpokeCluster } from "../fleet";
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
}

/**
 * What `workload-identity.json` says of a hub's fleet: who opens connections, as what it acts in each cloud, and which
 * spokes it shall enter, each with what gives it its rights there.
 */
export function fleetRecord(
  { consumer, clusterManager }: FleetAccessProps,
  { name, issuer, apiServer, namespace }: FleetPlan,
  declared: DeclaredFleet,
): RecordedCluster {
  const { title, form, isDistroless, onPath } = consumer;
  return {
    name,
    issuer: issuer.url,
    apiServer,
    fleet: {
      consumer: { title, form, isDistroless, onPath },
      reader: workloadRecord(consumer.reader),
      workloads: consumer.workloads.map(workloadRecord),
      clusterManager,
      namespace,
      identities: Object.entries(declared.declarations).flatMap(([cloud, { grants }]) =>
        grants.map(({ subject, identity }) => ({ serviceAccount: subject.key, cloud, identity })),
      ),
      spokes: declared.spokes.map(({ profileName, providerName, access: { cloud } }) => ({
        name: profileName,
        cloud,
        provider: providerName,
        rights: declared.entries.get(profileName)?.binding === undefined ? "cloud" : "rbac",
      })),
    },
  };
}

function workloadRecord(workload: ControllerWorkload): Readonly<Record<string, string>> {
  const { kind, namespace, name, container, serviceAccount } = workload;
  return { kind, namespace, name, container, serviceAccount };
}
