/*
 * Values in policies: policy variables, wildcards, and Terraform references that nobody can judge before apply.
 * Source: "IAM policy elements: Variables and tags" in the IAM user guide.
 */

import { isLate } from "../../../model/late";
import type { ContextValue } from "./context";
import { type Pattern, joinedPattern, literalPattern, patternOf } from "../../wildcard";

/** A policy value with its variables filled in, or why that is impossible. */
export type PolicyValue =
  | {
      /** The value as text. */
      readonly text: string;
      /** The value as pattern; text where every `*` and `?` in it is a wildcard. */
      readonly pattern: string | Pattern;
    }
  | {
      /** Why it cannot be told, in words. */
      readonly problem: string;
    };

const VARIABLE = /\$\{([^${}]*)\}/g;
const ESCAPES: Readonly<Record<string, string>> = { "*": "*", "?": "?", $: "$" };

/**
 * Fills in policy variables. What a variable stands for is literal text, also `*` and `?`.
 *
 * `${*}`, `${?}` and `${$}` are the characters themselves. Any other variable needs a known condition key with
 * one value. A Terraform reference looks like a variable and has none, so it cannot be told.
 */
export function policyValue(
  raw: string,
  variables: boolean,
  lookup: (key: string) => ContextValue,
): PolicyValue {
  if (isLate(raw)) return { problem: "a value holds a Terraform reference" };
  if (!raw.includes("${")) return { text: raw, pattern: raw };
  if (!variables) return { problem: "a value holds ${…}, which this policy version does not fill in" };
  return filled(raw, lookup);
}

function filled(raw: string, lookup: (key: string) => ContextValue): PolicyValue {
  const text: string[] = [];
  const patterns: Pattern[] = [];
  const add = (piece: string, pattern: Pattern): void => {
    text.push(piece);
    patterns.push(pattern);
  };
  let end = 0;
  for (const match of raw.matchAll(VARIABLE)) {
    const plain = raw.slice(end, match.index);
    const value = variable(match[1] ?? "", lookup);
    if (value === undefined || plain.includes("${")) break;
    add(plain, patternOf(plain));
    add(value, literalPattern(value));
    end = match.index + match[0].length;
  }
  const rest = raw.slice(end);
  if (rest.includes("${"))
    return { problem: "a value holds a policy variable or Terraform reference that is not known" };
  add(rest, patternOf(rest));
  return { text: text.join(""), pattern: joinedPattern(patterns) };
}

function variable(name: string, lookup: (key: string) => ContextValue): string | undefined {
  const escaped = Object.hasOwn(ESCAPES, name) ? ESCAPES[name] : undefined;
  if (escaped !== undefined) return escaped;
  const found = lookup(name);
  return found.known && found.values.length === 1 ? found.values[0] : undefined;
}
