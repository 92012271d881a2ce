import type { Answer, Evidence, Status } from "../answer";

/** A broken link whose words are found when they are read: to see that it is broken costs far less. */
export class BrokenLater implements Answer {
  /** Known at once. */
  readonly status: Status = "fail";
  readonly #explain: () => Answer;
  #known: Answer | undefined;

  constructor(explain: () => Answer) {
    this.#explain = explain;
  }

  /** Why. */
  get reason(): string {
    return this.#answer.reason;
  }

  /** What it was judged by. */
  get evidence(): readonly Evidence[] {
    return this.#answer.evidence;
  }

  /** What to do. */
  get remedy(): string {
    return this.#answer.remedy;
  }

  /** What an operator sees of it. */
  get log(): string | undefined {
    return this.#answer.log;
  }

  get #answer(): Answer {
    return (this.#known ??= this.#explain());
  }
}
