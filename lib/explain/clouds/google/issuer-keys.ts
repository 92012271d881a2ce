/*
 * The keys that a pool provider was handed, beside those that the issuer publishes and those of its other providers.
 */

import { type Answer, broken, seen, unknown } from "../../answer";
import type { Source } from "../../facts/source";
import { isLateText } from "../../facts/terraform";
import { type KeySet, keySet } from "../key-set";
import { named } from "../named";
import type { PublishedIssuers } from "../published-issuers";

/** What is known of the keys of a pool provider. */
export interface IssuerKeysFact {
  /** The issuer that the pool provider trusts. */
  readonly issuer: string;
  /** The keys; `undefined` where it was handed none, or only apply tells them. */
  readonly keys: KeySet | undefined;
  /** True where it asks the issuer for its keys. */
  readonly isAsking: boolean;
  /** Where the pool provider stands. */
  readonly source: Source;
}

const VERIFIED =
  "the pool provider verifies tokens by the keys in jwks_json alone, not by those that the issuer publishes";
const HAND_OVER = "hand the pool provider the keys that the issuer publishes";
const REFUSED = "invalid_grant … the signature of the token cannot be verified";
const UNREACHABLE = "invalid_grant … Error connecting to the given credential's issuer";

/** Reads `oidc.jwks_json`; empty where the pool provider asks the issuer. */
export function issuerKeys(issuer: string, jwks: string, source: Source): IssuerKeysFact {
  const keys = jwks === "" || isLateText(jwks) ? undefined : keySet(jwks);
  return { issuer, keys, isAsking: jwks === "", source };
}

/** The answer of a pool provider that trusts the issuer, unless tokens, or some, cannot be verified. */
export function keysTrusted(
  answer: Answer,
  fact: IssuerKeysFact,
  others: readonly IssuerKeysFact[],
  issuers: PublishedIssuers,
): Answer {
  const { keys, isAsking, issuer, source } = fact;
  if (isAsking) return issuers.judged(answer, issuer, UNREACHABLE);
  const where = seen("oidc.jwks_json", source);
  if (keys === undefined) return answer;
  if (keys.refusal !== undefined)
    return broken(`the keys of the pool provider ${keys.refusal}`, HAND_OVER, REFUSED, where);
  return (
    unlikePublished(fact, keys, issuers) ??
    (keys.doubt === undefined
      ? unlikeOthers(fact, keys, others)
      : unknown(`of the keys of the pool provider ${keys.doubt}`, HAND_OVER, where)) ??
    answer
  );
}

function unlikePublished(
  { issuer, source }: IssuerKeysFact,
  { ids }: KeySet,
  issuers: PublishedIssuers,
): Answer | undefined {
  for (const other of issuers.keysOf(issuer)) {
    const places = [seen("oidc.jwks_json", source), seen("published keys", other.source)];
    if (!other.ids.some((id) => ids.includes(id)))
      return broken(
        `the pool provider has the keys ${named(ids)}, the issuer publishes ${named(other.ids) || "none"}`,
        HAND_OVER,
        REFUSED,
        ...places,
      );
    const without = other.ids.filter((id) => !ids.includes(id));
    if (without.length > 0)
      return unknown(`${VERIFIED}; ${named(without)} is published, and missing there`, HAND_OVER, ...places);
  }
  return undefined;
}

/** An issuer has one set of keys; of two that differ one is wrong or old. */
function unlikeOthers(
  { issuer, source }: IssuerKeysFact,
  { fingerprint, ids }: KeySet,
  others: readonly IssuerKeysFact[],
): Answer | undefined {
  const other = others.find(
    (each) => each.issuer === issuer && each.keys && each.keys.fingerprint !== fingerprint,
  );
  if (other?.keys === undefined) return undefined;
  return unknown(
    `the pool provider has the keys ${named(ids)}, another one of the same issuer ${named(other.keys.ids)}: which of them the cluster signs with is not known`,
    "hand both the same keys: those that the API server publishes",
    seen("oidc.jwks_json", source),
    seen("oidc.jwks_json of the other pool provider", other.source),
  );
}
