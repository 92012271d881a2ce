import type { CheckResult } from "./answer";
import type { FleetWarning } from "./cloud";
import type { Verdict } from "./verdict";

/** What the verifier says of one chain, whatever its job. */
export interface ExplainResult {
  /** Which job it belongs to. */
  readonly job: "image-pull" | "running-pull" | "component" | "workload" | "fleet-access";
  /** The stack; empty for manifests outside of stacks. */
  readonly stack: string;
  /** The service account, `namespace/name`. */
  readonly subject: string;
  /**
   * The image or the declared pattern; a component's Secret, `namespace/name`; the cloud that a workload acts in; the
   * name of the spoke's profile.
   */
  readonly target: string;
  /** Whether every link holds. */
  readonly verdict: Verdict;
  /** As which identity, or through what else than the chain; `null` where nothing would serve it. */
  readonly as: string | null;
  /** The links in order. */
  readonly checks: readonly CheckResult[];
  /**
   * Works, but deserves attention.
   *
   * @defaultValue - the job has no warnings
   */
  readonly warnings?: readonly FleetWarning[];
}
