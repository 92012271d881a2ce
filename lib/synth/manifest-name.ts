import { fail } from "../errors";
import { isDnsLabel, isDnsSubdomain } from "../model/kubernetes-name";
import type { ChartOptions } from "../model/manifest-sink";

const ORDER_MAX = 99;
const ORDER_DIGITS = 2;

/** File systems take names of 255 bytes; `.yaml` is part of them. */
const EXACT_NAME_MAX = 250;

/**
 * Path of a manifest below the stack's folder: `manifests/NN-name.yaml`, or `manifests/name.yaml` to the letter.
 *
 * Throws `manifest-name-invalid` or `manifest-order-invalid`.
 */
export function manifestFile(
  name: string,
  { order, exactName = false }: Pick<ChartOptions, "order" | "exactName">,
): string {
  if (!(exactName ? isExactName(name) : isDnsLabel(name))) fail("manifest-name-invalid", name, exactName);
  if (!Number.isInteger(order) || order < 0 || order > ORDER_MAX) fail("manifest-order-invalid", name, order);
  const digits = exactName ? "" : `${String(order).padStart(ORDER_DIGITS, "0")}-`;
  return `manifests/${digits}${name}.yaml`;
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
