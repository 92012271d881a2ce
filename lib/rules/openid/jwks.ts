/*
 * Public keys as kube-apiserver publishes them at /openid/v1/jwks: a cloud finds a token's key by its `kid`. Source:
 * kubernetes/kubernetes, pkg/serviceaccount/openidmetadata.go (`jwkFromPublicKey`) and jwt.go (`keyIDFromPublicKey`).
 */

import { type KeyObject, createHash, createPublicKey } from "node:crypto";
import { fail } from "../../errors";
import type { PublicJsonWebKey, PublicJsonWebKeySet } from "../../model/json-web-key";
import { type ObjectKind, list, object, text } from "../../model/shape";
import { isRecord } from "../../model/record";
import { literal } from "../../model/late";
import { FILE_PATH, PRIVATE_JWK_MEMBER, holdsPrivateKey } from "../../model/private-key";

/** The signature algorithms that a relying party accepts. */
export interface AcceptedAlgorithms {
  /** The relying party, for messages, for example `AWS`. */
  readonly by: string;
  /** Algorithms, for example `RS256`, `ES256`. */
  readonly algorithms: readonly string[];
}

export const ACCEPTED_ALGORITHMS: ObjectKind<AcceptedAlgorithms> = object({
  by: text,
  algorithms: list(text),
});

const RSA_BITS_MIN = 2048;
/** Go's crypto/rsa, which kube-apiserver uses, accepts no greater exponent. */
const EXPONENT_MAX = 2147483647n;
const EXPONENT_MIN = 65537n;

/** RFC 7518 section 3.4, by OpenSSL's name of the curve. */
const CURVES: Readonly<Record<string, string>> = {
  prime256v1: "ES256",
  secp384r1: "ES384",
  secp521r1: "ES512",
};

/** The numbers of a key as Node exports them. */
type Numbers = Pick<PublicJsonWebKey, "n" | "e" | "crv" | "x" | "y">;

/** No message about a key shows a value: a text in place of a public key may be a private key. */
const ALLOWED_KEY =
  "one PEM block PUBLIC KEY of an RSA key of at least 2048 bits, or of an EC key of P-256, P-384 or P-521";

function failKey(which: string, reason: string, remedy: string, allowed: string = ALLOWED_KEY): never {
  return fail("issuer-invalid", { problem: `${which} ${reason}`, allowed, remedy });
}

/**
 * The JSON Web Key Set of public keys in PEM, in the given order; its members equal kube-apiserver's byte for byte.
 *
 * RSA keys sign with RS256, P-256 with ES256, P-384 with ES384, P-521 with ES512. `kid` is base64url, without padding,
 * of the SHA-256 over the DER form of the public key.
 *
 * `names` identify the keys in messages, for example by file; without them a key is identified by its position.
 */
export function jwksFromPublicKeys(
  pems: readonly string[],
  names: readonly string[] = [],
): PublicJsonWebKeySet {
  // A caller without types is likely to pass one text instead of a list.
  if (!Array.isArray(pems))
    return failKey("the given value", "is not a list of public keys", "pass the keys as a list");
  if (pems.length === 0)
    return fail("issuer-missing", {
      problem: "no public key is given; every token would be refused with an empty key set",
      allowed: "one or more public keys",
      remedy: "pass the public key of the pair with which kube-apiserver signs",
    });
  const statedNames: readonly unknown[] = Array.isArray(names) ? names : [];
  const name = (index: number): string => {
    const stated = statedNames[index];
    if (typeof stated === "string") return stated;
    return pems.length === 1 ? "the public key" : `public key ${index + 1}`;
  };
  // Array.from also visits holes in the list, which pems.map would skip.
  const keys = Array.from(pems, (pem, index) => jsonWebKey(pem, name(index)));
  for (const [index, { kid }] of keys.entries()) {
    const first = keys.findIndex((key) => key.kid === kid);
    if (first < index)
      fail("issuer-conflict", {
        problem: `${name(first)} and ${name(index)} are the same public key`,
        allowed: "each key once",
        remedy: "remove one of the two, or pass the other key of the rotation",
      });
  }
  return { keys };
}

/** Throws for a key whose signatures a relying party does not accept. */
export function requireAlgorithms({ keys }: PublicJsonWebKeySet, accepted: AcceptedAlgorithms): void {
  for (const { alg = "", kid } of keys) {
    if (accepted.algorithms.includes(alg)) continue;
    fail("issuer-unsupported", {
      problem: `the public key with the id ${kid} signs with ${alg}, which ${accepted.by} does not accept`,
      allowed: accepted.algorithms.join(", "),
      remedy: "sign with a key of another type; every cloud accepts RSA",
    });
  }
}

function jsonWebKey(pem: string, which: string): PublicJsonWebKey {
  const key = publicKey(pem, which);
  const alg = algorithmOf(key, which);
  const { n, e, crv, x, y } = key.export({ format: "jwk" }) as Numbers;
  const kid = keyId(key);
  // go-jose's order, so that the document compares with the cluster's own line by line.
  if (crv === undefined) return { use: "sig", kty: "RSA", kid, alg, ...numbers({ n, e }) };
  return { use: "sig", kty: "EC", kid, ...numbers({ crv }), alg, ...numbers({ x, y }) };
}

/** Only the members that exist; `exactOptionalPropertyTypes` does not permit undefined ones. */
function numbers(all: Readonly<Record<string, string | undefined>>): Numbers {
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

function algorithmOf(key: KeyObject, which: string): string {
  const type = key.asymmetricKeyType ?? "unknown";
  const { modulusLength = 0, publicExponent = 0n, namedCurve = "" } = key.asymmetricKeyDetails ?? {};
  if (type === "rsa") {
    if (modulusLength < RSA_BITS_MIN)
      failWeak(which, `RSA of ${modulusLength} bits`, `RSA of at least ${RSA_BITS_MIN} bits`);
    if (publicExponent < EXPONENT_MIN || publicExponent > EXPONENT_MAX || publicExponent % 2n === 0n)
      failWeak(which, `RSA with the exponent ${publicExponent}`, "an exponent of 65537");
    return "RS256";
  }
  const alg = type === "ec" && Object.hasOwn(CURVES, namedCurve) ? CURVES[namedCurve] : undefined;
  if (alg !== undefined) return alg;
  const kind = type === "ec" ? `EC on ${namedCurve || "unnamed curve"}` : type;
  return failKey(
    which,
    `is of type ${kind}, and clouds do not accept service account tokens signed with such keys`,
    "use the public key of the pair with which kube-apiserver signs",
  );
}

function failWeak(which: string, reason: string, allowed: string): never {
  const remedy = "create a new key pair, for example with `openssl genrsa 4096`, and rotate to it";
  return failKey(which, `is weak: ${reason}`, remedy, allowed);
}

/**
 * The `kid` that kube-apiserver gives a public key: base64url, without padding, of the SHA-256 over its DER form.
 * Source: kubernetes/kubernetes, pkg/serviceaccount/jwt.go (`keyIDFromPublicKey`).
 */
export function keyId(key: KeyObject): string {
  return createHash("sha256")
    .update(key.export({ format: "der", type: "spki" }))
    .digest("base64url");
}

const PUBLIC: readonly string[] = ["kty", "n", "e", "crv", "x", "y"];

/** Like {@link keyId}, of a parsed JSON Web Key; `undefined` if it is not a public key. Never throws. */
export function derivedKeyId(jwk: unknown): string | undefined {
  if (!isRecord(jwk)) return undefined;
  const key = Object.fromEntries(PUBLIC.filter((name) => name in jwk).map((name) => [name, jwk[name]]));
  // Anything but a key has no id.
  try {
    return keyId(createPublicKey({ key, format: "jwk" }));
  } catch {
    return undefined;
  }
}

/*
 * Reads one public key in PEM. The text is checked before any decoder sees it: Node's own `createPublicKey` would also
 * accept a private key or a certificate and silently derive the public key. No error shows any part of the text.
 */

const JWK = /^\s*\{|"kty"\s*:/;

const LABEL = /-----BEGIN ([^\n-]*)-----/g;
const BLOCK =
  /^-----BEGIN ((?:RSA )?PUBLIC KEY)-----[ \t]*\n((?:[A-Za-z0-9+/=]+[ \t]*\n)+)-----END \1-----[ \t]*$/m;

/**
 * OpenShift's kube-apiserver operator writes a SubjectPublicKeyInfo under the label of PKCS#1
 * (openshift/cluster-kube-apiserver-operator, boundsatokensignercontroller, `publicKeyToPem`). kube-apiserver reads
 * that, but not real PKCS#1.
 */
const LABELS: readonly string[] = ["PUBLIC KEY", "RSA PUBLIC KEY"];
const BASE64 = /^(?:[A-Za-z0-9+/]{4})+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

const CERTIFICATES: readonly string[] = ["CERTIFICATE", "X509 CERTIFICATE", "TRUSTED CERTIFICATE"];

const USE_PUBLIC = "pass the PEM text of the public key, for example the file `serviceaccount-signer.public`";
const AGAIN = "write the public key again, for example with `openssl pkey -in FILE -pubout`";

/** Texts that are not PEM blocks, and what to do about them; the first match applies. */
const NO_PEM: readonly (readonly [RegExp, string, string])[] = [
  [/^$/, "is empty", USE_PUBLIC],
  [
    /^(?:ssh-|ecdsa-sha2-|sk-)|BEGIN SSH2 PUBLIC KEY/m,
    "is in OpenSSH's format",
    "convert it with `ssh-keygen -e -m PKCS8 -f FILE`",
  ],
  [/^[[{]/, "is JSON, not PEM", "pass the PEM text from which the JSON Web Key was made"],
  [
    FILE_PATH,
    "is the path of a file, not its content",
    'read the file: `readFileSync(path, "utf8")` of node:fs',
  ],
  [/(?:)/, "has no PEM block", USE_PUBLIC],
];

/**
 * The public key in a text with exactly one PEM block, `PUBLIC KEY` or labelled as by OpenShift; ignores other text.
 *
 * `which` names the key in messages.
 */
export function publicKey(pem: string, which: string): KeyObject {
  if (typeof literal(pem, which) !== "string") return failKey(which, "is not a text", USE_PUBLIC);
  const text = pem.replace(/^\ufeff/, "").replace(/\r\n?/g, "\n");
  if (holdsPrivateKey(text) || (JWK.test(text) && PRIVATE_JWK_MEMBER.test(text)))
    return fail("issuer-unsafe", {
      problem: `${which} is a private key; it is not shown here`,
      allowed: ALLOWED_KEY,
      remedy:
        "derive the public key with `openssl pkey -in FILE -pubout`, and treat the private key as leaked if it was stored where others can read it",
    });
  return decode(base64Of(text, which), which);
}

function base64Of(text: string, which: string): string {
  const labels = [...text.matchAll(LABEL)].map(([, label = ""]) => label);
  const [label] = labels;
  if (label === undefined) {
    const [, reason = "", remedy = ""] = NO_PEM.find(([pattern]) => pattern.test(text.trim())) ?? [];
    return failKey(which, reason, remedy);
  }
  if (labels.every((each) => CERTIFICATES.includes(each)))
    return failKey(
      which,
      "is a certificate",
      "extract its public key with `openssl x509 -in FILE -noout -pubkey`",
    );
  if (labels.length > 1)
    return failKey(which, `has ${labels.length} PEM blocks`, "pass each public key separately");
  if (!LABELS.includes(label)) return failKey(which, "has a PEM block that is not a PUBLIC KEY", USE_PUBLIC);
  const [, , body] = BLOCK.exec(text) ?? [];
  const base64 = (body ?? "").replace(/\s/g, "");
  if (BASE64.test(base64)) return base64;
  return failKey(which, "has a damaged PEM block, or one without line breaks", AGAIN);
}

function decode(base64: string, which: string): KeyObject {
  const der = Buffer.from(base64, "base64");
  try {
    const key = createPublicKey({ key: der, format: "der", type: "spki" });
    // Data after the key, or a private key under this label, would be dropped silently.
    if (key.export({ format: "der", type: "spki" }).equals(der)) return key;
  } catch {
    // OpenSSL's messages describe its decoders, which does not help, and might show the text.
  }
  if (isPkcs1(der))
    return failKey(
      which,
      "is in PKCS#1 format, which kube-apiserver does not read either",
      "convert it with `openssl rsa -RSAPublicKey_in -in FILE -pubout`",
    );
  return failKey(which, "does not contain a public key (SubjectPublicKeyInfo)", AGAIN);
}

function isPkcs1(der: Buffer): boolean {
  try {
    return createPublicKey({ key: der, format: "der", type: "pkcs1" }).asymmetricKeyType === "rsa";
  } catch {
    return false;
  }
}
