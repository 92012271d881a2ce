/*
 * Reads one public key in PEM. What stands in the text is looked at before any decoder sees it: Node's own
 * `createPublicKey` would take a private key or a certificate as well, and derive the public key in silence.
 * No error shows anything of the text.
 */

import { type KeyObject, createPublicKey } from "node:crypto";
import { fail } from "../../errors";
import { literal } from "../../model/late";
import { PRIVATE_JWK_MEMBER, holdsPrivateKey } from "../../model/private-key";

const JWK = /^\s*\{|"kty"\s*:/;

const LABEL = /-----BEGIN ([^\n-]*)-----/g;
const BLOCK =
  /^-----BEGIN ((?:RSA )?PUBLIC KEY)-----[ \t]*\n((?:[A-Za-z0-9+/=]+[ \t]*\n)+)-----END \1-----[ \t]*$/m;

/**
 * OpenShift's kube-apiserver operator writes a SubjectPublicKeyInfo under the label of PKCS#1
 * (openshift/cluster-kube-apiserver-operator, boundsatokensignercontroller, `publicKeyToPem`), and kube-apiserver reads
 * it; what really is PKCS#1 it does not read.
 */
const LABELS: readonly string[] = ["PUBLIC KEY", "RSA PUBLIC KEY"];
const BASE64 = /^(?:[A-Za-z0-9+/]{4})+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

const CERTIFICATES: readonly string[] = ["CERTIFICATE", "X509 CERTIFICATE", "TRUSTED CERTIFICATE"];

const USE_PUBLIC = "give the PEM text of the public key, for example the file `serviceaccount-signer.public`";
const AGAIN = "write the public key again, for example with `openssl pkey -in FILE -pubout`";

/** What is no PEM block at all, and what to do; the first that matches. */
const NO_PEM: readonly (readonly [RegExp, string, string])[] = [
  [/^$/, "is empty", USE_PUBLIC],
  [
    /^(?:ssh-|ecdsa-sha2-|sk-)|BEGIN SSH2 PUBLIC KEY/m,
    "is in the form of OpenSSH",
    "convert it with `ssh-keygen -e -m PKCS8 -f FILE`",
  ],
  [/^[[{]/, "is JSON, not PEM", "give the PEM text that the JSON Web Key was made from"],
  [/(?:)/, "has no PEM block", USE_PUBLIC],
];

/**
 * The public key in a text that has one PEM block, `PUBLIC KEY` or as OpenShift labels it, and no other; text around the block is ignored.
 *
 * `which` names the key in refusals. Throws `issuer-key-private`, `issuer-key-certificate`, `issuer-key-invalid`, or
 * `late-value`: the key id is a hash of the key, so the key must be known while synthesizing.
 */
export function publicKey(pem: string, which: string): KeyObject {
  if (typeof literal(pem, which) !== "string")
    return fail("issuer-key-invalid", which, "is not a text", USE_PUBLIC);
  const text = pem.replace(/^\ufeff/, "").replace(/\r\n?/g, "\n");
  if (holdsPrivateKey(text) || (JWK.test(text) && PRIVATE_JWK_MEMBER.test(text)))
    return fail("issuer-key-private", which);
  return decode(base64Of(text, which), which);
}

function base64Of(text: string, which: string): string {
  const labels = [...text.matchAll(LABEL)].map(([, label = ""]) => label);
  const [label] = labels;
  if (label === undefined) {
    const [, reason = "", remedy = ""] = NO_PEM.find(([pattern]) => pattern.test(text.trim())) ?? [];
    return fail("issuer-key-invalid", which, reason, remedy);
  }
  if (labels.every((each) => CERTIFICATES.includes(each))) return fail("issuer-key-certificate", which);
  if (labels.length > 1)
    return fail(
      "issuer-key-invalid",
      which,
      `has ${labels.length} PEM blocks`,
      "give each public key as a key of its own",
    );
  if (!LABELS.includes(label))
    return fail("issuer-key-invalid", which, "has a PEM block that is no PUBLIC KEY", USE_PUBLIC);
  const [, , body] = BLOCK.exec(text) ?? [];
  const base64 = (body ?? "").replace(/\s/g, "");
  if (BASE64.test(base64)) return base64;
  return fail("issuer-key-invalid", which, "has a damaged PEM block, or one without line breaks", AGAIN);
}

function decode(base64: string, which: string): KeyObject {
  const der = Buffer.from(base64, "base64");
  try {
    const key = createPublicKey({ key: der, format: "der", type: "spki" });
    // What follows the key, or a private key under this label, would be dropped in silence.
    if (key.export({ format: "der", type: "spki" }).equals(der)) return key;
  } catch {
    // OpenSSL's reasons speak of its decoders; none helps, and none may show the text.
  }
  if (isPkcs1(der))
    return fail(
      "issuer-key-invalid",
      which,
      "is in the form of PKCS#1, which kube-apiserver does not read either",
      "convert it with `openssl rsa -RSAPublicKey_in -in FILE -pubout`",
    );
  return fail("issuer-key-invalid", which, "does not hold a public key (SubjectPublicKeyInfo)", AGAIN);
}

function isPkcs1(der: Buffer): boolean {
  try {
    return createPublicKey({ key: der, format: "der", type: "pkcs1" }).asymmetricKeyType === "rsa";
  } catch {
    return false;
  }
}
