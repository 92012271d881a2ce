/*
 * A cluster's public keys for upload to a pool provider, so that its issuer need not be reachable. Google does not
 * check them when the pool provider is created; the first sign of a wrong set is a failed token exchange.
 * Source: REST reference of workloadIdentityPools.providers, `oidc.jwksJson`; RFC 7517 and 7518 for the members.
 */

import { isRecord } from "../../model/record";
import { fail } from "../../errors";
import type { PublicJsonWebKeySet } from "../../model/json-web-key";
import { isLate, literal } from "../../model/late";
import type { AcceptedAlgorithms } from "../openid/jwks";

/**
 * What the token exchange takes: https://cloud.google.com/iam/docs/workload-identity-federation-with-kubernetes and
 * the prerequisites of "Configure workload identity federation with other identity providers".
 */
export const ACCEPTED_ALGORITHMS: AcceptedAlgorithms = { by: "Google Cloud", algorithms: ["RS256", "ES256"] };

const MEMBERS: readonly string[] = ["kty", "alg", "use", "kid", "n", "e", "x", "y", "crv"];
/** RFC 7518 sections 6.2.2, 6.3.2 and 6.4.1. */
const PRIVATE_MEMBERS: readonly string[] = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"];
const NEEDED: Readonly<Record<string, readonly string[]>> = { RSA: ["n", "e"], EC: ["crv", "x", "y"] };
const BASE64URL_MEMBERS: readonly string[] = ["n", "e", "x", "y"];
const BASE64URL = /^[A-Za-z0-9_-]+$/;
const TERRAFORM_TEMPLATE = /[$%](?=\{)/g;
const HEX = 16;

/**
 * JSON text of a key set for `jwksJson`, members in a fixed order, late texts as they are. Refuses private key material
 * without showing it, and whatever else Google would take and then never match.
 */
export function publicJwks(jwks: string | PublicJsonWebKeySet): string {
  if (typeof jwks === "string" && isLate(jwks)) return jwks;
  const set = typeof jwks === "string" ? parse(jwks) : literal(jwks, "JWKS");
  if (!isRecord(set) || !Array.isArray(set["keys"])) return invalid("is not an object with a list of keys");
  const keys: readonly unknown[] = set["keys"];
  refusePrivate([set, ...keys]);
  const extra = Object.keys(set).filter((member) => member !== "keys");
  if (extra.length > 0) return invalid(`has members besides keys: ${extra.sort().join(", ")}`);
  if (keys.length === 0) return invalid("has no key");
  const checked = keys.map(checkKey);
  const ids = checked.map(({ kid }) => kid);
  if (new Set(ids).size < ids.length) return invalid("has two keys of the same kid");
  const text = JSON.stringify({ keys: checked });
  return text.replace(TERRAFORM_TEMPLATE, (character) => `\\u00${character.charCodeAt(0).toString(HEX)}`);
}

function neededBy(kty: unknown): readonly string[] | undefined {
  return typeof kty === "string" && Object.hasOwn(NEEDED, kty) ? NEEDED[kty] : undefined;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // The parser's own message quotes the text, which may be a private key in another form.
    return invalid(text.trim() === "" ? "is empty" : "is not JSON");
  }
}

function refusePrivate(objects: readonly unknown[]): void {
  const members = objects.flatMap((object) =>
    isRecord(object)
      ? [
          ...PRIVATE_MEMBERS.filter((member) => member in object),
          ...(object["kty"] === "oct" ? ["kty oct"] : []),
        ]
      : [],
  );
  if (members.length > 0)
    fail("google-unsafe", {
      problem: `JWKS holds private or secret key material (${[...new Set(members)].sort().join(", ")}); it is not shown here`,
      allowed: "public keys only",
      remedy:
        "use the output of `kubectl get --raw /openid/v1/jwks`, and treat the key as leaked if this text was stored anywhere",
    });
}

function checkKey(key: unknown, index: number): Readonly<Record<string, string>> {
  const which = `key ${index + 1}`;
  if (!isRecord(key)) return invalid(`${which} is not an object`);
  const foreign = Object.keys(key).filter((member) => !MEMBERS.includes(member));
  if (foreign.length > 0)
    return invalid(`${which} has members that Google refuses: ${foreign.sort().join(", ")}`);
  const needed = neededBy(key["kty"]);
  if (!needed) return invalid(`${which} is neither RSA nor EC`);
  const missing = ["kid", ...needed].filter((member) => key[member] === undefined || key[member] === "");
  if (missing.length > 0) return invalid(`${which} lacks ${missing.join(", ")}`);
  const statedMembers = MEMBERS.filter((member) => key[member] !== undefined);
  return Object.fromEntries(
    statedMembers.map((member) => {
      const value = key[member];
      if (typeof value !== "string") return invalid(`${which} has a ${member} that is not a text`);
      if (BASE64URL_MEMBERS.includes(member) && !BASE64URL.test(value))
        return invalid(`${which} has a ${member} that is not base64url`);
      return [member, value];
    }),
  );
}

function invalid(reason: string): never {
  return fail("google-invalid", {
    problem: `JWKS ${reason}`,
    allowed:
      'an object {"keys": [...]} of RSA and EC public keys with only kty, alg, use, kid, n, e, x, y, crv',
    remedy: "use the output of `kubectl get --raw /openid/v1/jwks`",
  });
}

/** The keys that a pool provider verifies tokens with. */
export interface KeySet {
  /** What it is called in a refusal: the key ids. */
  readonly label: string;
  /** Equal text, equal keys; `undefined` for a late set, which compares with no literal one. */
  readonly identity: string | undefined;
}

/** RFC 7638 section 3.2, and the id that a token names its key by; `alg`, `use` and the order say nothing. */
const COMPARED = ["kid", "kty", "crv", "n", "e", "x", "y"] as const;

const FETCHED: KeySet = { label: "none, so that Google fetches them from the issuer", identity: "fetched" };
const LATE: KeySet = { label: "a set that is known after apply", identity: undefined };

/** The key set of a text that `publicJwks` made; of none the one that Google fetches. */
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
