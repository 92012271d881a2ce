/** Whose tokens a spoke takes that trusts the hub's issuer itself. */
export interface SpokeTrust {
  /** URL of the issuer; may be late. */
  readonly issuer: string;
  /** The hub's service accounts that may sign in, `namespace/name`, sorted. */
  readonly serviceAccounts: readonly string[];
}
