import { generateKeyPairSync } from "node:crypto";
import { describe, expect, it } from "vitest";
import { WorkloadIdentityError } from "../../../lib/errors";
import { publicJwks } from "../../../lib/rules/google/issuer";
import type { PublicJsonWebKeySet } from "../../../lib/model/json-web-key";
import { refusal } from "../../support/refusal";

const rsa = { use: "sig", kty: "RSA", kid: "k1", alg: "RS256", n: "0vx7ago", e: "AQAB" };
const ec = { use: "sig", kty: "EC", kid: "k2", alg: "ES256", crv: "P-256", x: "f83OJ3D", y: "x_FEzRu" };

describe("publicJwks", () => {
  it("writes members in a fixed order, from text and from an object", () => {
    const text =
      '{"keys":[{"kty":"RSA","alg":"RS256","use":"sig","kid":"k1","n":"0vx7ago","e":"AQAB"},{"kty":"EC","alg":"ES256","use":"sig","kid":"k2","x":"f83OJ3D","y":"x_FEzRu","crv":"P-256"}]}';
    expect(publicJwks({ keys: [rsa, ec] })).toBe(text);
    expect(publicJwks(JSON.stringify({ keys: [rsa, ec] }, null, 2))).toBe(text);
  });

  it("hides templates from Terraform without changing the JSON", () => {
    const text = publicJwks({ keys: [{ ...rsa, kid: "a${b}%{c}" }] });
    expect(text).not.toMatch(/[$%]\{/);
    expect((JSON.parse(text) as PublicJsonWebKeySet).keys[0]?.kid).toBe("a${b}%{c}");
  });

  it("lets a late text pass", () => {
    expect(publicJwks("${TfToken[TOKEN.1]}")).toBe("${TfToken[TOKEN.1]}");
  });

  it.each([
    ["", "is empty"],
    ["not json", "is not JSON"],
    ["[]", "is not an object with a list of keys"],
    [JSON.stringify(rsa), "is not an object with a list of keys"],
    ["null", "is not an object with a list of keys"],
    ['{"keys":{}}', "is not an object with a list of keys"],
    ['{"keys":[]}', "has no key"],
    [JSON.stringify({ keys: [rsa], issuer: "x" }), "has members besides keys: issuer"],
    [JSON.stringify({ keys: [rsa, { ...ec, kid: "k1" }] }), "has two keys of the same kid"],
    [JSON.stringify({ keys: [rsa, 1] }), "key 2 is not an object"],
    [JSON.stringify({ keys: [[]] }), "key 1 is not an object"],
    // https://cloud.google.com/iam/docs/troubleshooting-workload-identity-federation: x5c and x5t are not supported.
    [
      JSON.stringify({ keys: [{ ...rsa, x5t: "a", x5c: [] }] }),
      "key 1 has members that Google refuses: x5c, x5t",
    ],
    [
      JSON.stringify({ keys: [{ kty: "OKP", kid: "k", crv: "Ed25519", x: "a" }] }),
      "key 1 is neither RSA nor EC",
    ],
    [JSON.stringify({ keys: [{ kty: "constructor", kid: "k" }] }), "key 1 is neither RSA nor EC"],
    [JSON.stringify({ keys: [{ kty: "RSA", e: "AQAB" }] }), "key 1 lacks kid, n"],
    [JSON.stringify({ keys: [{ kty: "EC", kid: "" }] }), "key 1 lacks kid, crv, x, y"],
    [JSON.stringify({ keys: [{ ...rsa, n: "a+b=" }] }), "key 1 has a n that is not base64url"],
    [JSON.stringify({ keys: [{ ...rsa, alg: 1 }] }), "key 1 has a alg that is not a text"],
  ])("refuses %.60s", (text, reason) => {
    expect(() => publicJwks(text)).toThrowError(refusal("google-invalid", { problem: `JWKS ${reason}` }));
  });

  it("refuses an object with late parts", () => {
    expect(() => publicJwks({ keys: [{ ...rsa, n: "${TfToken[TOKEN.1]}" }] })).toThrowError(
      refusal("late-value"),
    );
  });
});

describe("private keys", () => {
  const pair = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const jwk = { ...pair.privateKey.export({ format: "jwk" }), kid: "k1" };
  const pem = pair.privateKey.export({ format: "pem", type: "pkcs8" }).toString();

  const message = (jwks: string): string => {
    try {
      publicJwks(jwks);
    } catch (error) {
      if (error instanceof WorkloadIdentityError)
        return `${error.code}: ${error.message} ${JSON.stringify(error)}`;
    }
    throw new Error("accepted");
  };

  it.each([
    ["a private RSA key", JSON.stringify({ keys: [jwk] }), "google-unsafe: JWKS holds private"],
    ["one beside a public key", JSON.stringify({ keys: [rsa, jwk] }), "google-unsafe: JWKS holds private"],
    ["a single private key, no set", JSON.stringify(jwk), "google-invalid: JWKS"],
    [
      "a set with a key's members",
      JSON.stringify({ ...jwk, keys: [rsa] }),
      "google-unsafe: JWKS holds private",
    ],
    ["a PEM text", pem, "google-invalid: JWKS"],
  ])("%s is refused and not shown", (_, text, code) => {
    const shown = message(text);
    expect(shown.startsWith(code)).toBe(true);
    for (const secret of [jwk.d, jwk.p, jwk.q, jwk.dp, jwk.dq, jwk.qi, pem.slice(40, 80)]) {
      expect(shown).not.toContain(String(secret));
    }
  });

  it.each(["d", "p", "q", "dp", "dq", "qi", "oth", "k"])("member %s is enough", (member) => {
    expect(() => publicJwks(JSON.stringify({ keys: [{ ...rsa, [member]: "x" }] }))).toThrowError(
      refusal("google-unsafe", {
        problem: `JWKS holds private or secret key material (${member}); it is not shown here`,
      }),
    );
  });

  it("a symmetric key is secret whatever its members", () => {
    expect(() => publicJwks('{"keys":[{"kty":"oct","kid":"k"}]}')).toThrowError(
      refusal("google-unsafe: JWKS holds private"),
    );
  });
});
