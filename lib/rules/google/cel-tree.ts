/*
 * Expressions as the evaluator's parser reads them, as far as this library looks into them.
 */

import { type CelTree, celLibrary } from "./cel-library";

/** The operators that join terms, and the one that negates them. */
export const LOGIC = { and: "_&&_", or: "_||_", not: "!_" } as const;

/** The tree of an expression; `undefined` where it is none: a syntax error, or brackets nested deeper than the stack. */
export function parsedCel(expression: string): CelTree | undefined {
  try {
    // The parser takes a comment only where a line follows it.
    return celLibrary().cel.parse(`${expression}\n`).expr;
  } catch {
    return undefined;
  }
}

/** A call with its operands, the target of a method first: `_==_`, `.startsWith`; `undefined` for anything else. */
export function callIn(
  tree: CelTree | undefined,
): { readonly name: string; readonly operands: readonly CelTree[] } | undefined {
  if (tree?.exprKind.case !== "callExpr") return undefined;
  const { function: name, target, args } = tree.exprKind.value;
  return target === undefined ? { name, operands: args } : { name: `.${name}`, operands: [target, ...args] };
}

/** `["assertion", "kubernetes.io", "namespace"]`, however it is written; `undefined` for anything but a path. */
export function pathIn(tree: CelTree | undefined): readonly string[] | undefined {
  const node = tree?.exprKind;
  if (node?.case === "identExpr") return [node.value.name];
  if (node?.case === "selectExpr" && !node.value.testOnly)
    return further(pathIn(node.value.operand), node.value.field);
  const call = callIn(tree);
  return call?.name === "_[_]" ? further(pathIn(call.operands[0]), stringIn(call.operands[1])) : undefined;
}

/** The path of what `has()` asks for; `undefined` for anything else. */
export function pathOfHas(tree: CelTree | undefined): readonly string[] | undefined {
  const node = tree?.exprKind;
  return node?.case === "selectExpr" && node.value.testOnly
    ? further(pathIn(node.value.operand), node.value.field)
    : undefined;
}

function further(
  path: readonly string[] | undefined,
  name: string | undefined,
): readonly string[] | undefined {
  return path === undefined || name === undefined ? undefined : [...path, name];
}

/** The text of a string literal. */
export function stringIn(tree: CelTree | undefined): string | undefined {
  const node = tree?.exprKind;
  if (node?.case !== "constExpr" || node.value.constantKind.case !== "stringValue") return undefined;
  return node.value.constantKind.value;
}

/** The parts that are evaluated where the whole is; of a comprehension, those outside of its loop first. */
export function partsIn({ exprKind: { case: kind, value } }: CelTree): readonly CelTree[] {
  if (kind === "selectExpr") return [value.operand].filter((each) => each !== undefined);
  if (kind === "callExpr") return [value.target, ...value.args].filter((each) => each !== undefined);
  if (kind === "listExpr") return value.elements;
  if (kind !== "comprehensionExpr") return [];
  const { iterRange, accuInit, loopCondition, loopStep, result } = value;
  return [iterRange, accuInit, loopCondition, loopStep, result].filter((each) => each !== undefined);
}

/** Puts a variable in the place of a part. */
export function replace(tree: CelTree, variable: string): void {
  tree.exprKind = { case: "identExpr", value: { $typeName: "cel.expr.Expr.Ident", name: variable } };
}
