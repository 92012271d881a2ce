/*
 * What expressions may speak of: the token, the attributes that were mapped from it, the resource that is asked for.
 */

import { isRecord } from "../../model/record";
import { type Known, type Ternary, isKnown, unread } from "../../model/known";
import { treeOf } from "../../model/tree";
import type { Pattern } from "../wildcard";

/** A claim that every token has, with a value that no artefact holds. */
export const UNKNOWN_CLAIM: Known<never> = unread("only the token tells it");

/** One of a set of texts: all that can be asked of it is whether it matches patterns. */
export class AskedText {
  /** Whether it matches; `unknown` where that takes too long to tell. */
  readonly matches: (pattern: Pattern) => Ternary;

  constructor(matches: (pattern: Pattern) => Ternary) {
    this.matches = matches;
  }
}

/** Claims by name: texts, booleans, lists of texts, objects, {@link AskedText}, or not known. */
export type CelClaims = Readonly<Record<string, unknown>>;

/** The variables by name: `assertion`, and in conditions `google` and `attribute`; `resource` and `request`. */
export type CelVariables = CelClaims;

/** The claim at a path; `undefined` where there is none, not known where a step to it is not. */
export function claimAt(variables: CelVariables, path: readonly string[]): unknown {
  let value: unknown = variables;
  for (const name of path) {
    if (!isKnown(treeOf(value))) return value;
    value = isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  }
  return value;
}
