/** What a function for tests found; a matcher is this and nothing else. */
export interface Finding {
  /** True where the expectation holds. */
  readonly holds: boolean;
  /** One line that says what was found, and below it the chain; the same whether it holds or not. */
  readonly text: string;
}
