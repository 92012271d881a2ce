/*
 * Expressions of the Common Expression Language as texts and as trees. The parser is loaded with the first expression
 * that is read: it is a hundred modules, and most runs need none of them.
 */

import type * as Cel from "@bufbuild/cel";

const ESCAPED: Readonly<Record<string, string>> = {
  "\\": "\\\\",
  "'": "\\'",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
};
/** Backslash, quote and control characters; and the two openings that Terraform would take for a template. */
const SPECIAL = /[\\'\u0000-\u001f\u007f]|[$%](?=\{)/g;
const [HEX, UNICODE_DIGITS] = [16, 4];

/**
 * A text as a CEL string literal in single quotes, escaped once for CEL and once for Terraform.
 *
 * `${` and `%{` open a template in Terraform's strings; writing the first character as a CEL escape hides it from
 * Terraform without a second layer of escaping. Source of the escapes: cel-spec, doc/langdef.md.
 */
export function celString(text: string): string {
  const unicode = (character: string): string =>
    `\\u${character.charCodeAt(0).toString(HEX).padStart(UNICODE_DIGITS, "0")}`;
  return `'${text.replace(SPECIAL, (character) => ESCAPED[character] ?? unicode(character))}'`;
}

export type CelTree = ReturnType<typeof Cel.parse>["expr"];

function library(): typeof Cel {
  return require("@bufbuild/cel") as typeof Cel;
}

/** The tree of an expression; `undefined` where it is none: a syntax error, or brackets nested deeper than the stack. */
export function parsedCel(expression: string): CelTree | undefined {
  try {
    // The parser takes a comment only where a line follows it.
    return library().parse(`${expression}\n`).expr;
  } catch {
    return undefined;
  }
}

let matches: ((texts: { readonly text: string; readonly pattern: string }) => unknown) | undefined;

/** Whether a regular expression of CEL, which is RE2's, is found in a text; `undefined` where it is none. */
export function celMatches(text: string, pattern: string): boolean | undefined {
  const { plan, celEnv, parse } = library();
  matches ??= plan(celEnv(), parse("text.matches(pattern)"));
  const answer = matches({ text, pattern });
  return typeof answer === "boolean" ? answer : undefined;
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
  if (node?.case === "selectExpr" && !node.value.testOnly) return pathOf(node.value);
  const call = callIn(tree);
  return call?.name === "_[_]" ? further(pathIn(call.operands[0]), stringIn(call.operands[1])) : undefined;
}

/** The path of a selected field, also within `has()`. */
export function pathOf(select: {
  readonly operand?: CelTree;
  readonly field: string;
}): readonly string[] | undefined {
  return further(pathIn(select.operand), select.field);
}

function further(
  path: readonly string[] | undefined,
  name: string | undefined,
): readonly string[] | undefined {
  return path === undefined || name === undefined ? undefined : [...path, name];
}

export function stringIn(tree: CelTree | undefined): string | undefined {
  const node = tree?.exprKind;
  if (node?.case !== "constExpr" || node.value.constantKind.case !== "stringValue") return undefined;
  return node.value.constantKind.value;
}

/** A tree and all that is below it in calls and lists. */
export function nodesIn(tree: CelTree): readonly CelTree[] {
  const nodes = [tree];
  for (const { exprKind: node } of nodes) {
    if (node.case === "listExpr") for (const each of node.value.elements) nodes.push(each);
    if (node.case !== "callExpr") continue;
    if (node.value.target) nodes.push(node.value.target);
    for (const each of node.value.args) nodes.push(each);
  }
  return nodes;
}
