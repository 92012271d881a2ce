import type { Issuer } from "./issuer";
import type { Subject } from "./subject";

/**
 * "Tokens of this issuer, for this audience, with one of these subjects": what an identity trusts.
 *
 * Each cloud writes it in its own form: a trust policy statement, federated identity credentials, a workload
 * identity pool provider with bindings.
 */
export interface FederatedTrust {
  /** Issuer of the tokens. */
  readonly issuer: Issuer;
  /** The one audience the tokens are for. */
  readonly audience: string;
  /** The service accounts that may act as the identity. */
  readonly subjects: readonly Subject[];
}
