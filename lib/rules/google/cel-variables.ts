/*
 * What the expressions of a pool provider may speak of: the token, and the attributes that were mapped from it.
 */

import type { CelInput } from "./cel-library";

/** Stands for a claim or attribute that every token has, with a value that no artefact holds. */
export const UNKNOWN_CLAIM: unique symbol = Symbol("unknown claim");

/** A claim, an object of claims, or {@link UNKNOWN_CLAIM}. */
export type CelClaims = Readonly<Record<string, unknown>>;

/** The variables by name: `assertion`, and in conditions `google` and `attribute`. */
export type CelVariables = Readonly<Record<string, CelClaims>>;

/**
 * Longest text of a claim that is evaluated, in characters. A subject of Kubernetes has at most 339; the bound keeps
 * the cost of a hostile expression small.
 */
const TEXT_MAX = 1024;

/** True for an object of claims. */
export function isClaims(value: unknown): value is CelClaims {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A claim of an object; `undefined` where it has none of that name. */
export function claimOf(claims: CelClaims, name: string): unknown {
  return Object.hasOwn(claims, name) ? claims[name] : undefined;
}

/** True where a text of the claims is longer than is evaluated. */
export function exceedsText(value: unknown): boolean {
  if (typeof value === "string") return value.length > TEXT_MAX;
  if (Array.isArray(value)) return value.length > TEXT_MAX || value.some(exceedsText);
  return isClaims(value) && Object.values(value).some(exceedsText);
}

/** The variables as the evaluator takes them; what is unknown is left out, so that reading it is an error. */
export function celInputs(variables: CelVariables): Record<string, CelInput> {
  return Object.fromEntries(Object.entries(variables).map(([name, claims]) => [name, inputOf(claims)]));
}

function inputOf(value: unknown): CelInput {
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") return value;
  if (Array.isArray(value)) return value.map(inputOf);
  if (!isClaims(value)) return null;
  const known = Object.entries(value).filter(([, claim]) => claim !== UNKNOWN_CLAIM && claim !== undefined);
  return new Map(known.map(([name, claim]) => [name, inputOf(claim)]));
}
