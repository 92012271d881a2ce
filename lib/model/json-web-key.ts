/** One public key as a JSON Web Key (RFC 7517, RFC 7518). */
export interface PublicJsonWebKey {
  /** Key type: `RSA` or `EC`. */
  readonly kty: string;
  /** Key id, as service account tokens state it in their header. */
  readonly kid: string;
  /**
   * Signature algorithm, for example `RS256`.
   *
   * @defaultValue - left out
   */
  readonly alg?: string;
  /**
   * Use of the key.
   *
   * @defaultValue - left out
   */
  readonly use?: string;
  /**
   * RSA modulus, base64url.
   *
   * @defaultValue - left out; needed for RSA
   */
  readonly n?: string;
  /**
   * RSA exponent, base64url.
   *
   * @defaultValue - left out; needed for RSA
   */
  readonly e?: string;
  /**
   * Curve, for example `P-256`.
   *
   * @defaultValue - left out; needed for EC
   */
  readonly crv?: string;
  /**
   * X coordinate, base64url.
   *
   * @defaultValue - left out; needed for EC
   */
  readonly x?: string;
  /**
   * Y coordinate, base64url.
   *
   * @defaultValue - left out; needed for EC
   */
  readonly y?: string;
}

/** Public keys as `kubectl get --raw /openid/v1/jwks` prints them. */
export interface PublicJsonWebKeySet {
  /** The keys; during a rotation both the old and the new one. */
  readonly keys: readonly PublicJsonWebKey[];
}
