import { fail } from "../errors";
import { isDnsLabel, isDnsSubdomain } from "../model/kubernetes-name";
import type { ChartOptions } from "../model/manifest-sink";
import { refuseFileName } from "./problems";

const ORDER_MAX = 99;
const ORDER_DIGITS = 2;

/** File systems allow names of 255 bytes, including `.yaml`. */
const EXACT_NAME_MAX = 250;

/**
 * Path of a manifest below the stack's folder: `manifests/NN-name.yaml`, `manifests/name.yaml` if the name is exact, or
 * `spokes/name.yaml` for a spoke.
 */
export function manifestFile(
  name: string,
  { order, exactName = false, appliesTo }: Pick<ChartOptions, "order" | "exactName" | "appliesTo">,
): string {
  const ofSpoke = appliesTo === "spoke";
  const exact = exactName || ofSpoke;
  if (!(exact ? isExactName(name) : isDnsLabel(name))) refuseFileName(name, exact);
  if (!Number.isInteger(order) || order < 0 || order > ORDER_MAX)
    fail("manifest-invalid", {
      problem: `order of the manifest ${name} is not a whole number with at most two digits`,
      value: order,
      allowed: "0 to 99",
      remedy: "choose when the file is applied: namespaces and RBAC early, workloads late",
    });
  const digits = exact ? "" : `${String(order).padStart(ORDER_DIGITS, "0")}-`;
  return `${ofSpoke ? "spokes" : "manifests"}/${digits}${name}.yaml`;
}

/** Path of a file in the folder of a cluster, `manifests/<cluster>/NN-name.yaml`; unchanged without a cluster. */
export function clusterFile(file: string, cluster: string | undefined): string {
  return cluster === undefined ? file : file.replace("/", `/${cluster}/`);
}

const NUMBERED = /^(manifests\/(?:[^/]+\/)?\d\d-[^_/]+)(\.yaml)$/;

/**
 * Path of the file for a manifest's objects in one namespace, `manifests/NN-name_namespace.yaml`; for a manifest with
 * an exact name, its own path. Neither part contains a `_`, so the path is unique, and it sorts after the manifest's
 * own.
 */
export function namespaceFile(file: string, namespace: string): string {
  return file.replace(NUMBERED, `$1_${namespace}$2`);
}

/** Key of a chart. A spoke may have a manifest's name, so its key has a colon, which such names never have. */
export function chartKey(name: string, { appliesTo }: Pick<ChartOptions, "appliesTo">): string {
  return appliesTo === "spoke" ? `spoke:${name}` : name;
}

/** Path of the file for a spoke's control plane; names of spokes have no `_`, so the path is unique. */
export function spokeNodesFile(spoke: string): string {
  return isExactName(spoke) && isExactName(`${spoke}-control-plane`)
    ? `spokes/${spoke}_control-plane.yaml`
    : refuseFileName(spoke, true);
}

/** Whether a Kubernetes object may have the name, and a file may have it with `.yaml` added. */
export function isExactName(name: string): boolean {
  return isDnsSubdomain(name) && name.length <= EXACT_NAME_MAX;
}

/**
 * `<namespace>.<name>` for the service account `namespace/name`. A namespace has no dot, so two service accounts never
 * share a file.
 */
export function podFileName(key: string): string {
  return key.replace("/", ".");
}
