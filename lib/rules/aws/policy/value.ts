/*
 * Values in policies: policy variables, wildcards, and what is known only after apply.
 * Source: "IAM policy elements: Variables and tags" in the IAM user guide.
 */

import {
  type Ternary,
  type Known,
  Reference,
  known,
  match,
  orElse,
  partsOf,
  textOf,
} from "../../../model/known";
import { isLate } from "../../../model/late";
import { type Pattern, joinedPattern, literalPattern, matchesPattern, patternOf } from "../../wildcard";
import type { RequestContext } from "./context";

export interface PolicyValue {
  readonly text: Known<string>;
  /** The value as a pattern; a part known only after apply matches any text. */
  readonly pattern: string | Pattern;
  /** True if a part of it is known only after apply: a match of the pattern need not match the value. */
  readonly isLate: boolean;
}

const VARIABLE = /\$\{([^${}]*)\}/g;
const ESCAPES: Readonly<Record<string, string>> = { "*": "*", "?": "?", $: "$" };
const ANY_TEXT = patternOf("*");

/**
 * Fills in policy variables; `undefined` if one is unknown. The value of a variable is literal text, even `*` and `?`.
 * `${*}`, `${?}` and `${$}` are the characters themselves.
 */
export function policyValue(
  raw: Known<string>,
  variables: boolean,
  context: RequestContext,
): PolicyValue | undefined {
  return match(
    raw,
    (text) => {
      if (!text.includes("{")) return { text: raw, pattern: text, isLate: false };
      if (isLate(text)) return undefined;
      return variables && text.includes("${")
        ? filled(text, context)
        : { text: raw, pattern: text, isLate: false };
    },
    () => lateValue(raw, variables),
  );
}

function lateValue(text: Known<string>, variables: boolean): PolicyValue | undefined {
  const parts = partsOf(text);
  if (parts === undefined) return { text, pattern: ANY_TEXT, isLate: true };
  if (variables && parts.some((part) => typeof part === "string" && part.includes("${"))) return undefined;
  const patterns = parts.map((part) => (part instanceof Reference ? ANY_TEXT : patternOf(part)));
  return { text, pattern: joinedPattern(patterns), isLate: true };
}

function filled(raw: string, context: RequestContext): PolicyValue | undefined {
  const texts: string[] = [];
  const patterns: Pattern[] = [];
  let end = 0;
  const addPlain = (piece: string): void => {
    texts.push(piece);
    patterns.push(patternOf(piece));
  };
  for (const variableMatch of raw.matchAll(VARIABLE)) {
    const piece = raw.slice(end, variableMatch.index);
    const value = variable(variableMatch[1] ?? "", context);
    if (value === undefined || piece.includes("${")) return undefined;
    addPlain(piece);
    texts.push(value);
    patterns.push(literalPattern(value));
    end = variableMatch.index + variableMatch[0].length;
  }
  const rest = raw.slice(end);
  if (rest.includes("${")) return undefined;
  addPlain(rest);
  return { text: known(texts.join("")), pattern: joinedPattern(patterns), isLate: false };
}

function variable(name: string, context: RequestContext): string | undefined {
  const escaped = Object.hasOwn(ESCAPES, name) ? ESCAPES[name] : undefined;
  if (escaped !== undefined) return escaped;
  const contextValue = context.lookup(known(name));
  const [only, ...more] = contextValue.known ? contextValue.values : [];
  return only === undefined || more.length > 0 ? undefined : orElse(only, () => undefined);
}

export function valueMatches({ pattern, isLate: late }: PolicyValue, text: string): Ternary {
  return ternary(matchesPattern(pattern, text), late);
}

/** An answer in which a yes is not certain if the value is late. */
export function ternary(found: boolean | undefined, late = false): Ternary {
  if (found === undefined || (found && late)) return "unknown";
  return found ? "yes" : "no";
}

/** A text in lower case, except parts known only after apply. */
export function lowered(text: Known<string>): Known<string> {
  const parts = partsOf(text);
  return parts === undefined
    ? text
    : textOf(parts.map((part) => (typeof part === "string" ? part.toLowerCase() : part)));
}
