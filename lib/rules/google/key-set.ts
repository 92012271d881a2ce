/*
 * What is compared of two key sets of one issuer. Members such as `alg` and `use`, and the order, say nothing about
 * which tokens a set verifies.
 */

import { isLate } from "../../model/late";

/** The keys that a pool provider verifies tokens with. */
export interface KeySet {
  /** What it is called in a refusal: the key ids. */
  readonly label: string;
  /** Equal text, equal keys; `undefined` for a late set, which compares with no literal one. */
  readonly identity: string | undefined;
}

/** RFC 7638 section 3.2, and the id that a token names its key by. */
const COMPARED = ["kid", "kty", "crv", "n", "e", "x", "y"] as const;

const FETCHED: KeySet = { label: "none, so that Google fetches them from the issuer", identity: "fetched" };
const LATE: KeySet = { label: "a set that is known after apply", identity: undefined };

/** The key set of a text that `publicJwks` made; `undefined` for keys that Google fetches. */
export function keySetOf(jwks: string | undefined): KeySet {
  if (jwks === undefined) return FETCHED;
  if (isLate(jwks)) return LATE;
  const { keys } = JSON.parse(jwks) as { readonly keys: readonly Readonly<Record<string, string>>[] };
  const sorted = keys
    .map((key) => COMPARED.map((member) => key[member] ?? null))
    .sort(([one], [other]) => (String(one) < String(other) ? -1 : 1));
  return { label: sorted.map(([kid]) => String(kid)).join(", "), identity: JSON.stringify(sorted) };
}

/** True where two sets cannot both be the keys of one issuer; what is late is at least given. */
export function keySetsDiffer(one: KeySet, other: KeySet): boolean {
  if (one.identity !== undefined && other.identity !== undefined) return one.identity !== other.identity;
  return one === FETCHED || other === FETCHED;
}
