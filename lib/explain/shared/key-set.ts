/*
 * JSON Web Key Sets that others wrote, as far as clouds verify a cluster's tokens with them.
 *
 * Sources: RFC 7517 sections 4 and 5, RFC 7518 sections 3.1, 6.2 and 6.3; kubernetes/kubernetes,
 * pkg/serviceaccount/jwt.go: every token names its key by `kid`.
 */

import { grouped } from "../../model/grouped";
import { type Known, isKnown, orElse } from "../../model/known";
import { list, record } from "../../model/parsed";
import { plainAt } from "../../model/parsed-tree";
import { type Tree, childOf, isTreeList, knownJson, parsedTree } from "../../model/tree";
import { type AcceptedAlgorithms, derivedKeyId } from "../../rules/openid/jwks";

export interface KeySet {
  readonly ids: readonly string[];
  /** The ids of those that verify signatures, by the members that make a key. */
  readonly signing: ReadonlyMap<string, string>;
  /** Why no token can be verified with it, after "the keys …"; `undefined` if some can. */
  readonly refusal: string | undefined;
  /** Why perhaps none can; `undefined` if some certainly can. */
  readonly doubt: string | undefined;
}

/** AWS ("Create an OpenID Connect identity provider", IAM guide) and Kubernetes (its authenticator `oidc`) take these. */
export const VERIFIABLE: AcceptedAlgorithms = {
  by: "the verifier",
  algorithms: ["RS256", "RS384", "RS512", "ES256", "ES384", "ES512"],
};

/** The members that make a key, and the id by which it is found. */
const MEMBERS: readonly string[] = ["kid", "kty", "n", "e", "crv", "x", "y"];
const RSA: readonly string[] = ["RS256", "RS384", "RS512"];
/** RFC 7518 section 3.4. */
const CURVES: ReadonlyMap<unknown, readonly string[]> = new Map([
  ["P-256", ["ES256"]],
  ["P-384", ["ES384"]],
  ["P-521", ["ES512"]],
]);
const RSA_BITS = 2048;
const BASE64URL_BITS = 6;
const BASE64URL = /^[\w-]*$/;
/** 65537 */
const USUAL_EXPONENT = "AQAB";
const LATE = Symbol("known only after apply");

/** Reads a key set; a text that is not a key set is refused, and one that is not known is in doubt. */
export function keySet(jwks: Known<string>, accepted: AcceptedAlgorithms = VERIFIABLE): KeySet {
  const keys = orElse(childOf(parsedTree(jwks), "keys"), () => undefined);
  const nothing = { ids: [], signing: new Map<string, string>() };
  if (!isTreeList(keys))
    return isKnown(jwks)
      ? { ...nothing, refusal: "are not a JSON Web Key Set", doubt: undefined }
      : { ...nothing, refusal: undefined, doubt: "it is not known what they are" };
  if (keys.length === 0) return { ...nothing, refusal: "are an empty list", doubt: undefined };
  const membersOf = (key: Tree): string => JSON.stringify(MEMBERS.map((name) => plainAt(key, name)));
  const judged = [...grouped(keys, (key) => plainAt(key, "kid")).values()].flatMap((alike) => {
    const isOne = new Set(alike.map(membersOf)).size === 1;
    return alike.map((key) => ({ key, refusal: refusalOf(key, accepted), doubt: doubtOf(key, isOne) }));
  });
  const usable = judged.filter(({ refusal }) => refusal === undefined);
  const isCertain = usable.some(({ doubt }) => doubt === undefined);
  const complaint = ([first]: typeof judged, name: "refusal" | "doubt"): string | undefined =>
    first && `${plainAt(first.key, "kid") || "a key without id"} ${first[name]}`;
  const signing = new Map(usable.map(({ key }) => [membersOf(key), plainAt(key, "kid")]));
  return {
    ids: keys.map((key) => plainAt(key, "kid")),
    signing,
    refusal: usable.length === 0 ? `are none to verify tokens: ${complaint(judged, "refusal")}` : undefined,
    doubt: isCertain ? undefined : complaint(usable, "doubt"),
  };
}

/** Why a relying party cannot verify tokens with a key; `undefined` if it may. */
function refusalOf(key: Tree, { by, algorithms }: AcceptedAlgorithms): string | undefined {
  const json = orElse(knownJson(key), () => LATE);
  if (json === LATE) return undefined;
  const { kid, kty, use, alg, key_ops: operations, crv } = record(json);
  if (typeof kid !== "string" || kid === "") return "has no kid, by which tokens name it";
  if ((use ?? "sig") !== "sig") return "is no key to verify signatures (use is not sig)";
  if (operations !== undefined && !list(operations).includes("verify"))
    return "is no key to verify signatures";
  const own = kty === "RSA" ? RSA : ((kty === "EC" ? CURVES.get(crv) : undefined) ?? []);
  const fitting = algorithms.filter((each) => own.includes(each));
  if (!fitting.includes(String(alg ?? fitting[0])))
    return `is not for ${algorithms.join(", ")}, which ${by} takes`;
  const isEncoded = ["n", "e", "x", "y"].every((name) => BASE64URL.test(plainAt(key, name)));
  return isEncoded && derivedKeyId(json) !== undefined ? undefined : "has members that are no public key";
}

/** Why it is not certain that tokens are verified with a key; `isOne` if no other one has its id. */
function doubtOf(key: Tree, isOne: boolean): string | undefined {
  const json = orElse(knownJson(key), () => LATE);
  if (json === LATE) return "is known only after apply";
  if (!isOne) return "is the id of more than one key";
  const { kty, e } = record(json);
  const bits = plainAt(key, "n").length * BASE64URL_BITS;
  if (kty === "RSA" && (bits < RSA_BITS || e !== USUAL_EXPONENT)) return "has an unusual modulus or exponent";
  return derivedKeyId(json) === plainAt(key, "kid")
    ? undefined
    : "is not the id that kube-apiserver derives from the key, and tokens name that one";
}
