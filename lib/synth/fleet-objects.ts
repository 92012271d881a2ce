import type { Chart } from "cdk8s";
import { at } from "../errors";
import {
  ClusterInventory,
  type ControllerIdentities,
  HubConsumer,
  MultiKueueCluster,
  SpokeCluster,
  StatusWriter,
} from "../fleet";
import type { FleetAccessProps } from "./fleet-access-props";
import { CONSUMER, type FleetChart, KUEUE, PROFILES, STATUS, STATUS_WRITERS } from "./fleet-charts";
import { type FleetPlan, imageVolumeGate } from "./fleet-plan";

/** The objects of the hub. */
export interface FleetObjects {
  /** The profiles. */
  readonly inventory: ClusterInventory;
  /** The spokes, in their order. */
  readonly spokes: readonly SpokeCluster[];
  /** The controller. */
  readonly consumer: HubConsumer;
  /** Jobs that write the status. */
  readonly statusWriters: readonly StatusWriter[];
  /** Worker clusters of MultiKueue. */
  readonly workerClusters: readonly MultiKueueCluster[];
}

/** Makes the objects of the hub in the charts that it is given; throws what their constructs throw. */
export function fleetObjects(
  chart: (chart: FleetChart) => Chart,
  props: FleetAccessProps,
  plan: FleetPlan,
  identities: ControllerIdentities,
): FleetObjects {
  const inventory = inventoryOf(chart, props, plan);
  const spokes = plan.spokes.map(({ name, clusterRole: _, namespaces: __, ...spoke }) =>
    at({ node: { path: `spoke ${name}` } }, () => new SpokeCluster(inventory, name, spoke)),
  );
  const consumer = consumerOf(chart(CONSUMER), props, plan, { spokes, identities });
  const { statusWriter } = props;
  const writers = (): readonly StatusWriter[] => {
    if (statusWriter === undefined) return [];
    const jobs = chart(STATUS_WRITERS);
    return spokes.map((spoke) => new StatusWriter(jobs, spoke.profileName, { ...statusWriter, spoke }));
  };
  const workers = (): readonly MultiKueueCluster[] => {
    if (props.consumer.form.kind !== "kueue") return [];
    const kueue = chart(KUEUE);
    return spokes.map((spoke) => new MultiKueueCluster(kueue, spoke.profileName, { spoke }));
  };
  return { inventory, spokes, consumer, statusWriters: writers(), workerClusters: workers() };
}

function inventoryOf(
  chart: (chart: FleetChart) => Chart,
  { clusterManager, apiVersion, statusWriter }: FleetAccessProps,
  { namespace }: FleetPlan,
): ClusterInventory {
  return new ClusterInventory(chart(PROFILES), "inventory", {
    namespace,
    clusterManager,
    ...(apiVersion !== undefined && { apiVersion }),
    ...(statusWriter === undefined && { statusScope: chart(STATUS) }),
  });
}

function consumerOf(
  chart: Chart,
  props: FleetAccessProps,
  { apiServer }: FleetPlan,
  made: { readonly spokes: readonly SpokeCluster[]; readonly identities: ControllerIdentities },
): HubConsumer {
  const { consumer, hub, plugins, pluginByCloud, additionalProviders, kueueConfiguration } = props;
  const imageVolume = imageVolumeGate(hub);
  return new HubConsumer(chart, "consumer", {
    consumer,
    hub: { version: apiServer, ...(imageVolume !== undefined && { imageVolume }) },
    ...made,
    ...(plugins && { plugins }),
    ...(pluginByCloud && { pluginByCloud }),
    ...(additionalProviders && { additionalProviders }),
    ...(kueueConfiguration !== undefined && { kueueConfiguration }),
  });
}
