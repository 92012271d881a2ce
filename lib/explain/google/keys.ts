/*
 * The keys that a pool provider was handed, beside those that the issuer publishes and those of its other providers.
 */

import { type Known, isKnown, known, orElse, same } from "../../model/known";
import { childOf, itemsOf, knownJson, parsedTree } from "../../model/tree";
import { isUsableKey } from "../../rules/google/jwks";
import { type Answer, type Evidence, broken, seen, unknown } from "../answer";
import { type KeySet, keySet } from "../shared/key-set";
import type { Issuers } from "../shared/object-store";
import type { PoolProvider } from "./pool";

const VERIFIED =
  "the pool provider verifies tokens by the keys in jwks_json alone, not by those that the issuer publishes";
const HAND_OVER = "hand the pool provider the keys that the issuer publishes";
const REFUSED = "invalid_grant … the signature of the token cannot be verified";
const UNREACHABLE = "invalid_grant … Error connecting to the given credential's issuer";

/** The answer of a pool provider that trusts the issuer, unless tokens, or some, cannot be verified. */
export function keysTrusted(
  answer: Answer,
  { issuer, jwks, resource: { source } }: PoolProvider,
  others: readonly PoolProvider[],
  issuers: Issuers,
): Answer {
  const handed = orElse(jwks, () => "");
  if (handed === undefined) return issuers.judged(answer, issuer, UNREACHABLE);
  const where = seen("oidc.jwks_json", source);
  if (!isKnown(jwks)) return answer;
  const keys = keySet(known(handed));
  if (keys.refusal !== undefined)
    return broken(`the keys of the pool provider ${keys.refusal}`, HAND_OVER, REFUSED, where);
  if (
    !itemsOf(childOf(parsedTree(known(handed)), "keys")).some((key) =>
      isUsableKey(orElse(knownJson(key), () => key)),
    )
  )
    return broken(
      "the keys of the pool provider are none that Google verifies tokens with: RSA for RS256, or EC for ES256",
      HAND_OVER,
      REFUSED,
      where,
    );
  for (const other of issuers.keysOf(issuer)) {
    const places = [where, seen("published keys", other.source)];
    if (!other.ids.some((id) => keys.ids.includes(id)))
      return broken(
        `the pool provider has the keys ${keys.ids.join(", ")}, the issuer publishes ${other.ids.join(", ") || "none"}`,
        HAND_OVER,
        REFUSED,
        ...places,
      );
    const without = other.ids.filter((id) => !keys.ids.includes(id));
    if (without.length > 0)
      return unknown(
        `${VERIFIED}; ${without.join(", ")} is published, and missing there`,
        HAND_OVER,
        ...places,
      );
  }
  if (keys.doubt !== undefined)
    return unknown(`of the keys of the pool provider ${keys.doubt}`, HAND_OVER, where);
  return unlikeOthers(issuer, keys, others, where) ?? answer;
}

/** An issuer has one set of keys; of two that differ one is wrong or old. */
function unlikeOthers(
  issuer: Known<string>,
  { fingerprint, ids }: KeySet,
  others: readonly PoolProvider[],
  where: Evidence,
): Answer | undefined {
  for (const other of others) {
    const jwks = orElse(other.jwks, () => undefined);
    if (jwks === undefined || same(other.issuer, issuer) !== "yes") continue;
    const keys = keySet(known(jwks));
    if (keys.fingerprint !== fingerprint)
      return unknown(
        `the pool provider has the keys ${ids.join(", ")}, another one of the same issuer ${keys.ids.join(", ")}: which of them the cluster signs with is not known`,
        "hand both the same keys: those that the API server publishes",
        where,
        seen("oidc.jwks_json of the other pool provider", other.resource.source),
      );
  }
  return undefined;
}
