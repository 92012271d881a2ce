import { fail } from "../../errors";
import { ISSUER_KEY, type IssuerKey } from "../../model/issuer-keys";
import type { PublicJsonWebKeySet } from "../../model/json-web-key";
import { clusterName } from "../../model/kubernetes-name";
import { jwksFromPublicKeys } from "./jwks";
import { checkGiven, list, type Kind } from "../../model/shape";

const KEYS: Kind<readonly IssuerKey[]> = list(ISSUER_KEY);

/**
 * The key set that an issuer publishes: all keys, in the order of their ids, so that promoting the next key to the
 * current one changes nothing that is published.
 *
 * Throws `issuer-keys-current` unless exactly one key of each cluster is current, `cluster-name-invalid`, and what {@link jwksFromPublicKeys} throws.
 */
export function publishedJwks(keys: readonly IssuerKey[]): PublicJsonWebKeySet {
  checkGiven("publishedJwks()", KEYS, keys, "keys");
  const clusters = new Set(
    keys.map(({ cluster }) => (cluster === undefined ? undefined : clusterName(cluster))),
  );
  const set = jwksFromPublicKeys(keys.map((key) => key.publicKey));
  for (const name of clusters) {
    const current = keys.filter(({ use, cluster }) => use === "current" && cluster === name).length;
    if (current !== 1) return fail("issuer-keys-current", current, name);
  }
  return { keys: [...set.keys].sort((a, b) => (a.kid < b.kid ? -1 : 1)) };
}
