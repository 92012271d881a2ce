/*
 * What expressions may speak of: the token, the attributes that were mapped from it, the resource that is asked for.
 */

import { type Known, type Ternary, isKnown, known, map, unread } from "../../model/known";
import { treeOf } from "../../model/tree";
import type { Pattern } from "../wildcard";
import type { CelInput } from "./cel-library";

/** A claim or attribute that every token has, with a value that no artefact holds. */
export const UNKNOWN_CLAIM: Known<never> = unread("only the token tells it");

/** One of a set of texts: all that can be asked of it is whether it matches patterns. */
export class AskedText {
  /** Whether it matches; `unknown` where that takes too long to tell. */
  readonly matches: (pattern: Pattern) => Ternary;

  constructor(matches: (pattern: Pattern) => Ternary) {
    this.matches = matches;
  }
}

/** Claims by name: texts, booleans, numbers, lists, objects, {@link AskedText}, or not known. */
export type CelClaims = Readonly<Record<string, unknown>>;

/** The variables by name: `assertion`, and in conditions `google` and `attribute`; `resource` and `request`. */
export type CelVariables = Readonly<Record<string, CelClaims>>;

/**
 * Longest text of a claim that is evaluated, in characters. A subject of Kubernetes has at most 339; the bound keeps
 * the cost of a hostile expression small.
 */
const TEXT_MAX = 1024;

/** True for an object of claims. */
export function isClaims(value: unknown): value is CelClaims {
  return (
    typeof value === "object" &&
    value !== null &&
    !Array.isArray(value) &&
    isTold(value) &&
    !(value instanceof AskedText)
  );
}

/** True for anything but a claim whose value, or an item of it, is not known. */
export function isTold(value: unknown): boolean {
  return isKnown(treeOf(value)) && (!Array.isArray(value) || value.every(isTold));
}

/** A claim as text; `undefined` where it is known and none. */
export function claimText(value: unknown): Known<string> | undefined {
  if (typeof value === "string") return known(value);
  const tree = treeOf(value);
  return isKnown(tree) ? undefined : map(tree, () => "");
}

/** The claim at a path; `undefined` where there is none, not known where a step to it or the variable is not. */
export function claimAt(variables: CelVariables, path: readonly string[]): unknown {
  if (!Object.hasOwn(variables, path[0] ?? "")) return UNKNOWN_CLAIM;
  let value: unknown = variables;
  for (const name of path) {
    if (!isTold(value)) return value;
    value = isClaims(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  }
  return value;
}

/** True where a text of the claims is longer than is evaluated. */
export function exceedsText(value: unknown): boolean {
  if (typeof value === "string") return value.length > TEXT_MAX;
  if (Array.isArray(value)) return value.length > TEXT_MAX || value.some(exceedsText);
  return isClaims(value) && Object.values(value).some(exceedsText);
}

/** The variables as the evaluator takes them; what is not known is left out, so that reading it is an error. */
export function celInputs(variables: CelVariables): Record<string, CelInput> {
  return Object.fromEntries(Object.entries(variables).map(([name, claims]) => [name, inputOf(claims)]));
}

function inputOf(value: unknown): CelInput {
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") return value;
  if (Array.isArray(value)) return value.map(inputOf);
  if (!isClaims(value)) return null;
  const told = Object.entries(value).filter(
    ([, claim]) => claim !== undefined && isTold(claim) && !(claim instanceof AskedText),
  );
  return new Map(told.map(([name, claim]) => [name, inputOf(claim)]));
}
