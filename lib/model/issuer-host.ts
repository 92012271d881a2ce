import type { Issuer } from "./issuer";

/** A place that publishes an issuer's discovery document and keys: declared in this configuration. */
export interface IIssuerHost {
  /** The issuer: what the cluster's `--service-account-issuer` must be, to the letter; may be late. */
  readonly issuer: Issuer;
}
