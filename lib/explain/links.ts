import type { Answer } from "./answer";
import { type Judged, skipped } from "./chain";
import type { CheckId, CheckResult, PullCheck, PullContext } from "./checks/check";

/** Judges one link after the other, up to the first that is broken. */
export function judge(checks: readonly PullCheck[], context: PullContext): Judged {
  // Made at its length: a list that grows has room for far more than the two answers that most have.
  const answers = new Array<Answer | undefined>(checks.length);
  let [given, open] = [0, false];
  for (const { id, run } of checks) {
    const answer = run(context);
    answers[given++] = answer;
    if (answer.status === "fail") return new Links(checks, answers, id, open);
    open ||= answer.status === "unknown";
  }
  return new Links(checks, answers, undefined, open);
}

/** Of a million links few are read, so what is read is put together then. */
class Links implements Judged {
  readonly failed: CheckId | undefined;
  readonly open: boolean;
  readonly #checks: readonly PullCheck[];
  readonly #answers: readonly (Answer | undefined)[];

  constructor(
    checks: readonly PullCheck[],
    answers: readonly (Answer | undefined)[],
    failed: CheckId | undefined,
    open: boolean,
  ) {
    this.#checks = checks;
    this.#answers = answers;
    this.failed = failed;
    this.open = open;
  }

  get checks(): readonly CheckResult[] {
    const { failed } = this;
    return this.#checks.map(({ id }, index): CheckResult => {
      const answer = this.#answers[index];
      return answer ? resultOf(id, answer) : skipped(id, failed ?? id);
    });
  }
}

/** Links of which is known how they end, and which are put together when they are read. */
export class LaterLinks implements Judged {
  /** The first broken link. */
  readonly failed: CheckId | undefined;
  /** True where a link cannot be told. */
  readonly open: boolean;
  readonly #judge: () => Judged;

  /** Ends as the first does, and is put together by the second. */
  constructor({ failed, open }: Judged, judge: () => Judged) {
    this.failed = failed;
    this.open = open;
    this.#judge = judge;
  }

  /** The answers, in order. */
  get checks(): readonly CheckResult[] {
    return this.#judge().checks;
  }
}

/** Named one by one, for what an answer finds when it is read a spread would not copy. */
function resultOf(id: CheckId, { status, reason, evidence, remedy, log }: Answer): CheckResult {
  return { id, status, reason, evidence, remedy, ...(log === undefined ? {} : { log }) };
}
