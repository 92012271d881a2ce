/*
 * Conditions in CEL that admit every token, as far as that can be seen without evaluating them. An expression in a
 * form that is not read here counts as one that refuses something.
 */

import { type CelTree, celLibrary } from "./cel-library";
import { LOGIC, callIn, parsedCel, partsIn, pathIn, pathOfHas, stringIn } from "./cel-tree";

/** How many `&&`, `||` and `!` an expression has; none where it cannot be parsed. */
export function logicalOperators(expression: string): {
  readonly joining: number;
  readonly negating: number;
} {
  const names = operatorsIn(parsedCel(expression));
  const negating = names.filter((name) => name === LOGIC.not).length;
  return { joining: names.length - negating, negating };
}

function operatorsIn(tree: CelTree | undefined): readonly string[] {
  if (tree === undefined) return [];
  const { name = "", operands = [] } = callIn(tree) ?? {};
  const inner = partsIn(tree).flatMap(operatorsIn);
  if (name === LOGIC.not) return [name, ...inner];
  // One operator between each two terms.
  return name === LOGIC.and || name === LOGIC.or ? [...operands.slice(1).map(() => name), ...inner] : inner;
}

/** True for `true`, `1 == 1`, `assertion.sub.startsWith('')` and the like, alone or joined by `||`, `&&` and parentheses. */
export function admitsEveryToken(expression: string): boolean {
  if (expression.trim() === "true") return true;
  const tree = parsedCel(expression);
  return tree !== undefined && alwaysHolds(tree);
}

/** Claims that are never absent or empty. */
const ALWAYS_THERE: readonly string[] = ["assertion/sub", "assertion/iss", "google/subject"];
/** Claims that are never absent. */
const PRESENT: readonly string[] = [...ALWAYS_THERE, "assertion/aud"];
const ANY_TEXT = /^\^?(?:\.\*)?\$?$/;

function alwaysHolds(tree: CelTree): boolean {
  if (constantIn(tree) === true) return true;
  const { name = "", operands = [] } = callIn(tree) ?? {};
  const [left, right] = operands;
  switch (name) {
    case LOGIC.or:
      return operands.some(alwaysHolds);
    case LOGIC.and:
      return operands.every(alwaysHolds);
    case LOGIC.not:
      return constantIn(left) === false;
    case "_==_":
      return written(left) === written(right);
    case "_!=_":
      return ALWAYS_THERE.includes(named(pathIn(left))) && stringIn(right) === "";
    case ".startsWith":
    case ".endsWith":
    case ".contains":
      return pathIn(left) !== undefined && stringIn(right) === "";
    case ".matches":
      return pathIn(left) !== undefined && ANY_TEXT.test(stringIn(right) ?? "?");
    case "_>=_":
      return /size$/.test(callIn(left)?.name ?? "") && written(right) === "0";
    default:
      return PRESENT.includes(named(pathOfHas(tree)));
  }
}

function constantIn(tree: CelTree | undefined): boolean | undefined {
  const node = tree?.exprKind;
  if (node?.case !== "constExpr" || node.value.constantKind.case !== "boolValue") return undefined;
  return node.value.constantKind.value;
}

function named(path: readonly string[] | undefined): string {
  return path?.join("/") ?? "";
}

function written(tree: CelTree | undefined): string | undefined {
  return tree && celLibrary().cel.unparse(tree);
}
