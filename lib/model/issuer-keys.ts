import { type ObjectKind, choice, object, optional, text } from "./shape";

/**
 * A public key that an issuer publishes, and its part in a rotation.
 *
 * A rotation is data: publish `current` and `next`; once every cache has both, let the cluster sign with the next one
 * and mark it `current`, the old one `previous`; drop that once every token it signed has expired.
 */
export interface IssuerKey {
  /** The public key: one PEM block `PUBLIC KEY` (SubjectPublicKeyInfo). Never a private key, never a certificate. */
  readonly publicKey: string;
  /** `current` is the one that the cluster signs with now; exactly one key of each cluster is. */
  readonly use: "current" | "next" | "previous";
  /**
   * Name of the cluster that signs with it, where several clusters share the issuer: each has its own keys and
   * rotates them by itself. Published is the key alone.
   *
   * @defaultValue - the keys without a name are of one cluster
   */
  readonly cluster?: string;
}

/** The kind of {@link IssuerKey}. */
export const ISSUER_KEY: ObjectKind<IssuerKey> = object({
  publicKey: text,
  use: choice(["current", "next", "previous"]),
  cluster: optional(text),
});
