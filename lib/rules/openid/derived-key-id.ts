import { type KeyObject, createHash, createPublicKey } from "node:crypto";
import { isRecord } from "../../model/record";

/**
 * The `kid` that kube-apiserver gives a public key: base64url, without padding, of SHA-256 over its DER form.
 * Source: kubernetes/kubernetes, pkg/serviceaccount/jwt.go (`keyIDFromPublicKey`).
 */
export function keyId(key: KeyObject): string {
  return createHash("sha256")
    .update(key.export({ format: "der", type: "spki" }))
    .digest("base64url");
}

const PUBLIC: readonly string[] = ["kty", "n", "e", "crv", "x", "y"];

/** The same of a parsed JSON Web Key; `undefined` for what is no public key. Never throws. */
export function derivedKeyId(jwk: unknown): string | undefined {
  if (!isRecord(jwk)) return undefined;
  const key = Object.fromEntries(PUBLIC.filter((name) => name in jwk).map((name) => [name, jwk[name]]));
  // What is no key has no id.
  try {
    return keyId(createPublicKey({ key, format: "jwk" }));
  } catch {
    return undefined;
  }
}
