/*
 * JSON Web Key Sets that somebody wrote, as far as clouds verify the tokens of a cluster by them.
 */

import { derivedKeyId } from "../../rules/openid/derived-key-id";
import { list, own, text } from "../facts/access";
import { isLateText } from "../facts/terraform";
import { named } from "./named";

/** A key set. */
export interface KeySet {
  /** Ids of its keys. */
  readonly ids: readonly string[];
  /** Equal for two sets of the same keys. */
  readonly fingerprint: string;
  /** Why no token can be verified by it, after "the keys …"; `undefined` where one can. */
  readonly refusal: string | undefined;
  /** Why perhaps not all can; `undefined` where nothing speaks against it. */
  readonly doubt: string | undefined;
}

/** The members that make a key, and the id by which it is found. */
const MEMBERS: readonly string[] = ["kid", "kty", "n", "e", "crv", "x", "y"];

/** Reads a key set; of a text that is none there are no keys. */
export function keySet(jwks: string): KeySet {
  const keys = own(parsedJson(jwks), "keys");
  if (!Array.isArray(keys))
    return { ids: [], fingerprint: jwks, refusal: "are no JSON Web Key Set", doubt: undefined };
  const all = list(keys);
  // RFC 7517 section 4.2; a key without `use` is for everything.
  const others = all.filter((key) => !["sig", ""].includes(text(own(key, "use"))));
  const foreign = all.filter((key) => isForeign(key));
  return {
    ids: idsOf(all),
    fingerprint: JSON.stringify(all.map((key) => MEMBERS.map((name) => own(key, name) ?? "")).sort()),
    refusal:
      all.length === 0 ? "are an empty list" : others.length === all.length ? `${FOR_OTHERS}` : undefined,
    doubt:
      others.length > 0
        ? `${named(idsOf(others))} is no key to verify signatures (use is not sig)`
        : foreign.length > 0
          ? `${named(idsOf(foreign))} is not the id that kube-apiserver derives from the key, and tokens name that one`
          : undefined,
  };
}

const FOR_OTHERS = "are none to verify signatures (use is not sig)";

function idsOf(keys: readonly unknown[]): readonly string[] {
  return keys.map((key) => text(own(key, "kid")));
}

function isForeign(key: unknown): boolean {
  const derived = derivedKeyId(key);
  return derived !== undefined && derived !== own(key, "kid");
}

/** The parsed text, in which references stand for what apply will tell; `undefined` for what is no JSON. */
export function parsedJson(content: string): unknown {
  return attempted(content) ?? (isLateText(content) ? attempted(withQuotedReferences(content)) : undefined);
}

/** Quotes in an expression are none of the text's: `"${trimsuffix(a.b.c, "/")}"`. */
function withQuotedReferences(content: string): string {
  return content.replace(/\$\{\d+#[^{}]*\}/g, (reference) => JSON.stringify(reference).slice(1, -1));
}

function attempted(content: string): unknown {
  // What is no JSON holds nothing that could be read of it.
  try {
    return JSON.parse(content);
  } catch {
    return undefined;
  }
}
