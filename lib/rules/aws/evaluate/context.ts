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

/**
 * Keys of every request of a role that somebody assumed, and of its region where that is known. Services of AWS offer no
 * other transport than TLS. Source: "AWS global condition context keys" in the IAM user guide.
 */
export function requestOfRole(region: string): Readonly<Record<string, string>> {
  return region === "" ? OF_ROLES : { ...OF_ROLES, "aws:RequestedRegion": region };
}

const OF_ROLES: Readonly<Record<string, string>> = {
  "aws:PrincipalIsAWSService": "false",
  "aws:PrincipalType": "AssumedRole",
  "aws:SecureTransport": "true",
};
