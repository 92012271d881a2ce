/*
 * The request context: what a condition key holds, or that this cannot be known here.
 */

/** What is known of one condition key. */
export type ContextValue =
  | {
      /** The key's values are known. */
      readonly known: true;
      /** The values; none where the request does not have the key. */
      readonly values: readonly string[];
      /** Said where the key is absent. */
      readonly absent: string;
    }
  | {
      /** The key's values cannot be known here. */
      readonly known: false;
      /** Why. */
      readonly reason: string;
    };

/** Where conditions look up their keys. */
export interface RequestContext {
  /** Who has the keys, for people: `token` or `request`. */
  readonly bearer: string;
  /** What a key holds; keys are compared without regard to case, as AWS does. */
  lookup(key: string): ContextValue;
}
