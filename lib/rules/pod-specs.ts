/*
 * Which kinds are pods or make pods.
 */

/** Where each kind keeps the pod's spec. */
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

/** The kinds that are pods or make pods. */
export const WORKLOAD_KINDS: readonly string[] = Object.keys(POD_SPECS);

/** The lists of a pod's containers. */
export const CONTAINERS: readonly string[] = ["initContainers", "containers", "ephemeralContainers"];

/** Where a kind keeps the pod's spec; `undefined` for one that makes no pods. */
export function podSpecPath(kind: string): readonly string[] | undefined {
  return Object.hasOwn(POD_SPECS, kind) ? POD_SPECS[kind] : undefined;
}
