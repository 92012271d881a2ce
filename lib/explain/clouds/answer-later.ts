import type { Answer, Evidence, Status } from "../answer";

/** An answer whose words are found when they are read: to see whether a link holds costs far less. */
export class AnswerLater implements Answer {
  /** Known at once. */
  readonly status: Status;
  readonly #explain: (place: number) => Answer;
  readonly #place: number;
  #known: Answer | undefined;

  /** `explain` gives an answer of that status; where it has several, the one of this place. */
  constructor(status: Status, explain: (place: number) => Answer, place = 0) {
    this.status = status;
    this.#explain = explain;
    this.#place = place;
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
    return (this.#known ??= this.#explain(this.#place));
  }
}
