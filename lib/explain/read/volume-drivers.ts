/*
 * Audiences that nodes may request because a CSI driver behind a pod's volume asks for them.
 *
 * Source: kubernetes:plugin/pkg/admission/noderestriction/admission.go, `podReferencesAudience`.
 */

import { type Known, unread } from "../../model/known";
import { at, list, text } from "../../model/parsed";
import { groupsOf } from "./agreed";
import { type Objects, keyOf } from "./objects";

/** The CSI drivers that were read, and which one is behind each claim. */
export interface VolumeDrivers {
  /** Audiences in `tokenRequests` by the driver's name. */
  readonly audiences: ReadonlyMap<string, readonly Known<string>[]>;
  /** The driver behind a claim by `namespace/name`; `undefined` for a volume that no CSI driver serves. */
  readonly ofClaim: ReadonlyMap<string, string | undefined>;
}

/** Reads CSIDriver, PersistentVolume and PersistentVolumeClaim objects. */
export function readVolumeDrivers(objects: Objects): VolumeDrivers {
  const volumes = new Map(
    objects.of("PersistentVolume").map(({ value }) => [nameOf(value), driverOf(value)]),
  );
  const claims = objects.of("PersistentVolumeClaim").flatMap(({ value }) => {
    const behind = volumes.get(text(at(value, "spec", "volumeName")));
    return behind === undefined || behind === "unread" ? [] : [[keyOf(value), behind.driver] as const];
  });
  const audiences = groupsOf(objects.of("CSIDriver")).map(([, documents]) => {
    const all = documents.flatMap(({ value, late }) =>
      list(at(value, "spec", "tokenRequests")).map((request) => late(text(at(request, "audience")))),
    );
    return [nameOf(documents[0]?.value), documents.length > 1 ? [...all, CONTESTED] : all] as const;
  });
  return { audiences: new Map(audiences), ofClaim: new Map(claims) };
}

const CONTESTED: Known<string> = unread("several documents of one CSIDriver were read");

function nameOf(object: unknown): string {
  return text(at(object, "metadata", "name"));
}

const WITHOUT_DRIVER: readonly string[] = ["hostPath", "local", "nfs"];

/** A volume of a former in-tree kind is translated to its CSI driver, whose name is not read here. */
function driverOf(volume: unknown): { readonly driver: string | undefined } | "unread" {
  const driver = text(at(volume, "spec", "csi", "driver"));
  if (driver !== "") return { driver };
  const isWithout = WITHOUT_DRIVER.some((kind) => at(volume, "spec", kind) !== undefined);
  return isWithout ? { driver: undefined } : "unread";
}
