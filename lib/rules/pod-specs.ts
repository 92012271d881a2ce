/*
 * The kinds that are pods or create pods.
 */

/** Path of the pod's spec in each kind. */
const POD_SPECS: Readonly<Record<string, readonly string[]>> = {
  Pod: ["spec"],
  CronJob: ["spec", "jobTemplate", "spec", "template", "spec"],
  DaemonSet: ["spec", "template", "spec"],
  Deployment: ["spec", "template", "spec"],
  DeploymentConfig: ["spec", "template", "spec"],
  Job: ["spec", "template", "spec"],
  ReplicaSet: ["spec", "template", "spec"],
  ReplicationController: ["spec", "template", "spec"],
  StatefulSet: ["spec", "template", "spec"],
};

export const WORKLOAD_KINDS: readonly string[] = Object.keys(POD_SPECS);

export const CONTAINERS: readonly string[] = ["initContainers", "containers", "ephemeralContainers"];

/** Path of the pod's spec in a kind; `undefined` for a kind that creates no pods. */
export function podSpecPath(kind: string): readonly string[] | undefined {
  return Object.hasOwn(POD_SPECS, kind) ? POD_SPECS[kind] : undefined;
}
