import type { Answer, Evidence, Status } from "../answer";

/** An answer whose words are found when they are read: to see whether a link holds costs far less. */
export class AnswerLater implements Answer {
  /** Known at once. */
  readonly status: Status;
  readonly #explain: () => Answer;
  #known: Answer | undefined;

  /** `explain` gives an answer of that status. */
  constructor(status: Status, explain: () => Answer) {
    this.status = status;
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
