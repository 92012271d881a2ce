/*
 * Conditions in CEL that admit every token, as far as that can be seen without evaluating them. An expression in a
 * form that is not read here counts as one that refuses something.
 */

import { celString, readCelString } from "./cel";

type Tokens = readonly string[];

/** A comment, a string literal, a doubled operator, a word, or any other character. */
const TOKEN = /\/\/[^\n]*|'(?:[^'\\\r\n]|\\.)*'|"(?:[^"\\\r\n]|\\.)*"|\|\||&&|[=!<>]=|[A-Za-z0-9_]+|\S/g;

const OPERAND = "[A-Za-z_][\\w.[\\]']*";

/** Comparisons that hold for every token, as texts without white space; `sub`, `iss` and `aud` are never absent or empty. */
const HOLDS: readonly RegExp[] = [
  /^true$/,
  /^!false$/,
  new RegExp(`^${OPERAND}\\.(?:startsWith|endsWith|contains)\\(''\\)$`),
  new RegExp(`^${OPERAND}\\.matches\\('(?:\\^?(?:\\.\\*)?\\$?)'\\)$`),
  new RegExp(`^(?:size\\(${OPERAND}\\)|${OPERAND}\\.size\\(\\))>=0$`),
  /^(?:assertion\.(?:sub|iss)|google\.subject)!=''$/,
  /^has\(assertion\.(?:sub|iss|aud)\)$/,
];

/** How many `&&`, `||` and `!` an expression has, outside of strings and comments. */
export function logicalOperators(expression: string): {
  readonly joining: number;
  readonly negating: number;
} {
  const tokens = expression.match(TOKEN) ?? [];
  return {
    joining: tokens.filter((token) => token === "&&" || token === "||").length,
    negating: tokens.filter((token) => token === "!").length,
  };
}

/** True for `true`, `1 == 1`, `assertion.sub.startsWith('')` and the like, alone or joined by `||`, `&&` and parentheses. */
export function admitsEveryToken(expression: string): boolean {
  const tokens = expression.match(TOKEN) ?? [];
  return alwaysHolds(tokens.filter((token) => !token.startsWith("//")).map(canonical));
}

function alwaysHolds(tokens: Tokens): boolean {
  const inner = unwrapped(tokens);
  if (split(inner, "?").length > 1) return false;
  const either = split(inner, "||");
  if (either.length > 1) return either.some(alwaysHolds);
  const both = split(inner, "&&");
  if (both.length > 1) return both.every(alwaysHolds);
  const sides = split(inner, "==").map((side) => unwrapped(side).join(""));
  if (sides.length === 2) return sides[0] !== "" && sides[0] === sides[1];
  return HOLDS.some((pattern) => pattern.test(inner.join("")));
}

function canonical(token: string): string {
  const text = readCelString(token);
  return text === undefined ? token : celString(text);
}

/** Without parentheses around the whole. */
function unwrapped(tokens: Tokens): Tokens {
  const [first] = tokens;
  if (first !== "(" || depths(tokens).indexOf(0) !== tokens.length - 1) return tokens;
  return unwrapped(tokens.slice(1, -1));
}

/** The parts between an operator that stands outside of all brackets. */
function split(tokens: Tokens, operator: string): readonly Tokens[] {
  const depth = depths(tokens);
  const parts: string[][] = [[]];
  tokens.forEach((token, index) => {
    if (token === operator && depth[index] === 0) parts.push([]);
    else parts.at(-1)?.push(token);
  });
  return parts;
}

/** How many brackets are open after each token. */
function depths(tokens: Tokens): readonly number[] {
  let open = 0;
  return tokens.map((token) => {
    if ("([{".includes(token)) open += 1;
    if (")]}".includes(token)) open -= 1;
    return open;
  });
}
