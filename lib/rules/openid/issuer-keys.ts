import { fail } from "../../errors";
import type { IssuerKey } from "../../model/issuer-keys";
import type { PublicJsonWebKeySet } from "../../model/json-web-key";
import { clusterName } from "../../model/kubernetes-name";
import { isRecord } from "../../model/record";
import { jwksFromPublicKeys } from "./jwks";

const USES: readonly IssuerKey["use"][] = ["current", "next", "previous"];

/**
 * The key set that an issuer publishes: all keys, in the order of their ids, so that promoting the next key to the
 * current one changes nothing that is published.
 *
 * Throws `issuer-keys-current` unless exactly one key of each cluster is current, `issuer-keys-list`, `issuer-key-use`,
 * `cluster-name-invalid`, and what {@link jwksFromPublicKeys} throws.
 */
export function publishedJwks(keys: readonly IssuerKey[]): PublicJsonWebKeySet {
  if (!Array.isArray(keys)) return fail("issuer-keys-list");
  const odd = keys.findIndex((key: unknown) => !isRecord(key) || !USES.some((use) => use === key["use"]));
  // The value is not shown: where the two members were swapped it is a key, perhaps a private one.
  if (odd >= 0) return fail("issuer-key-use", odd + 1, USES);
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
