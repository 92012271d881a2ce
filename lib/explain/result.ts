import type { CheckResult, Evidence } from "./answer";

/** Why a finding is accepted, and for how long. */
export interface Acceptance {
  /** Name of the check or of the row of the audit. */
  readonly check: string;
  /** Why, as it was written. */
  readonly reason: string;
  /** The last day on which it is accepted, `YYYY-MM-DD` in UTC. */
  readonly expires: string;
}

/** What the verifier says about one chain, whatever its job. */
export interface ExplainResult {
  /** Which job it belongs to. */
  readonly job: "image-pull" | "running-pull" | "component" | "workload" | "fleet-access";
  /**
   * The stack, or `<stack>/<cluster>` if it has manifests per cluster; empty for manifests outside of stacks.
   */
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
  /** The identity, or what serves the pull instead of the chain; `null` if nothing would. */
  readonly as: string | null;
  /** The links in order. */
  readonly checks: readonly CheckResult[];
  /**
   * What works but deserves attention.
   *
   * @defaultValue - the job has no warnings
   */
  readonly warnings?: readonly FleetWarning[];
  /**
   * Why it is accepted nevertheless, for each link that keeps it from being allowed; the verdict does not change.
   *
   * @defaultValue - it is not accepted, or only in part
   */
  readonly accepted?: readonly Acceptance[];
}

/** What a service account can read in one place. */
export interface ServiceAccountReach {
  /** The stack, as in {@link ExplainResult.stack}. */
  readonly stack: string;
  /** The identity that it reads as. */
  readonly as: string;
  /** `<host>/<repository>` with `*` for any text, or words if it is not a pattern. */
  readonly pattern: string;
  /** True if a declared pull of the service account covers it; false if it is more than was declared. */
  readonly declared: boolean;
}

/** The answer to "will it work": `unknown` if a link cannot be determined and none is broken. */
export type Verdict = "allowed" | "denied" | "unknown";

/** The worst first. */
export const VERDICTS: readonly Verdict[] = ["denied", "unknown", "allowed"];

/** Below zero if the first verdict is worse. */
export function compareVerdicts(one: Verdict, other: Verdict): number {
  return VERDICTS.indexOf(one) - VERDICTS.indexOf(other);
}

/** Something that works but that people should know. */
export interface FleetWarning {
  /** Names the kind of warning. */
  readonly id: string;
  /** What it is, one sentence without full stop. */
  readonly reason: string;
  /** The facts that it rests on. */
  readonly evidence: readonly Evidence[];
  /** What to do. */
  readonly remedy: string;
}
