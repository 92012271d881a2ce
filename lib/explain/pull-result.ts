/*
 * The result of one pull.
 */

import type { CheckResult } from "./answer";
import { PULL_LINKS, type Pulls } from "./jobs/pull";
import type { AskedPull } from "./jobs/pull-questions";
import type { ExplainResult, Verdict } from "./result";

/** What the verifier says about one pull. */
export interface PullResult extends ExplainResult {
  /** Which job it belongs to. */
  readonly job: "image-pull";
}

/** A verdict is cheap, but its checks are not, so they are assembled when they are read. */
export class JudgedResult implements PullResult {
  readonly job = "image-pull";
  readonly #question: AskedPull;
  readonly #judged: ReturnType<Pulls["judge"]> | undefined;

  constructor(question: AskedPull, pulls: Pulls) {
    this.#question = question;
    const { artefacts, puller, image, isNeverPulled } = question;
    this.#judged = isNeverPulled ? undefined : pulls.judge(artefacts, puller, image);
  }

  get stack(): string {
    return this.#question.artefacts.stack;
  }

  get subject(): string {
    return this.#question.puller.key;
  }

  get target(): string {
    return this.#question.image.text;
  }

  get verdict(): Verdict {
    return this.#judged?.verdict ?? "unknown";
  }

  get as(): string | null {
    return this.#judged?.as ?? null;
  }

  get checks(): readonly CheckResult[] {
    return this.#judged?.checks ?? PULL_LINKS.map(({ id }) => ({ id, ...NEVER_PULLED }));
  }

  /** As `checks`, with the links after the first broken one judged as if it held. */
  get stacked(): readonly CheckResult[] {
    return this.#judged?.stacked ?? this.checks;
  }

  toJSON(): PullResult {
    const { job, stack, subject, target, verdict, as, checks } = this;
    return { job, stack, subject, target, verdict, as, checks };
  }
}

const NEVER_PULLED = {
  status: "skipped",
  reason:
    "imagePullPolicy Never: the kubelet uses the image that is on the node, or fails with ErrImageNeverPull",
  evidence: [],
  remedy: "",
} as const;
