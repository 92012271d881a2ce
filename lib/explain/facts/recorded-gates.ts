/*
 * Feature gates that were recorded of a cluster, or that the caller states.
 */

import { own, record, text } from "./access";
import { switchOf } from "./node-gates";

/** The gates of a cluster. */
export interface RecordedGates {
  /**
   * Feature gates of kubelet and API server that differ from the defaults.
   *
   * @defaultValue - none
   */
  readonly featureGates?: Readonly<Record<string, boolean>>;
  /**
   * Feature gates of the kubelets alone; win over `featureGates`.
   *
   * @defaultValue - `featureGates`
   */
  readonly kubeletFeatureGates?: Readonly<Record<string, boolean>>;
  /**
   * Feature gates of kube-apiserver alone; win over `featureGates`.
   *
   * @defaultValue - `featureGates`
   */
  readonly apiServerFeatureGates?: Readonly<Record<string, boolean>>;
  /**
   * Names of feature gates that were recorded with a value that is neither on nor off.
   *
   * @defaultValue - none
   */
  readonly unclearFeatureGates?: readonly string[];
}

const GATES = ["featureGates", "kubeletFeatureGates", "apiServerFeatureGates"] as const;

/** Reads the gates of a recorded cluster. */
export function recordedGates(recorded: unknown): RecordedGates {
  const stated = GATES.filter((key) => own(recorded, key) !== undefined);
  const read = stated.map((key) => [key, switches(own(recorded, key))] as const);
  const unclear = read.flatMap(([, rows]) => rows.flatMap(([gate, on]) => (on === undefined ? [gate] : [])));
  return {
    ...Object.fromEntries(read.map(([key, rows]) => [key, Object.fromEntries(rows.filter(isClear))])),
    ...(unclear.length > 0 && { unclearFeatureGates: unclear }),
  };
}

type Switch = readonly [gate: string, on: boolean | undefined];

function switches(value: unknown): readonly Switch[] {
  return Object.entries(record(value)).map(([gate, on]) => [
    gate,
    typeof on === "boolean" ? on : switchOf(text(on)),
  ]);
}

function isClear(gate: Switch): gate is readonly [string, boolean] {
  return gate[1] !== undefined;
}

/** The feature gates of the kubelets that differ from the defaults. */
export function kubeletGates(cluster: RecordedGates): Readonly<Record<string, boolean>> {
  return { ...cluster.featureGates, ...cluster.kubeletFeatureGates };
}

/** The feature gates of kube-apiserver that differ from the defaults. */
export function apiServerGates(cluster: RecordedGates): Readonly<Record<string, boolean>> {
  return { ...cluster.featureGates, ...cluster.apiServerFeatureGates };
}
