import { readFileSync } from "node:fs";
import { createPublicKey, generateKeyPairSync } from "node:crypto";
import { resolve } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { WorkloadIdentityError } from "../../../lib/errors";
import type { PublicJsonWebKey } from "../../../lib/model/json-web-key";
import { jwksFromPublicKeys, requireAlgorithms } from "../../../lib/rules/openid/jwks";
import { privateKeyForms } from "../../fixtures/openid/private-keys";

/**
 * Written with Go's crypto/x509 and go-jose, the libraries of kube-apiserver; the first key is the one of a run of
 * ccoctl. The EC keys after the first of each curve have coordinates that begin with zero bytes.
 */
const keys = JSON.parse(readFileSync(resolve(__dirname, "../../fixtures/openid/keys.json"), "utf8")) as {
  pem: string;
  jwk: PublicJsonWebKey;
}[];
const [ccoctl] = keys.map(({ pem }) => pem);

function refusal(pem: unknown): WorkloadIdentityError {
  try {
    jwksFromPublicKeys([pem as string]);
  } catch (error) {
    if (error instanceof WorkloadIdentityError) return error;
    throw error;
  }
  throw new Error("not refused");
}

function publicPem(type: "rsa" | "ec", options: object): string {
  const pair =
    type === "rsa"
      ? generateKeyPairSync("rsa", { modulusLength: 2048, ...options })
      : generateKeyPairSync("ec", { namedCurve: "P-256", ...options });
  return pair.publicKey.export({ format: "pem", type: "spki" }).toString();
}

describe("jwksFromPublicKeys", () => {
  it.each(keys)("writes $jwk.kid ($jwk.alg) as kube-apiserver does, member by member", ({ pem, jwk }) => {
    expect(JSON.stringify(jwksFromPublicKeys([pem]))).toBe(JSON.stringify({ keys: [jwk] }));
  });

  it("derives the key id that ccoctl derives", () => {
    expect(jwksFromPublicKeys([ccoctl ?? ""]).keys[0]?.kid).toBe(
      "DIHWhBKxce0obnyNU7rBoEyBLjTaCgf85WYGd34SLmI",
    );
  });

  it("reads a key as OpenShift's kube-apiserver operator labels it", () => {
    const [{ pem = "", jwk } = {}] = keys.filter(({ jwk: { kty } }) => kty === "RSA");
    const labelled = pem.replaceAll("PUBLIC KEY", "RSA PUBLIC KEY");
    expect(jwksFromPublicKeys([labelled]).keys).toEqual([jwk]);
  });

  it("keeps the order of the keys", () => {
    const set = jwksFromPublicKeys(keys.map(({ pem }) => pem));
    expect(set.keys).toEqual(keys.map(({ jwk }) => jwk));
  });

  it.each([
    ["Windows line ends", (pem: string) => pem.replaceAll("\n", "\r\n")],
    ["line ends of the classic Mac", (pem: string) => pem.replaceAll("\n", "\r")],
    ["a byte order mark", (pem: string) => `\ufeff${pem}`],
    ["text around the block (RFC 7468 section 2)", (pem: string) => `signer of prod\n${pem}\n# end\n`],
    ["no final newline", (pem: string) => pem.trimEnd()],
    ["blanks at the line ends", (pem: string) => pem.replaceAll("\n", " \n")],
    // RFC 7468 section 2: parsers should ignore the width of lines.
    [
      "another line width",
      (pem: string) => {
        const [first = "", ...rest] = pem.trim().split("\n");
        return [
          first,
          rest
            .slice(0, -1)
            .join("")
            .replace(/(.{48})/g, "$1\n")
            .trim(),
          rest.at(-1),
        ].join("\n");
      },
    ],
  ])("reads a key with %s", (_, change) => {
    expect(jwksFromPublicKeys(keys.map(({ pem }) => change(pem))).keys).toEqual(keys.map(({ jwk }) => jwk));
  });

  it.each([
    ["", "is empty"],
    ["  \n", "is empty"],
    ["serviceaccount-signer.public", "is the path of a file, not its content"],
    ["./keys/sa", "is the path of a file, not its content"],
    ["/etc/kubernetes/pki/sa.pub", "is the path of a file, not its content"],
    ["MIIBIjANBgkqhkiG9w0BAQ/EFAAOCAQ8A", "has no PEM block"],
    ["ssh-rsa AAAAB3NzaC1yc2E me@host", "is in OpenSSH's format"],
    ["---- BEGIN SSH2 PUBLIC KEY ----\nAAAA\n---- END SSH2 PUBLIC KEY ----", "is in OpenSSH's format"],
    [JSON.stringify({ kty: "RSA", n: "AQAB", e: "AQAB" }), "is JSON, not PEM"],
    [`${ccoctl}${ccoctl}`, "has 2 PEM blocks"],
    [(ccoctl ?? "").replaceAll("PUBLIC KEY", "EC PARAMETERS"), "has a PEM block that is not a PUBLIC KEY"],
    [
      createPublicKey(ccoctl ?? "")
        .export({ format: "pem", type: "pkcs1" })
        .toString(),
      "is in PKCS#1 format, which kube-apiserver does not read either",
    ],
    [(ccoctl ?? "").replaceAll("\n", ""), "has a damaged PEM block, or one without line breaks"],
    [(ccoctl ?? "").replaceAll("\n", "\\n"), "has a damaged PEM block, or one without line breaks"],
    [(ccoctl ?? "").replace("END PUBLIC", "END"), "has a damaged PEM block, or one without line breaks"],
    [(ccoctl ?? "").replace("MIIC", "MII*"), "has a damaged PEM block, or one without line breaks"],
    [(ccoctl ?? "").replace("MIIC", "MIIB"), "does not contain a public key (SubjectPublicKeyInfo)"],
    [
      "-----BEGIN PUBLIC KEY-----\nAQAB\n-----END PUBLIC KEY-----",
      "does not contain a public key (SubjectPublicKeyInfo)",
    ],
    [undefined, "is not a text"],
    [Buffer.from("x"), "is not a text"],
  ])("refuses %j", (pem, reason) => {
    expect(refusal(pem)).toMatchObject({
      code: "issuer-invalid",
      problem: `the public key ${reason}`,
      value: undefined,
    });
  });

  it("refuses what follows the key in the block", () => {
    const der = Buffer.concat([
      generateKeyPairSync("rsa", { modulusLength: 2048 }).publicKey.export({ format: "der", type: "spki" }),
      Buffer.from([0x05, 0x00]),
    ]);
    const pem = `-----BEGIN PUBLIC KEY-----\n${der.toString("base64")}\n-----END PUBLIC KEY-----\n`;
    expect(refusal(pem)).toMatchObject({ code: "issuer-invalid" });
  });

  it("refuses a certificate, and says how to take the key out", () => {
    const pem = (ccoctl ?? "").replaceAll("PUBLIC KEY", "CERTIFICATE");
    expect(refusal(pem)).toMatchObject({
      code: "issuer-invalid",
      problem: expect.stringContaining("is a certificate"),
    });
    expect(refusal(pem + pem)).toMatchObject({
      code: "issuer-invalid",
      problem: expect.stringContaining("is a certificate"),
    });
    expect(refusal(pem).remedy).toContain("openssl x509");
  });

  it.each([
    ["RSA of 1024 bits", publicPem("rsa", { modulusLength: 1024 })],
    ["RSA of 2040 bits", publicPem("rsa", { modulusLength: 2040 })],
    ["RSA with the exponent 3", publicPem("rsa", { publicExponent: 3 })],
    // Go's crypto/rsa refuses exponents of more than 31 bits.
    ["RSA with the exponent 2147483659", publicPem("rsa", { publicExponent: 2147483659 })],
  ])("refuses %s as weak", (reason, pem) => {
    expect(refusal(pem)).toMatchObject({
      code: "issuer-invalid",
      problem: `the public key is weak: ${reason}`,
    });
  });

  it.each([
    ["EC on secp256k1", publicPem("ec", { namedCurve: "secp256k1" })],
    ["EC on secp224r1", publicPem("ec", { namedCurve: "secp224r1" })],
    ["ed25519", generateKeyPairSync("ed25519").publicKey.export({ format: "pem", type: "spki" }).toString()],
    [
      "rsa-pss",
      generateKeyPairSync("rsa-pss", { modulusLength: 2048 })
        .publicKey.export({ format: "pem", type: "spki" })
        .toString(),
    ],
  ])("refuses a key of type %s", (type, pem) => {
    expect(refusal(pem)).toMatchObject({
      code: "issuer-invalid",
      problem: `the public key is of type ${type}, and clouds do not accept service account tokens signed with such keys`,
    });
  });

  it("refuses no key, one key twice, and a late key", () => {
    const [first = "", second = ""] = keys.map(({ pem }) => pem);
    expect(() => jwksFromPublicKeys([])).toThrowError(
      expect.objectContaining({ code: "issuer-missing", problem: expect.stringContaining("no public key") }),
    );
    expect(() => jwksFromPublicKeys([first, second, `again\n${first}`])).toThrowError(
      expect.objectContaining({
        code: "issuer-conflict",
        problem: "public key 1 and public key 3 are the same public key",
      }),
    );
    expect(() => jwksFromPublicKeys([first, "${TfToken[TOKEN.1]}"])).toThrowError(
      expect.objectContaining({
        code: "late-value",
        problem: expect.stringContaining("public key 2") as string,
      }),
    );
  });
});

describe("a private key", () => {
  const forms = privateKeyForms();

  it.each(forms.map((form, index) => [index, form] as const))("is refused as such, form %i", (_, form) => {
    expect(refusal(form)).toMatchObject({
      code: "issuer-unsafe",
      problem: expect.stringContaining("is a private key"),
      value: undefined,
    });
  });

  it("is refused beside a public one, in whatever form", () => {
    for (const form of forms) expect(refusal(`${ccoctl}${form}`).code).toMatch(/^issuer-(?:unsafe|invalid)$/);
  });

  it("is in no error, whatever the text around it or the damage to it", () => {
    const damage = fc.constantFrom<(text: string) => string>(
      (text) => text,
      (text) => text.replaceAll("\n", "\r\n"),
      (text) => text.replaceAll("\n", ""),
      (text) => text.replaceAll("\n", "\\n"),
      (text) => text.replaceAll("\n", " "),
      (text) => text.replace(/-----END[^\n]*/, ""),
      (text) => text.replace(/-----BEGIN[^\n]*/, ""),
      (text) => text.replace(/-----(?:BEGIN|END)[^\n]*/g, ""),
      (text) => text.replaceAll("PRIVATE KEY", "PUBLIC KEY"),
      (text) => text.replaceAll(/(?:RSA |EC |ENCRYPTED |OPENSSH )?PRIVATE KEY/g, "PUBLIC KEY"),
      (text) => text.replaceAll("PRIVATE KEY", "CERTIFICATE"),
      (text) => text.toLowerCase(),
      (text) => `-----BEGIN ${text.replaceAll("\n", "")}-----`,
      (text) => `${ccoctl}${text}`,
      (text) => `${text}${ccoctl}`,
      (text) => JSON.stringify({ key: text }),
    );
    fc.assert(
      fc.property(
        fc.constantFrom(...forms),
        damage,
        fc.string(),
        fc.string(),
        (form, change, before, after) => {
          const error = refusal(`${before}${change(form)}${after}`);
          const shown = [error.message, error.stack, JSON.stringify(error), ...Object.values(error)].join(
            " ",
          );
          const material = change(form).replace(/[^A-Za-z0-9+/=_-]/g, "");
          const secret = form.replace(/-----[^\n]*/g, "").replace(/\s/g, "");
          for (const text of [material, secret]) expect(holdsPartOf(shown, text)).toBe(false);
        },
      ),
      { numRuns: 300 },
    );
  });
});

/** Some 12 characters in a row of base64 that are no word of the message. */
function holdsPartOf(shown: string, material: string): boolean {
  const runs = shown.match(/[A-Za-z0-9+/=_-]{12,}/g) ?? [];
  return runs.some((run) =>
    [...run.slice(11)].some((_, start) => {
      const part = run.slice(start, start + 12);
      return material.includes(part) && !/PRIVATE|PUBLIC|CERTIFICATE|BEGIN|-----|begin|private/.test(part);
    }),
  );
}

describe("requireAlgorithms", () => {
  const set = { keys: keys.map(({ jwk }) => jwk) };

  it("lets accepted keys pass and names the first that is not", () => {
    const by = "Azure";
    requireAlgorithms(set, { by, algorithms: ["ES256", "ES384", "ES512", "RS256"] });
    const first = set.keys.find(({ alg }) => alg !== "RS256");
    expect(() => requireAlgorithms(set, { by, algorithms: ["RS256"] })).toThrowError(
      expect.objectContaining({
        code: "issuer-unsupported",
        problem: `the public key with the id ${first?.kid} signs with ES256, which Azure does not accept`,
        allowed: "RS256",
      }),
    );
  });
});

it.each([[null], [undefined], [""], ["-----BEGIN PUBLIC KEY-----"], [{}]])(
  "refuses %j, which is not a list",
  (pems) => {
    expect(() => jwksFromPublicKeys(pems as unknown as string[])).toThrowError(
      expect.objectContaining({
        code: "issuer-invalid",
        problem: "the given value is not a list of public keys",
      }) as Error,
    );
  },
);

it("refuses a hole in the list, and passes over names that are no texts", () => {
  const refused = (which: string): Error =>
    expect.objectContaining({
      code: "issuer-invalid",
      problem: expect.stringContaining(which),
    }) as Error;
  expect(() => jwksFromPublicKeys(new Array<string>(2))).toThrowError(refused("public key 1"));
  expect(() => jwksFromPublicKeys(["x"], null as never)).toThrowError(refused("the public key"));
  expect(() => jwksFromPublicKeys(["x"], [Symbol("x")] as never)).toThrowError(refused("the public key"));
});
