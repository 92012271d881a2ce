/*
 * Feature gates of kubelets that were read: from flags, KubeletConfigurations on nodes, and OpenShift's objects.
 */

import type { Known } from "../../model/known";
import type { Source } from "./source";

/** Something sets feature gates. */
export interface GateStatement {
  /** What sets them, for people. */
  readonly title: string;
  /** The gates; a value is not known where it is neither on nor off. */
  readonly gates: ReadonlyMap<string, Known<boolean>>;
  /** False where it is not known whether the kubelets in question read it. */
  readonly isCertain: boolean;
  /** The one pool whose kubelets may read it; `undefined` where those of any may. */
  readonly pool: string | undefined;
  /** Where it stands. */
  readonly source: Source;
}
