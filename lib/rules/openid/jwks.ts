/*
 * Public keys as kube-apiserver publishes them at /openid/v1/jwks: the clouds find a token's key by its `kid`.
 * Source: kubernetes/kubernetes, pkg/serviceaccount/openidmetadata.go (`jwkFromPublicKey`) and jwt.go
 * (`keyIDFromPublicKey`).
 */

import type { KeyObject } from "node:crypto";
import { fail } from "../../errors";
import type { PublicJsonWebKey, PublicJsonWebKeySet } from "../../model/json-web-key";
import { keyId } from "./derived-key-id";
import { publicKey } from "./public-key";
import { type ObjectKind, list, object, text } from "../../model/shape";

/** Which signatures a relying party takes. */
export interface AcceptedAlgorithms {
  /** Who, for refusals, `AWS` say. */
  readonly by: string;
  /** For example `RS256`, `ES256`. */
  readonly algorithms: readonly string[];
}

/** The kind of {@link AcceptedAlgorithms}. */
export const ACCEPTED_ALGORITHMS: ObjectKind<AcceptedAlgorithms> = object({
  by: text,
  algorithms: list(text),
});

const RSA_BITS_MIN = 2048;
/** Go's crypto/rsa, in which kube-apiserver is written, takes no greater exponent. */
const EXPONENT_MAX = 2147483647n;
const EXPONENT_MIN = 65537n;

/** RFC 7518 section 3.4, by the name that OpenSSL has for the curve. */
const CURVES: Readonly<Record<string, string>> = {
  prime256v1: "ES256",
  secp384r1: "ES384",
  secp521r1: "ES512",
};

/** The numbers of a key as Node exports them. */
type Numbers = Pick<PublicJsonWebKey, "n" | "e" | "crv" | "x" | "y">;

/**
 * The JSON Web Key Set of public keys in PEM, in the given order; byte for byte the members of kube-apiserver.
 *
 * RSA keys sign with RS256, P-256 with ES256, P-384 with ES384, P-521 with ES512. `kid` is base64url, without padding,
 * of SHA-256 over the DER form of the public key.
 *
 * `names` call the keys in refusals, by file say; without them a key is called by its place.
 *
 * Throws `issuer-keys-empty`, `issuer-key-private`, `issuer-key-certificate`, `issuer-key-invalid`, `issuer-key-type`,
 * `issuer-key-weak` or `issuer-key-duplicate`; the private parts of a key are in no error.
 */
export function jwksFromPublicKeys(
  pems: readonly string[],
  names: readonly string[] = [],
): PublicJsonWebKeySet {
  // One text instead of a list is the likely mistake of a caller without types.
  if (!Array.isArray(pems))
    return fail(
      "issuer-key-invalid",
      "what is given",
      "is no list of public keys",
      "put each key into a list",
    );
  if (pems.length === 0) return fail("issuer-keys-empty");
  const given: readonly unknown[] = Array.isArray(names) ? names : [];
  const name = (index: number): string => {
    const stated = given[index];
    if (typeof stated === "string") return stated;
    return pems.length === 1 ? "the public key" : `public key ${index + 1}`;
  };
  // A list may have holes, which its own map would leave out.
  const keys = Array.from(pems, (pem, index) => jsonWebKey(pem, name(index)));
  for (const [index, { kid }] of keys.entries()) {
    const first = keys.findIndex((key) => key.kid === kid);
    if (first < index) fail("issuer-key-duplicate", name(first), name(index));
  }
  return { keys };
}

/** Refuses a key whose signatures a relying party does not take; throws `issuer-key-algorithm`. */
export function requireAlgorithms({ keys }: PublicJsonWebKeySet, accepted: AcceptedAlgorithms): void {
  for (const { alg = "", kid } of keys) {
    if (accepted.algorithms.includes(alg)) continue;
    fail("issuer-key-algorithm", `the public key of id ${kid}`, alg, accepted.by, accepted.algorithms);
  }
}

function jsonWebKey(pem: string, which: string): PublicJsonWebKey {
  const key = publicKey(pem, which);
  const alg = algorithmOf(key, which);
  const { n, e, crv, x, y } = key.export({ format: "jwk" }) as Numbers;
  const kid = keyId(key);
  // The order is that of go-jose, so that a document compares with the cluster's own line by line.
  if (crv === undefined) return { use: "sig", kty: "RSA", kid, alg, ...numbers({ n, e }) };
  return { use: "sig", kty: "EC", kid, ...numbers({ crv }), alg, ...numbers({ x, y }) };
}

/** Only what is there; under `exactOptionalPropertyTypes` an absent member is left out. */
function numbers(all: Readonly<Record<string, string | undefined>>): Numbers {
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

function algorithmOf(key: KeyObject, which: string): string {
  const type = key.asymmetricKeyType ?? "unknown";
  const { modulusLength = 0, publicExponent = 0n, namedCurve = "" } = key.asymmetricKeyDetails ?? {};
  if (type === "rsa") {
    if (modulusLength < RSA_BITS_MIN)
      return fail(
        "issuer-key-weak",
        which,
        `RSA of ${modulusLength} bits`,
        `RSA of at least ${RSA_BITS_MIN} bits`,
      );
    if (publicExponent < EXPONENT_MIN || publicExponent > EXPONENT_MAX || publicExponent % 2n === 0n)
      return fail(
        "issuer-key-weak",
        which,
        `RSA with the exponent ${publicExponent}`,
        "an exponent of 65537",
      );
    return "RS256";
  }
  const alg = type === "ec" && Object.hasOwn(CURVES, namedCurve) ? CURVES[namedCurve] : undefined;
  return (
    alg ?? fail("issuer-key-type", which, type === "ec" ? `EC on ${namedCurve || "unnamed curve"}` : type)
  );
}
