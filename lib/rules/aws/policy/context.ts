/*
 * The request context: the value of a condition key, or that it cannot be known here.
 */

import { type Known, match, orElse, whyNot } from "../../../model/known";
import { isRecord } from "../../../model/record";
import { type Tree, listAt, textAt, treeOf } from "../../../model/tree";
import type { Condition, Statement } from "./document";
import { quoted } from "./match";

export type ContextValue =
  | {
      readonly known: true;
      /** The values; none where the request does not have the key. */
      readonly values: readonly Known<string>[];
      readonly absent: () => string;
    }
  | {
      readonly known: false;
      readonly why: () => string;
    };

export interface RequestContext {
  /** Who has the keys, for people: `token` or `request`. */
  readonly bearer: string;
  /** What a key holds. AWS compares keys without regard to case. */
  lookup(key: Known<string>): ContextValue;
  /** The only value of the request that may have the form of this one, under whatever key; none if others may. */
  onlyLike?(value: Known<string>): readonly Known<string>[];
  /** True for a condition that is assumed to hold without evaluation. */
  presumes?(condition: Condition, statement: Statement): boolean;
  /** True for a key that says who asks, so that a statement with its value is meant for them. */
  identifies?(key: Known<string>): boolean;
}

/** Condition keys of a request: one value or several, which may be not known; `null` for a key that it certainly lacks. */
export type ContextKeys = Readonly<Record<string, Known<string> | string | readonly string[] | null>>;

/**
 * Keys of every request of an assumed role. AWS services accept no other transport than TLS.
 * Source: "AWS global condition context keys" in the IAM user guide.
 */
export const ofRoles: Readonly<Record<string, string>> = {
  "aws:PrincipalIsAWSService": "false",
  "aws:PrincipalType": "AssumedRole",
  "aws:SecureTransport": "true",
};

export function requestContext(given: unknown): RequestContext {
  const entries = isRecord(given) ? Object.entries(given) : [];
  const keys = new Map(entries.map(([key, value]) => [key.toLowerCase(), value]));
  return {
    bearer: "request",
    lookup: (key) => {
      const name = orElse(key, () => undefined);
      const stated = name === undefined ? undefined : keys.get(name.toLowerCase());
      return stated === undefined
        ? { known: false, why: () => `the value of the condition key ${shownKey(key)} is not known` }
        : contextValue(treeOf(stated), () => "the request lacks it");
    },
  };
}

/** One value or a list of them; none for nothing. */
export function contextValue(tree: Tree, absent: () => string): ContextValue {
  const values = orElse(listAt(tree), () => [tree]).map(textAt);
  return values.every((value) => whyNot(value)?.kind !== "malformed")
    ? { known: true, values, absent }
    : { known: false, why: () => "what the request has there is no text" };
}

export function shownKey(key: Known<string>): string {
  return match(key, quoted, () => "that is known only after apply");
}

export const NOTHING_KNOWN: RequestContext = requestContext({});
