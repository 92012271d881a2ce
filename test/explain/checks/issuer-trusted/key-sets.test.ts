/*
 * Which keys of a set verify tokens of a cluster. Sources: RFC 7517 section 4; RFC 7518 sections 3.1, 6.2 and 6.3;
 * kubernetes/kubernetes, pkg/serviceaccount/jwt.go for `kid`.
 */

import { generateKeyPairSync } from "node:crypto";
import { describe, expect, test } from "vitest";
import { keySet } from "../../../../lib/explain/shared/key-set";
import { Reference, known, textOf } from "../../../../lib/model/known";
import { ACCEPTED_ALGORITHMS as ENTRA } from "../../../../lib/rules/azure/issuer";
import { ACCEPTED_ALGORITHMS as GOOGLE } from "../../../../lib/rules/google/issuer";
import { jwksFromPublicKeys } from "../../../../lib/rules/openid/jwks";
import { publicKey } from "../../../fixtures/explain/access";

type Jwk = Readonly<Record<string, unknown>>;

const jwkOf = (pem: string): Jwk => ({ ...jwksFromPublicKeys([pem]).keys[0] });
const ec = (namedCurve: string): Jwk =>
  jwkOf(
    generateKeyPairSync("ec", { namedCurve }).publicKey.export({ type: "spki", format: "pem" }) as string,
  );
const [rsa, p256, p384] = [jwkOf(publicKey), ec("P-256"), ec("P-384")];
const short = generateKeyPairSync("rsa", { modulusLength: 1024 }).publicKey.export({ format: "jwk" });
const without = (name: string): Jwk =>
  Object.fromEntries(Object.entries(rsa).filter(([key]) => key !== name));

/** `pass`, or the beginning of the word for what is said. */
function said(keys: readonly unknown[], accepted?: Parameters<typeof keySet>[1]): readonly [string, string] {
  const { refusal, doubt } = keySet(known(JSON.stringify({ keys })), accepted);
  return refusal !== undefined ? ["fail", refusal] : doubt !== undefined ? ["unknown", doubt] : ["pass", ""];
}

describe("a key set", () => {
  test.each<[string, readonly unknown[], string, string?]>([
    ["as kube-apiserver publishes it", [rsa], "pass"],
    ["of several types", [p384, p256, rsa], "pass"],
    ["without use", [without("use")], "pass"],
    ["without alg", [without("alg")], "pass"],
    ["of another use", [{ ...rsa, use: "enc" }], "fail", "use is not sig"],
    ["of a use that is no text", [{ ...rsa, use: 1 }], "fail", "use is not sig"],
    ["of other operations", [{ ...rsa, key_ops: ["encrypt"] }], "fail", "no key to verify"],
    ["to verify", [{ ...rsa, key_ops: ["verify"] }], "pass"],
    ["with another use beside it", [{ ...p256, use: "enc" }, rsa], "pass"],
    ["without kid", [without("kid")], "fail", "has no kid"],
    ["of a kid that is no text", [{ ...rsa, kid: 1 }], "fail", "has no kid"],
    ["of another kid", [{ ...rsa, kid: "k1" }], "unknown", "k1 is not the id"],
    ["of another kid beside it", [{ ...p256, kid: "k1" }, rsa], "pass"],
    ["of one kid for two keys", [rsa, { ...p256, kid: rsa["kid"] }], "unknown", "more than one key"],
    ["with a key twice", [rsa, rsa], "pass"],
    ["without modulus", [without("n")], "fail", "no public key"],
    ["without exponent", [without("e")], "fail", "no public key"],
    ["with padding", [{ ...rsa, n: `${String(rsa["n"])}=` }], "fail", "no public key"],
    ["of an unusual exponent", [{ ...rsa, e: "Aw" }], "unknown", "unusual"],
    ["of a short modulus", [{ ...short, kid: "k1", use: "sig" }], "unknown", "unusual"],
    ["off the curve", [{ ...p256, x: p256["y"] }], "fail", "no public key"],
    ["of another curve", [{ ...p256, crv: "P-384" }], "fail", ""],
    ["of an algorithm of another type", [{ ...rsa, alg: "ES256" }], "fail", "is not for"],
    ["of an algorithm that none takes", [{ ...rsa, alg: "none" }], "fail", "is not for"],
    ["of a symmetric key", [{ kty: "oct", k: "AAAA", kid: "k1" }], "fail", "is not for"],
    ["of Edwards curves", [{ kty: "OKP", crv: "Ed25519", x: "AAAA", kid: "k1" }], "fail", "is not for"],
    ["of an inherited name", [{ kty: "EC", crv: "constructor", kid: "k1" }], "fail", "is not for"],
    ["of texts", ["key", null], "fail", "has no kid"],
  ])("%s", (_, keys, status, words = "") => {
    expect(said(keys)).toEqual([status, expect.stringContaining(words)]);
  });

  test.each<[string, Jwk, typeof ENTRA, string]>([
    ["Entra takes RSA", rsa, ENTRA, "pass"],
    ["Entra takes no EC", p256, ENTRA, "fail"],
    ["Entra takes RS256 alone", { ...rsa, alg: "RS512" }, ENTRA, "fail"],
    ["Google takes P-256", p256, GOOGLE, "pass"],
    ["Google takes no P-384", p384, GOOGLE, "fail"],
  ])("%s", (_, key, accepted, status) => {
    expect(said([key], accepted)[0]).toBe(status);
  });

  test("that apply completes is in doubt", () => {
    const late = textOf(['{"keys":[{"kty":"RSA","kid":"k1","n":"', new Reference("var.n"), '"}]}']);
    expect(keySet(late)).toMatchObject({ refusal: undefined, doubt: "k1 is known only after apply" });
  });
});
