/*
 * JSON Web Key Sets that others wrote, as far as clouds verify a cluster's tokens with them.
 */

import { type Known, isKnown, orElse } from "../../model/known";
import { type Tree, childOf, isTreeList, knownJson, optionalText, parsedTree } from "../../model/tree";
import { derivedKeyId } from "../../rules/openid/jwks";

/** A key set. */
export interface KeySet {
  readonly ids: readonly string[];
  readonly fingerprint: string;
  /** The ids of those that verify signatures, by the members that make a key. */
  readonly signing: ReadonlyMap<string, string>;
  /** Why no token can be verified with it, after "the keys …"; `undefined` if some can. */
  readonly refusal: string | undefined;
  /** Why perhaps not all tokens can; `undefined` if nothing speaks against it. */
  readonly doubt: string | undefined;
}

/** The members that make a key, and the id by which it is found. */
const MEMBERS: readonly string[] = ["kid", "kty", "n", "e", "crv", "x", "y"];

/** Reads a key set; a text that is not a key set is refused, and one that is not known is in doubt. */
export function keySet(jwks: Known<string>): KeySet {
  const keys = orElse(childOf(parsedTree(jwks), "keys"), () => undefined);
  const nothing = {
    ids: [],
    fingerprint: "",
    signing: new Map<string, string>(),
    refusal: undefined,
    doubt: undefined,
  };
  if (!isTreeList(keys))
    return isKnown(jwks)
      ? { ...nothing, refusal: "are not a JSON Web Key Set" }
      : { ...nothing, doubt: "it is not known what they are" };
  if (keys.length === 0) return { ...nothing, refusal: "are an empty list" };
  const others = keys.filter((key) => !["sig", ""].includes(textOf(key, "use")));
  const membersOf = (key: Tree): string => JSON.stringify(MEMBERS.map((name) => textOf(key, name)));
  const signing = keys.filter((key) => !others.includes(key));
  const foreign = keys.filter(isForeign);
  return {
    ids: keys.map((key) => textOf(key, "kid")),
    fingerprint: JSON.stringify(keys.map(membersOf).sort()),
    signing: new Map(signing.map((key) => [membersOf(key), textOf(key, "kid")])),
    // RFC 7517 section 4.2; a key without `use` is for everything.
    refusal: others.length === keys.length ? "are none to verify signatures (use is not sig)" : undefined,
    doubt:
      others.length > 0
        ? `${named(others)} is no key to verify signatures (use is not sig)`
        : foreign.length > 0
          ? `${named(foreign)} is not the id that kube-apiserver derives from the key, and tokens name that one`
          : undefined,
  };
}

function textOf(key: Tree, member: string): string {
  return orElse(optionalText(childOf(key, member)), () => undefined) ?? "";
}

function named(keys: readonly Tree[]): string {
  return keys.map((key) => textOf(key, "kid") || "a key without id").join(", ");
}

function isForeign(key: Tree): boolean {
  const json = orElse(knownJson(key), () => undefined);
  const derived = json === undefined ? undefined : derivedKeyId(json);
  return derived !== undefined && derived !== textOf(key, "kid");
}
