/*
 * The files of a fleet, in apply order: spokes first, so that a controller finds open doors; then profiles, their
 * status, the controller, and what refers to profiles.
 */

import type { ChartOptions } from "../model/manifest-sink";

/** A chart's name with its options. */
export interface FleetChart extends ChartOptions {
  /** Name of the chart. */
  readonly name: string;
}

/** RBAC of a spoke. */
export const SPOKE: Pick<ChartOptions, "order" | "appliesTo"> = { order: 55, appliesTo: "spoke" };

/** The main objects of the profiles. */
export const PROFILES: FleetChart = { name: "cluster-profiles", order: 60 };

/** The status of the profiles. */
export const STATUS: FleetChart = {
  name: "cluster-profile-status",
  order: 61,
  comment: ["A plain apply drops the status in silence. After the profiles, with kubectl 1.32 or newer:"],
};

/** Jobs that write the status. */
export const STATUS_WRITERS: FleetChart = { name: "cluster-profile-status-writers", order: 62 };

/** What the controller needs on the hub. */
export const CONSUMER: FleetChart = {
  name: "fleet-controller",
  order: 65,
  comment: [
    "Workloads and service accounts of the controller's own installation: only the fields that are added.",
    "Apply with `kubectl apply --server-side`; never prune or delete by this file. Names of workloads and containers",
    "must be those of the installation: an unknown container would be added to the pods.",
  ],
};

/** Worker clusters of MultiKueue. */
export const KUEUE: FleetChart = { name: "multi-kueue-clusters", order: 70 };
