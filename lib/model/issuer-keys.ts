import { type ObjectKind, choice, object, optional, text } from "./shape";

/**
 * A public key that an issuer publishes, and its part in a rotation.
 *
 * To rotate, publish `current` and `next`. Once every cache has both, let the cluster sign with the next key and mark
 * it `current` and the old one `previous`. Remove the old key once every token that it signed has expired.
 */
export interface IssuerKey {
  /** The public key: one PEM block `PUBLIC KEY` (SubjectPublicKeyInfo). Never a private key, never a certificate. */
  readonly publicKey: string;
  /** `current` is the key with which the cluster signs now; each cluster has exactly one. */
  readonly use: "current" | "next" | "previous";
  /**
   * Name of the cluster that signs with the key, if several clusters share the issuer and rotate their keys
   * independently. The name is not published.
   *
   * @defaultValue - all keys without a name belong to one cluster
   */
  readonly cluster?: string;
}

export const ISSUER_KEY: ObjectKind<IssuerKey> = object({
  publicKey: text,
  use: choice(["current", "next", "previous"]),
  cluster: optional(text),
});
