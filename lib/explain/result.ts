import type { CheckResult } from "./answer";
import type { FleetWarning } from "./cloud";
import type { Verdict } from "./verdict";

/** Why a finding is accepted, and for how long. */
export interface Acceptance {
  /** Name of the check or of the row of the audit. */
  readonly check: string;
  /** Why, as it was written. */
  readonly reason: string;
  /** The last day on which it counts, `YYYY-MM-DD` in UTC. */
  readonly expires: string;
}

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
  /**
   * Why it is accepted all the same, for each link that keeps it from being allowed; the verdict stays what it is.
   *
   * @defaultValue - it is not accepted, or only in part
   */
  readonly accepted?: readonly Acceptance[];
}

/** What a service account can read in one place. */
export interface ServiceAccountReach {
  /** The stack; empty for manifests outside of stacks. */
  readonly stack: string;
  /** As which identity. */
  readonly as: string;
  /** `<host>/<repository>` with `*` for any text, or words where it is not a pattern. */
  readonly pattern: string;
  /** True where a declared pull of the service account covers it; false is more than was declared. */
  readonly declared: boolean;
}
