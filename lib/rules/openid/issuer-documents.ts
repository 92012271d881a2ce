/*
 * The two documents in which a relying party finds an issuer's keys: the discovery document (OpenID Connect Discovery
 * 1.0 sections 3 and 4) and the key set.
 */

import { fail } from "../../errors";
import { type Issuer, CHECKED_ISSUER } from "../../model/issuer";
import { type IssuerKey, ISSUER_KEY } from "../../model/issuer-keys";
import type { PublicJsonWebKeySet } from "../../model/json-web-key";
import { literal } from "../../model/late";
import { type AcceptedAlgorithms, ACCEPTED_ALGORITHMS, requireAlgorithms, jwksFromPublicKeys } from "./jwks";
import {
  type ObjectKind,
  type Kind,
  boolean,
  checkGiven,
  object,
  optional,
  text,
  list,
} from "../../model/shape";
import { clusterName } from "../../model/kubernetes-name";

/** A document of an issuer, to be published below the issuer's URL. */
export interface OpenIdDocument {
  /** Path below the issuer, without leading slash. */
  readonly path: string;
  /** JSON text without a final newline; contains the late issuer if the issuer is late. */
  readonly text: string;
  /** The content type with which it must be served. */
  readonly contentType: "application/json";
}

/** How to write the documents of an issuer. */
export interface IssuerDocumentsOptions {
  /** Path of the key set below the issuer: `keys.json` (ccoctl on AWS and Google), `openid/v1/jwks` (Azure). */
  readonly jwksPath: string;
  /**
   * Refuses keys that this relying party does not accept.
   *
   * @defaultValue - publishes every type of key that kube-apiserver can sign with
   */
  readonly accepted?: AcceptedAlgorithms;
  /**
   * True if the issuer ends with a slash, so that `jwks_uri` does not get a second one.
   *
   * @defaultValue - taken from the issuer; false if the issuer is late
   */
  readonly trailingSlash?: boolean;
}

const ISSUER_DOCUMENTS_OPTIONS: ObjectKind<IssuerDocumentsOptions> = object({
  jwksPath: text,
  accepted: optional(ACCEPTED_ALGORITHMS),
  trailingSlash: optional(boolean),
});

/** The documents of one issuer. */
export interface IssuerDocuments {
  /** The discovery document, `.well-known/openid-configuration`. */
  readonly discovery: OpenIdDocument;
  /** The key set. */
  readonly jwks: OpenIdDocument;
}

const DISCOVERY_PATH = ".well-known/openid-configuration";
const CONTENT_TYPE = "application/json";
const SEGMENTS = /^[A-Za-z0-9._~-]+(?:\/[A-Za-z0-9._~-]+)*$/;
const DOT_SEGMENT = /(?:^|\/)\.{1,2}(?:\/|$)/;

/** The indentation of ccoctl, so that adopting its files shows no difference in white space. */
const INDENTATION = 4;

/** Discovery document and key set of an issuer; throws if a key or the path is not valid. */
export function issuerDocuments(
  issuer: Issuer,
  keys: readonly IssuerKey[],
  options: IssuerDocumentsOptions,
): IssuerDocuments {
  checkGiven("issuerDocuments()", CHECKED_ISSUER, issuer, "issuer");
  checkGiven("issuerDocuments()", ISSUER_DOCUMENTS_OPTIONS, options, "options");
  const set = publishedJwks(keys);
  if (options.accepted) requireAlgorithms(set, options.accepted);
  return documentsOf(issuer, set, options);
}

/** The documents for an existing key set. */
export function documentsOf(
  issuer: Issuer,
  set: PublicJsonWebKeySet,
  options: Pick<IssuerDocumentsOptions, "jwksPath" | "trailingSlash">,
): IssuerDocuments {
  const path = jwksPath(options.jwksPath);
  const trailingSlash = options.trailingSlash ?? (!issuer.late && issuer.url.endsWith("/"));
  const discovery = discoveryOf(issuer.url, `${issuer.url}${trailingSlash ? "" : "/"}${path}`, set);
  return {
    discovery: { path: DISCOVERY_PATH, text: jsonText(discovery), contentType: CONTENT_TYPE },
    jwks: { path, text: jsonText(set), contentType: CONTENT_TYPE },
  };
}

/** JSON in the layout of an issuer's documents. */
export function jsonText(document: unknown): string {
  return JSON.stringify(document, undefined, INDENTATION);
}

/**
 * kube-apiserver's members (openidmetadata.go) plus `claims_supported`, which IAM requires (CreateOpenIDConnectProvider
 * user guide) and ccoctl writes on AWS and Google; ccoctl lists `sub` twice.
 */
function discoveryOf(issuer: string, jwksUri: string, { keys }: PublicJsonWebKeySet): object {
  return {
    issuer,
    jwks_uri: jwksUri,
    response_types_supported: ["id_token"],
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: [...new Set(keys.map(({ alg }) => alg))].sort(),
    claims_supported: ["aud", "exp", "sub", "iat", "iss"],
  };
}

function jwksPath(path: string): string {
  const reason =
    typeof literal(path, "jwksPath") !== "string" || !SEGMENTS.test(path)
      ? "is not a plain relative path"
      : DOT_SEGMENT.test(path)
        ? "contains a dot segment"
        : path === DISCOVERY_PATH
          ? "is the path of the discovery document"
          : undefined;
  if (reason === undefined) return path;
  return fail("issuer-invalid", {
    problem: `the path of the key set ${reason}`,
    value: path,
    allowed:
      "a relative path of letters, digits, `.`, `_`, `~` and `-`, for example keys.json or openid/v1/jwks",
    remedy: "state the path below the issuer, without a leading slash",
  });
}

const KEYS: Kind<readonly IssuerKey[]> = list(ISSUER_KEY);

/**
 * The key set that an issuer publishes: all keys, sorted by id, so that promoting the next key to the current one does
 * not change what is published.
 */
export function publishedJwks(keys: readonly IssuerKey[]): PublicJsonWebKeySet {
  checkGiven("publishedJwks()", KEYS, keys, "keys");
  const clusters = new Set(
    keys.map(({ cluster }) => (cluster === undefined ? undefined : clusterName(cluster))),
  );
  const set = jwksFromPublicKeys(keys.map((key) => key.publicKey));
  for (const name of clusters) {
    const current = keys.filter(({ use, cluster }) => use === "current" && cluster === name).length;
    if (current === 1) continue;
    return fail("issuer-invalid", {
      problem: `exactly one key must be the one that ${name === undefined ? "the cluster" : `cluster ${name}`} signs with now`,
      value: `${current} keys with the use "current"`,
      allowed: 'one key with the use "current", any number with "next" and "previous"',
      remedy:
        "mark the key that signs now as current; remove a key only after another one is current and its tokens have expired; if several clusters share the issuer, name the cluster of each key (`cluster`)",
    });
  }
  return { keys: [...set.keys].sort((a, b) => (a.kid < b.kid ? -1 : 1)) };
}
