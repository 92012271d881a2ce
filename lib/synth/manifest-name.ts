import { fail } from "../errors";
import { isDnsLabel, isDnsSubdomain } from "../model/kubernetes-name";
import type { ChartOptions } from "../model/manifest-sink";
import { refuseFileName } from "./problems";

const ORDER_MAX = 99;
const ORDER_DIGITS = 2;

/** File systems take names of 255 bytes; `.yaml` is part of them. */
const EXACT_NAME_MAX = 250;

/**
 * Path of a manifest below the stack's folder: `manifests/NN-name.yaml`, `manifests/name.yaml` exactly, or
 * `spokes/name.yaml` for what belongs to a spoke.
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
      problem: `order of the manifest ${name} is not a whole number of two digits`,
      value: order,
      allowed: "0 to 99",
      remedy: "choose where the file stands among the others: namespaces and RBAC early, workloads late",
    });
  const digits = exact ? "" : `${String(order).padStart(ORDER_DIGITS, "0")}-`;
  return `${ofSpoke ? "spokes" : "manifests"}/${digits}${name}.yaml`;
}

const NUMBERED = /^(manifests\/\d\d-[^_/]+)(\.yaml)$/;

/**
 * Path of the objects of one namespace that a manifest holds, `manifests/NN-name_namespace.yaml`: neither part holds a
 * `_`, so that it is no other manifest's, and it sorts behind the manifest. The manifest itself where its exact name is
 * asked for.
 */
export function namespaceFile(file: string, namespace: string): string {
  return file.replace(NUMBERED, `$1_${namespace}$2`);
}

/** What tells a chart from the others: a spoke may be called like a manifest, which never holds a colon. */
export function chartKey(name: string, { appliesTo }: Pick<ChartOptions, "appliesTo">): string {
  return appliesTo === "spoke" ? `spoke:${name}` : name;
}

/** Path of the files for a spoke's control plane; a spoke's name holds no `_`, so that it is no other spoke's file. */
export function spokeNodesFile(spoke: string): string {
  return isExactName(spoke) && isExactName(`${spoke}-control-plane`)
    ? `spokes/${spoke}_control-plane.yaml`
    : refuseFileName(spoke, true);
}

/** True for what can be the name of a file, `.yaml` left out, and is one that Kubernetes objects may have. */
export function isExactName(name: string): boolean {
  return isDnsSubdomain(name) && name.length <= EXACT_NAME_MAX;
}

/**
 * `<namespace>.<name>` of the service account `namespace/name`. A namespace holds no dot, so that two service accounts
 * never share a file.
 */
export function podFileName(key: string): string {
  return key.replace("/", ".");
}
