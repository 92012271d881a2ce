/*
 * Comparisons of a claim with literals: the terms that most expressions consist of. They are decided here and not by the
 * evaluator, since claim and literals may hold what only apply tells, and the claim may be one of a set of names.
 */

import {
  type Known,
  Reference,
  type Ternary,
  type TextParts,
  joined,
  match,
  not,
  or,
  same,
  textOf,
  whether,
} from "../../model/known";
import { unmarkedText } from "../../model/tree";
import { type Pattern, joinedPattern, literalPattern, patternOf } from "../wildcard";
import { readCelString } from "./cel";
import type { CelTree } from "./cel-library";
import { callIn, pathIn, stringIn } from "./cel-tree";
import { AskedText, type CelVariables, claimAt, claimText } from "./cel-variables";

type Test = "is" | "isNot" | "in" | "has" | "startsWith" | "endsWith" | "contains" | "matches";

/** A claim, and what it is compared with. */
export interface CelComparison {
  /** Where the claim is: `["assertion", "sub"]`. */
  readonly path: readonly string[];
  /** How; `has` for a list in which the literal is. */
  readonly test: Test;
  /** With what: several for `in`. */
  readonly literals: readonly Known<string>[];
}

/** What an expression of one of the forms that need no evaluator consists of. */
export type SimpleCel =
  | { readonly kind: "comparison"; readonly comparison: CelComparison }
  | { readonly kind: "path"; readonly path: readonly string[] }
  | { readonly kind: "literal"; readonly text: Known<string> };

const LITERAL = String.raw`(?:'(?:[^'\\\r\n]|\\.)*'|"(?:[^"\\\r\n]|\\.)*")`;
const PLAIN = String.raw`(?:'[^'\\]*'|"[^"\\]*")`;
const METHOD = "startsWith|endsWith|contains";
const ROOT = "(?:assertion|attribute|google|resource|claims|user)";
const PATH = String.raw`${ROOT}(?:\.(?!(?:${METHOD})\()[A-Za-z_]\w*|\[${PLAIN}\])+`;
const STEP = new RegExp(String.raw`[A-Za-z_]\w*(?=[.[]|$)|${PLAIN}`, "g");
const LITERALS = new RegExp(LITERAL, "g");
const SIMPLE = new RegExp(
  [
    String.raw`^(?:(?<literal>${LITERAL})|(?<path>${PATH})`,
    String.raw`|(?<compared>${PATH})\s*(?<operator>==|!=)\s*(?<other>${LITERAL})`,
    String.raw`|(?<listed>${PATH})\s+in\s+\[\s*(?<list>${LITERAL}(?:\s*,\s*${LITERAL})*)?\s*,?\s*\]`,
    String.raw`|(?<item>${LITERAL})\s+in\s+(?<whole>${PATH})`,
    String.raw`|(?<begun>${PATH})\.(?<method>${METHOD})\(\s*(?<piece>${LITERAL})\s*\))$`,
  ].join(""),
);

/** Reads an expression of one of the forms that nearly all have; `parts` are the references that marks in it are. */
export function simpleCel(expression: string, parts: TextParts): SimpleCel | undefined {
  const found = SIMPLE.exec(expression)?.groups;
  if (found === undefined) return undefined;
  const {
    literal,
    path,
    compared,
    operator,
    other,
    listed,
    list = "",
    item,
    whole,
    begun,
    method,
    piece,
  } = found;
  if (path !== undefined) return { kind: "path", path: stepsOf(path) };
  const written = (literal ?? other ?? item ?? piece ?? list).match(LITERALS) ?? [];
  const texts = written.map(readCelString).filter((text) => text !== undefined);
  // An escape that is not read here is left to the evaluator.
  if (texts.length < written.length) return undefined;
  const literals = texts.map((text) => unmarkedText(text, parts));
  const [first] = literals;
  if (literal !== undefined) return first === undefined ? undefined : { kind: "literal", text: first };
  const test = listed ? "in" : whole ? "has" : ((method as Test | undefined) ?? equality(operator));
  const place = compared ?? listed ?? whole ?? begun ?? "";
  return { kind: "comparison", comparison: { path: stepsOf(place), test, literals } };
}

function equality(operator: string | undefined): Test {
  return operator === "!=" || operator === "_!=_" ? "isNot" : "is";
}

function stepsOf(path: string): readonly string[] {
  return (path.match(STEP) ?? []).map((step) => step.replace(/^['"]|['"]$/g, ""));
}

const METHODS: Readonly<Record<string, Test>> = {
  ".startsWith": "startsWith",
  ".endsWith": "endsWith",
  ".contains": "contains",
  ".matches": "matches",
};

/** The comparison that a term is; `undefined` for any other term. */
export function comparisonIn(tree: CelTree, parts: TextParts): CelComparison | undefined {
  const { name = "", operands: [left, right] = [] } = callIn(tree) ?? {};
  const made = (path: CelTree | undefined, test: Test, ...literals: readonly (CelTree | undefined)[]) => {
    const [steps, texts] = [pathIn(path), literals.map(stringIn).filter((each) => each !== undefined)];
    return steps && texts.length === literals.length
      ? { path: steps, test, literals: texts.map((each) => unmarkedText(each, parts)) }
      : undefined;
  };
  if (name === "_==_" || name === "_!=_")
    return made(left, equality(name), right) ?? made(right, equality(name), left);
  const method = METHODS[name];
  if (method !== undefined) return made(left, method, right);
  if (name !== "@in") return undefined;
  return right?.exprKind.case === "listExpr"
    ? made(left, "in", ...right.exprKind.value.elements)
    : made(right, "has", left);
}

/** Whether it holds; `missing` where there is no such claim, which is an error in CEL. */
export function compared(
  { path, test, literals }: CelComparison,
  variables: CelVariables,
): Ternary | "missing" {
  const claim = claimAt(variables, path);
  if (claim === undefined) return "missing";
  const holds = or(...literals.map((literal) => holdsFor(claim, test, literal)));
  return test === "isNot" ? not(holds) : holds;
}

/** A claim of another kind than the test is for is left open: Google does not say what it makes of it. */
function holdsFor(claim: unknown, test: Test, literal: Known<string>): Ternary {
  if (test === "has")
    return Array.isArray(claim) ? or("no", ...claim.map((item) => holdsFor(item, "is", literal))) : "unknown";
  if (claim instanceof AskedText)
    return whether(literal, (text) => {
      const pattern = patternFor(test, text);
      return pattern === undefined ? "unknown" : claim.matches(pattern);
    });
  const text = claimText(claim);
  if (text === undefined) return isScalar(claim) && isEquality(test) ? "no" : "unknown";
  if (isEquality(test)) return same(text, literal);
  return whether(text, (value) =>
    match(
      literal,
      (piece) => holdsAt(value, test, piece),
      (): Ternary | boolean => same(text, around(test, literal)),
    ),
  );
}

function isScalar(claim: unknown): boolean {
  return typeof claim === "number" || typeof claim === "boolean";
}

function isEquality(test: Test): boolean {
  return test === "is" || test === "isNot" || test === "in";
}

function holdsAt(text: string, test: Test, piece: string): Ternary | boolean {
  if (test === "startsWith") return text.startsWith(piece);
  if (test === "endsWith") return text.endsWith(piece);
  return test === "contains" ? text.includes(piece) : "unknown";
}

/** Whatever stands around a literal; never equal to a text, but certainly not where beginning or end differ. */
function around(test: Test, literal: Known<string>): Known<string> {
  const any = textOf([new Reference("any text")]);
  if (test === "startsWith") return joined(literal, any);
  return test === "endsWith" ? joined(any, literal) : any;
}

const ANY = patternOf("*");
/** Regular expressions that are patterns as well: anchors, plain characters, and `.*`. */
const REGULAR = /^(\^?)((?:[A-Za-z0-9_/:@ -]|\\[./$^-]|\.\*)*)(\$?)$/;

/** The pattern that a text must match; `undefined` for a regular expression that is none. */
function patternFor(test: Test, text: string): Pattern | undefined {
  const literal = literalPattern(text);
  if (test === "startsWith") return joinedPattern([literal, ANY]);
  if (test === "endsWith") return joinedPattern([ANY, literal]);
  if (test === "contains") return joinedPattern([ANY, literal, ANY]);
  if (test !== "matches") return literal;
  const [, start, body, end] = REGULAR.exec(text) ?? [];
  if (body === undefined) return undefined;
  const pieces = body.split(".*").map((piece) => literalPattern(piece.replaceAll("\\", "")));
  const inner = pieces.flatMap((piece, place) => (place === 0 ? [piece] : [ANY, piece]));
  return joinedPattern([...(start === "" ? [ANY] : []), ...inner, ...(end === "" ? [ANY] : [])]);
}
