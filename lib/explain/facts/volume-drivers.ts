/*
 * Audiences that nodes may request because a CSI driver behind a pod's volume asks for them.
 *
 * Source: kubernetes:plugin/pkg/admission/noderestriction/admission.go, `podReferencesAudience`.
 */

import { at, list, own, text } from "./access";
import type { WorkloadFact } from "./workload-facts";

/** The CSI drivers that were read, and which one is behind each claim. */
export interface VolumeDrivers {
  /** Audiences in `tokenRequests` by the driver's name. */
  readonly audiences: ReadonlyMap<string, readonly string[]>;
  /** The driver behind a claim by `namespace/name`; empty for a volume that no CSI driver serves. */
  readonly ofClaim: ReadonlyMap<string, string>;
}

/** Reads CSIDriver, PersistentVolume and PersistentVolumeClaim objects. */
export function readVolumeDrivers(objects: readonly unknown[]): VolumeDrivers {
  const ofKind = (kind: string): readonly unknown[] =>
    objects.filter((object) => own(object, "kind") === kind);
  const volumes = new Map(ofKind("PersistentVolume").map((volume) => [nameOf(volume), driverOf(volume)]));
  const claims = ofKind("PersistentVolumeClaim").flatMap((claim): (readonly [string, string])[] => {
    const driver = volumes.get(text(at(claim, "spec", "volumeName")));
    const namespace = text(at(claim, "metadata", "namespace")) || "default";
    return driver === undefined ? [] : [[`${namespace}/${nameOf(claim)}`, driver]];
  });
  return {
    audiences: new Map(ofKind("CSIDriver").map((driver) => [nameOf(driver), requestedAudiences(driver)])),
    ofClaim: new Map(claims),
  };
}

/** Whether a CSI driver behind a pod's volumes asks for the audience; `unknown` where one was not read. */
export function driverReferences(
  { audiences, ofClaim }: VolumeDrivers,
  { namespace, drivers, claims, hasGeneratedClaims }: WorkloadFact,
  audience: string,
): "yes" | "no" | "unknown" {
  const behind = claims.map((claim) => ofClaim.get(`${namespace}/${claim}`));
  const names = [...drivers, ...behind].filter((driver) => driver !== "");
  const requested = names.map((driver) => (driver === undefined ? undefined : audiences.get(driver)));
  if (requested.some((each) => each?.includes(audience))) return "yes";
  return hasGeneratedClaims || requested.includes(undefined) ? "unknown" : "no";
}

function nameOf(object: unknown): string {
  return text(at(object, "metadata", "name"));
}

/** A volume of a former in-tree kind is translated to its CSI driver, whose name is not read here. */
function driverOf(volume: unknown): string | undefined {
  const driver = text(at(volume, "spec", "csi", "driver"));
  if (driver !== "") return driver;
  return WITHOUT_DRIVER.some((kind) => at(volume, "spec", kind) !== undefined) ? "" : undefined;
}

const WITHOUT_DRIVER: readonly string[] = ["hostPath", "local", "nfs"];

function requestedAudiences(driver: unknown): readonly string[] {
  return list(at(driver, "spec", "tokenRequests")).map((request) => text(own(request, "audience")));
}
