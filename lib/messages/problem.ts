/** The four parts of a refusal: lower case, no full stop. */
export interface Problem {
  /** What is wrong, in the caller's terms. */
  readonly problem: string;
  /**
   * The refused value.
   *
   * @defaultValue - the message shows no value
   */
  readonly value?: unknown;
  /**
   * What would have been accepted.
   *
   * @defaultValue - left out where it cannot be said in a line
   */
  readonly allowed?: string;
  /** What to do. */
  readonly remedy: string;
}
