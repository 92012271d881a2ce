/*
 * Audiences that nodes may request because a CSI driver behind a pod's volume asks for them.
 *
 * Source: kubernetes:plugin/pkg/admission/noderestriction/admission.go, `podReferencesAudience`.
 */

import type { Known } from "../../model/known";

/** The CSI drivers that were read, and which one is behind each claim. */
export interface VolumeDrivers {
  /** Audiences in `tokenRequests` by the driver's name. */
  readonly audiences: ReadonlyMap<string, readonly Known<string>[]>;
  /** The driver behind a claim by `namespace/name`; `undefined` for a volume that no CSI driver serves. */
  readonly ofClaim: ReadonlyMap<string, string | undefined>;
}
