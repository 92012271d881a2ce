/*
 * A cluster's public keys for upload to a pool provider, so that its issuer need not be reachable. Google does not
 * check them when the pool provider is created; the first sign of a wrong set is a failed token exchange.
 * Source: REST reference of workloadIdentityPools.providers, `oidc.jwksJson`; RFC 7517 and 7518 for the members.
 */

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
 * JSON text of a key set for `jwksJson`, members in a fixed order, late texts as they are.
 *
 * Throws `google-jwks-private` for private or secret key material, without showing it, and `google-jwks-invalid`
 * for anything else that Google would take and then never match; `late-value` for an object with late parts.
 */
export function publicJwks(jwks: string | PublicJsonWebKeySet): string {
  if (typeof jwks === "string" && isLate(jwks)) return jwks;
  const set = typeof jwks === "string" ? parse(jwks) : literal(jwks, "JWKS");
  if (!isObject(set) || !Array.isArray(set["keys"])) return invalid("is not an object with a list of keys");
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

/**
 * Whether a key says nothing by which Google could not verify tokens with it: of a kind and for an algorithm that the
 * token exchange takes, with an id and the numbers of its kind.
 */
export function isUsableKey(key: unknown): boolean {
  if (!isObject(key)) return false;
  const { kty, alg, kid } = key;
  const needed = typeof kty === "string" && Object.hasOwn(NEEDED, kty) ? NEEDED[kty] : undefined;
  if (kty !== undefined && needed?.every((member) => key[member] !== undefined) !== true) return false;
  return kid !== undefined && (alg === undefined || ACCEPTED_ALGORITHMS.algorithms.includes(String(alg)));
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
  const found = objects.flatMap((object) =>
    isObject(object) ? PRIVATE_MEMBERS.filter((member) => member in object) : [],
  );
  const secret = objects.some((object) => isObject(object) && object["kty"] === "oct");
  const members = [...new Set([...found, ...(secret ? ["kty oct"] : [])])].sort();
  if (members.length > 0) fail("google-jwks-private", members);
}

function checkKey(key: unknown, index: number): Readonly<Record<string, string>> {
  const which = `key ${index + 1}`;
  if (!isObject(key)) return invalid(`${which} is not an object`);
  const foreign = Object.keys(key).filter((member) => !MEMBERS.includes(member));
  if (foreign.length > 0)
    return invalid(`${which} has members that Google refuses: ${foreign.sort().join(", ")}`);
  const kty = String(key["kty"]);
  const needed = Object.hasOwn(NEEDED, kty) ? NEEDED[kty] : undefined;
  if (!needed) return invalid(`${which} is neither RSA nor EC`);
  const missing = ["kid", ...needed].filter((member) => key[member] === undefined || key[member] === "");
  if (missing.length > 0) return invalid(`${which} lacks ${missing.join(", ")}`);
  return Object.fromEntries(
    MEMBERS.filter((member) => key[member] !== undefined).map((member) => [
      member,
      text(which, member, key[member]),
    ]),
  );
}

function text(which: string, member: string, value: unknown): string {
  if (typeof value !== "string") return invalid(`${which} has a ${member} that is not a text`);
  if (BASE64URL_MEMBERS.includes(member) && !BASE64URL.test(value))
    return invalid(`${which} has a ${member} that is not base64url`);
  return value;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function invalid(reason: string): never {
  return fail("google-jwks-invalid", reason);
}
