import type { Problem } from "./problem";

/** No message of a key shows a value: what stands where a public key should may be a private one. */
const ALLOWED_KEY =
  "one PEM block PUBLIC KEY of an RSA key of at least 2048 bits, or of an EC key of P-256, P-384 or P-521";

/** Refusals of issuers' keys and documents. */
export const openidMessages = {
  "issuer-key-private": (which: string): Problem => ({
    problem: `${which} is a private key; it is not shown here`,
    allowed: ALLOWED_KEY,
    remedy:
      "derive the public key with `openssl pkey -in FILE -pubout`, and treat the private key as leaked if it was stored where others can read it",
  }),
  "issuer-key-certificate": (which: string): Problem => ({
    problem: `${which} is a certificate`,
    allowed: ALLOWED_KEY,
    remedy: "take the public key out of it with `openssl x509 -in FILE -noout -pubkey`",
  }),
  "issuer-key-invalid": (which: string, reason: string, remedy: string): Problem => ({
    problem: `${which} ${reason}`,
    allowed: ALLOWED_KEY,
    remedy,
  }),
  "issuer-key-type": (which: string, type: string): Problem => ({
    problem: `${which} is of type ${type}, and clouds accept no service account tokens signed with such keys`,
    allowed: ALLOWED_KEY,
    remedy: "use the public key of the pair that the kube-apiserver signs with",
  }),
  "issuer-key-weak": (which: string, reason: string, allowed: string): Problem => ({
    problem: `${which} is weak: ${reason}`,
    allowed,
    remedy: "make a new key pair, for example with `openssl genrsa 4096`, and rotate to it",
  }),
  "issuer-key-algorithm": (
    which: string,
    algorithm: string,
    who: string,
    accepted: readonly string[],
  ): Problem => ({
    problem: `${which} signs with ${algorithm}, which ${who} does not accept`,
    allowed: accepted.join(", "),
    remedy: "sign with a key of another type; RSA is accepted by every cloud",
  }),
  "issuer-key-duplicate": (first: string, second: string): Problem => ({
    problem: `${first} and ${second} are the same public key`,
    allowed: "each key once",
    remedy: "remove one of the two, or give the other key of the rotation",
  }),
  "issuer-key-file": (path: string, reason: string): Problem => ({
    problem: `file of a public key ${reason}`,
    value: path,
    allowed: ALLOWED_KEY,
    remedy: "give the path of a readable file",
  }),
  "files-unwritable": (folder: string, reason: string): Problem => ({
    problem: `the documents cannot be written (${reason}); nothing was`,
    value: folder,
    remedy: "give a folder in which files can be made, and remove what stands in their places",
  }),
  "issuer-keys-empty": (): Problem => ({
    problem: "no public key is given; with an empty key set every token would be refused",
    allowed: "one or several public keys",
    remedy: "give the public key of the pair that the kube-apiserver signs with",
  }),
  "issuer-keys-current": (count: number, cluster: string | undefined): Problem => ({
    problem: `exactly one key is the one that ${cluster === undefined ? "the cluster" : `cluster ${cluster}`} signs with now`,
    value: `${count} keys with the use "current"`,
    allowed: 'one key with the use "current", any number with "next" and "previous"',
    remedy:
      "mark the key that signs now as current; drop a key only after another one is current and its tokens have expired; where clusters share the issuer, name the cluster of each key (`cluster`)",
  }),
  "issuer-document-path": (value: unknown, reason: string): Problem => ({
    problem: `path of the keys' document ${reason}`,
    value,
    allowed:
      "a relative path of letters, digits, `.`, `_`, `~` and `-`, for example keys.json or openid/v1/jwks",
    remedy: "write the path below the issuer, without leading slash",
  }),
};
