/*
 * Evaluates expressions of pool providers and of conditions on roles over what is known. The parser is a library's; its
 * evaluator knows neither values known only after apply or from the token, nor sets of texts.
 */

import {
  type Known,
  type TextParts,
  andThen,
  isKnown,
  known,
  map,
  match,
  partsOf,
  unread,
} from "../../model/known";
import { marked, treeOf, unmarkedText } from "../../model/tree";
import { type CelTree, callIn, nodesIn, parsedCel, pathIn, pathOf, stringIn } from "./cel";
import { type CelVariables, AskedText, UNKNOWN_CLAIM, claimAt } from "./cel-claims";
import {
  type Value,
  NotRead,
  OPEN,
  OPERATIONS,
  bool,
  int,
  listOf,
  literalOf,
  refuse,
  text as textValue,
} from "./cel-operations";

/** What an expression gives: a value, an error that Google would meet as well, or nothing that can be told. */
export type CelAnswer =
  | { readonly kind: "value"; readonly value: string | boolean | readonly string[] }
  | { readonly kind: "error"; readonly reason: string }
  | {
      readonly kind: "unknown";
      readonly reason: string;
      /**
       * The text that it gives, as far as that is known.
       *
       * @defaultValue - nothing is known of it
       */
      readonly text?: Known<string>;
    };

/** The reason where an expression is right in itself, and an unknown claim decides. */
export const TOKEN_TELLS = "it depends on what only the token tells";
const APPLY_TELLS = "it holds a value that is known only after apply";

/** REST reference of workloadIdentityPools.providers, `attributeCondition`; mappings may be half as long. */
const EXPRESSION_MAX = 4096;

type Evaluation = (variables: CelVariables) => Value;
/** An expression, ready to be evaluated for many tokens. */
export class CelExpression {
  /** As it was written. */
  readonly text: Known<string>;
  #evaluation: Known<Evaluation> | undefined;

  constructor(text: Known<string>) {
    this.text = text;
  }

  /** Evaluates the expression; never throws. */
  evaluate(variables: CelVariables): CelAnswer {
    try {
      this.#evaluation ??= andThen(marked(this.text), ({ text, parts }) => compiled(text, parts));
      return match(
        this.#evaluation,
        (run) => this.#answer(run(variables)),
        (why) => unknown(why.kind === "apply" ? APPLY_TELLS : why.what),
      );
    } catch (error) {
      // Brackets may be nested deeper than the stack.
      if (error instanceof NotRead || error instanceof RangeError) return unknown(error.message);
      throw error;
    }
  }

  #answer(value: Value): CelAnswer {
    const reason = isKnown(this.text) ? TOKEN_TELLS : APPLY_TELLS;
    if (value.kind === "error") return value;
    if (value.kind === "bool" && value.value !== "unknown")
      return { kind: "value", value: value.value === "yes" };
    if (value.kind === "text")
      return match(
        value.text,
        (text): CelAnswer => ({ kind: "value", value: text }),
        () => ({ kind: "unknown", reason, text: value.text }),
      );
    if (value.kind === "list") {
      const items = value.items.flatMap((item) => literalOf(item) ?? []);
      if (items.length === value.items.length) return { kind: "value", value: items };
    }
    return unknown(value.kind === "int" ? "it gives a number" : reason);
  }
}

/** A configuration has a few expressions, asked about for thousands of service accounts. */
const REMEMBERED = 256;
const expressions = new Map<string, CelExpression>();

/** Evaluates an expression; never throws. */
export function evaluateCel(text: string, variables: CelVariables): CelAnswer {
  if (!expressions.has(text) && expressions.size >= REMEMBERED) expressions.clear();
  const expression = expressions.get(text) ?? new CelExpression(known(text));
  expressions.set(text, expression);
  return expression.evaluate(variables);
}

function unknown(reason: string): CelAnswer {
  return { kind: "unknown", reason };
}

/** Claims that no token is without, with texts that none has, unless the expression names them. */
function samplesFor(tree: CelTree): readonly CelVariables[] {
  const texts = ["any", "other", ...nodesIn(tree).flatMap((node) => stringIn(node) || [])];
  return texts.map((text) => ({
    assertion: { sub: text, iss: text, aud: [text] },
    google: { subject: text },
  }));
}

/** True for `true`, `1 == 1`, `assertion.sub.startsWith('')` and others that admit tokens that cannot have been meant. */
export function admitsEveryToken(expression: string): boolean {
  const tree = parsedCel(expression);
  return (
    tree !== undefined &&
    samplesFor(tree).every((sample) => {
      const answer = evaluateCel(expression, sample);
      return answer.kind === "value" && answer.value === true;
    })
  );
}

/** How many `&&`, `||` and `!` an expression has; none where it cannot be parsed. */
export function logicalOperators(expression: string): {
  readonly joining: number;
  readonly negating: number;
} {
  const tree = parsedCel(expression);
  const calls = (tree ? nodesIn(tree) : []).flatMap((node) => callIn(node) ?? []);
  // One operator between each two terms.
  const joining = calls.map(({ name, operands }) => (/^_(?:&&|\|\|)_$/.test(name) ? operands.length - 1 : 0));
  return {
    joining: joining.reduce((sum, each) => sum + each, 0),
    negating: calls.filter(({ name }) => name === "!_").length,
  };
}

function compiled(text: string, parts: TextParts): Known<Evaluation> {
  if (text.length > EXPRESSION_MAX)
    return unread(`it has ${text.length} characters, ${EXPRESSION_MAX} are allowed`);
  const tree = text.includes("${") ? undefined : parsedCel(text);
  if (tree === undefined)
    return unread(
      parts.length > 0 || text.includes("${")
        ? APPLY_TELLS
        : "it is not an expression that can be parsed here",
    );
  try {
    return known(evaluationOf(tree, parts));
  } catch (error) {
    if (error instanceof NotRead || error instanceof RangeError) return unread(error.message);
    throw error;
  }
}

function evaluationOf(tree: CelTree, parts: TextParts): Evaluation {
  const path = pathIn(tree);
  if (path !== undefined) return (variables) => claimValue(variables, path);
  const node = tree.exprKind;
  if (node.case === "constExpr") {
    const value = constant(tree, parts);
    return () => value;
  }
  if (node.case === "selectExpr") {
    const field = pathOf(node.value) ?? refuse("a field of a value");
    return node.value.testOnly ? (variables) => presence(variables, field) : refuse("a field of a value");
  }
  if (node.case === "listExpr") {
    const items = node.value.elements.map((each) => evaluationOf(each, parts));
    return (variables) => listOf(items.map((each) => each(variables)));
  }
  if (node.case === "comprehensionExpr") return macroOf(node.value, parts);
  const call = callIn(tree) ?? refuse("an object is built");
  return callOf(call, parts);
}

type Comprehension = Extract<CelTree["exprKind"], { readonly case: "comprehensionExpr" }>["value"];

/** `all()` and `exists()`: what holds of each element, joined by `&&` or `||`. */
function macroOf({ iterVar, accuVar, iterRange, loopStep }: Comprehension, parts: TextParts): Evaluation {
  const { name = "", operands: [before, each] = [] } = callIn(loopStep) ?? {};
  const join = /^_(?:&&|\|\|)_$/.test(name) ? OPERATIONS[name] : undefined;
  if (!iterRange || !each || !join || pathIn(before)?.join(".") !== accuVar)
    return refuse("a macro other than all() and exists()");
  const [range, holds] = [evaluationOf(iterRange, parts), evaluationOf(each, parts)];
  return (variables) => {
    const list = range(variables);
    if (list.kind === "open" || list.kind === "error") return list;
    if (list.kind !== "list") return refuse("a macro over other than a list");
    const claims = list.items.map((item) => (item.kind === "text" ? item.text : UNKNOWN_CLAIM));
    const outcomes = claims.map((claim) => holds({ ...variables, [iterVar]: claim }));
    return join(...outcomes) ?? refuse("a macro of other than true or false");
  };
}

function callOf({ name, operands }: NonNullable<ReturnType<typeof callIn>>, parts: TextParts): Evaluation {
  const operation = Object.hasOwn(OPERATIONS, name) ? OPERATIONS[name] : undefined;
  const shownName = name.replace(/^\./, "");
  if (operation === undefined) return refuse(shownName);
  if (name === "_+_" && operands.every(isUntyped))
    return refuse("two claims are joined, whose kinds are not known when it is created");
  const values = operands.map((each) => evaluationOf(each, parts));
  return (variables) => {
    const operands = values.map((each) => each(variables));
    const kinds = (): string => operands.map(({ kind }) => kind).join(" and ");
    return operation(...operands) ?? refuse(`${shownName} of ${kinds()}`);
  };
}

/** True where only the token tells the kind; cel-go takes the sum of two such values for bytes. */
function isUntyped(tree: CelTree): boolean {
  if (pathIn(tree) !== undefined) return true;
  const { name, operands: [first, ...others] = [] } = callIn(tree) ?? {};
  if (name === "_[_]" && first !== undefined) return isUntyped(first);
  return name === "_?_:_" && others.every(isUntyped);
}

/**
 * Longest text of a claim that is evaluated, in characters. A subject of Kubernetes has at most 339; the bound keeps
 * the cost of a hostile expression small.
 */
const TEXT_MAX = 1024;
function constant(tree: CelTree, parts: TextParts): Value {
  const written = stringIn(tree);
  if (written !== undefined) return textValue(unmarkedText(written, parts));
  const { constantKind } = tree.exprKind.value as { constantKind: { case?: string; value?: unknown } };
  if (constantKind.case === "int64Value") return int(Number(constantKind.value));
  return constantKind.case === "boolValue"
    ? bool(constantKind.value === true)
    : refuse("a literal of another kind");
}

/** What follows the name of a variable; those that expressions of this kind do not have are refused. */
function claimIn(variables: CelVariables, path: readonly string[]): unknown {
  const [root = ""] = path;
  return Object.hasOwn(variables, root) ? claimAt(variables, path) : refuse(`${root} is not known here`);
}

function claimValue(variables: CelVariables, path: readonly string[]): Value {
  const claim = claimIn(variables, path);
  if (claim === undefined) return { kind: "error", reason: `field not found: ${path.at(-1) ?? ""}` };
  if (typeof claim === "boolean") return bool(claim);
  if (claim instanceof AskedText) return { kind: "asked", asked: claim };
  if (Array.isArray(claim)) return listOf(claim.map((item: unknown) => textClaim(item, path)));
  return textClaim(claim, path);
}

function textClaim(claim: unknown, path: readonly string[]): Value {
  const value = treeOf(claim);
  if (isKnown(value) && typeof claim !== "string")
    return refuse(`${path.join(".")} is neither text nor a list of texts`);
  if (typeof claim === "string" && claim.length > TEXT_MAX) return refuse("a claim of that length");
  return partsOf(map(value, String)) ? textValue(map(value, String)) : OPEN;
}

function presence(variables: CelVariables, path: readonly string[]): Value {
  const claim = claimIn(variables, path);
  return bool(isKnown(treeOf(claim)) ? claim !== undefined : "unknown");
}
