/*
 * What FleetAccess will declare, checked before anything is declared.
 */

import type { Construct } from "constructs";
import { refuseIdle, refuseSecond } from "./account-groups";
import { at, fail } from "../errors";
import type { FleetConsumer } from "../fleet";
import { clusterName } from "../model/kubernetes-name";
import { Issuer } from "../model/issuer";
import { Subject } from "../model/subject";
import { minorOf } from "../model/version";
import type { IWorkloadIdentities } from "../model/workloads";
import { type PlannedSpoke, plannedSpoke } from "./fleet-planned-spoke";
import type { FleetAccessProps, FleetHub } from "./fleet-access-props";

/** The checked parts of the properties. */
export interface FleetPlan {
  /** Name of the hub. */
  readonly name: string;
  /** The controller. */
  readonly consumer: FleetConsumer;
  /** Issuer of the hub. */
  readonly issuer: Issuer;
  /** Kubernetes minor of the hub. */
  readonly apiServer: string;
  /** Namespace of the profiles. */
  readonly namespace: string;
  /** The executing service accounts, each once, sorted. */
  readonly subjects: readonly Subject[];
  /** The spokes in their order. */
  readonly spokes: readonly PlannedSpoke[];
  /** The makers of the spokes' clouds, sorted by cloud. */
  readonly makers: readonly IWorkloadIdentities<Construct>[];
  /** Clouds whose webhook changes pods on the hub. */
  readonly webhooks: readonly string[];
}

/** Spokes that take the hub's own tokens need no identity in any cloud. */
const OWN_TOKENS = "kubernetes";

export function fleetPlan(props: FleetAccessProps): FleetPlan {
  const { hub, consumer, spokes, identities = [] } = props;
  const inventory = props.namespace ?? consumer.profileNamespace ?? consumer.reader.namespace;
  const name = clusterName(hub.name);
  const issuer = Issuer.of(hub.issuer);
  const keys = consumer.workloads.map(({ namespace, serviceAccount }) => `${namespace}/${serviceAccount}`);
  const subjects = [...new Set(keys)].sort().map((key) => Subject.of(key));
  if (spokes.length === 0) return fail("fleet-spokes-empty", name);
  const planned = spokes.map((spoke) =>
    at({ node: { path: `spoke ${String(spoke.name)}` } }, () =>
      plannedSpoke(spoke, { hub: name, issuer, serviceAccounts: subjects }),
    ),
  );
  const names = planned.map(({ name: own }) => own);
  const twice = names.find((own, index) => names.indexOf(own) < index);
  if (twice !== undefined) return fail("cluster-profile-twice", inventory, twice, `spoke ${twice}`);
  const clouds = new Set(planned.map(({ access }) => access.cloud).filter((cloud) => cloud !== OWN_TOKENS));
  return {
    name,
    consumer,
    issuer,
    apiServer: minorOf("apiServer of the hub", hub.apiServer),
    namespace: inventory,
    subjects,
    spokes: planned,
    makers: makersOf([...clouds].sort(), identities),
    webhooks: hub.podIdentityWebhooks ?? [],
  };
}

/** Whether the hub has image volumes by its own word; `undefined` where the release decides. */
export function imageVolumeGate({ featureGates = {} }: FleetHub): boolean | undefined {
  return featureGates["ImageVolume"];
}

function makersOf(
  clouds: readonly string[],
  stated: readonly IWorkloadIdentities<Construct>[],
): readonly IWorkloadIdentities<Construct>[] {
  const makers = new Map<string, IWorkloadIdentities<Construct>>();
  for (const maker of stated) {
    if (makers.has(maker.cloud)) refuseSecond(maker.cloud);
    if (!clouds.includes(maker.cloud)) refuseIdle(maker.cloud, clouds, "spokes");
    makers.set(maker.cloud, maker);
  }
  return clouds.map((cloud) => makers.get(cloud) ?? fail("fleet-identities-none", cloud));
}
