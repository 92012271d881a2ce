/*
 * What the type `Known` cannot forbid: a value that may not be known is an object or the bare value at run time, so that
 * its truth, its equality with another, and its place in a Set say nothing about the value.
 */

import { resolve } from "node:path";
import ts from "typescript";
import { describe, expect, it } from "vitest";

const ROOT = resolve(__dirname, "..");

const MODEL = resolve(ROOT, "lib/model/known.ts");

/** The parts of the library that know the type, with one more file. */
function programWith(path: string, text: string): ts.Program {
  const { config } = ts.readConfigFile(resolve(ROOT, "tsconfig.json"), (file) => ts.sys.readFile(file)) as {
    config: unknown;
  };
  const { options, fileNames } = ts.parseJsonConfigFileContent(config, ts.sys, ROOT);
  const host = ts.createCompilerHost(options);
  host.jsDocParsingMode = ts.JSDocParsingMode.ParseNone;
  const added = resolve(ROOT, path);
  const read = host.readFile.bind(host);
  host.readFile = (file) => (file === added ? text : read(file));
  const library = fileNames.filter((file) => /\/lib\/(?:explain|lint|model|rules)\//.test(file));
  return ts.createProgram([...library, added], { ...options, noEmit: true }, host);
}

/** The `Known` of the model in a type, itself or as part of a union; `undefined` where there is none. */
function knownIn(type: ts.Type): ts.Type | undefined {
  const parts = type.isUnion() ? type.types : [type];
  return parts.find((part) => {
    const symbol = part.getSymbol();
    return symbol?.name === "Known" && symbol.declarations?.[0]?.getSourceFile().fileName === MODEL;
  });
}

function isUndefined(type: ts.Type): boolean {
  return (type.isUnion() ? type.types : [type]).some(({ flags }) => (flags & ts.TypeFlags.Undefined) !== 0);
}

const EQUALITY: readonly ts.SyntaxKind[] = [
  ts.SyntaxKind.EqualsEqualsEqualsToken,
  ts.SyntaxKind.ExclamationEqualsEqualsToken,
];
const TRUTH: readonly ts.SyntaxKind[] = [
  ts.SyntaxKind.AmpersandAmpersandToken,
  ts.SyntaxKind.BarBarToken,
  ts.SyntaxKind.BarBarEqualsToken,
];

/** Expressions whose truth a node asks. */
function asked(node: ts.Node): readonly ts.Expression[] {
  if (ts.isIfStatement(node) || ts.isWhileStatement(node) || ts.isDoStatement(node)) return [node.expression];
  if (ts.isConditionalExpression(node)) return [node.condition];
  if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken)
    return [node.operand];
  return ts.isBinaryExpression(node) && TRUTH.includes(node.operatorToken.kind) ? [node.left] : [];
}

/** The mistakes in a program's files, each as `<path>:<line> <what>`. */
function mistakesIn(program: ts.Program): readonly string[] {
  const checker = program.getTypeChecker();
  const typeOf = (node: ts.Node): ts.Type => checker.getTypeAtLocation(node);
  const mistakeOf = (node: ts.Node): string | undefined => {
    if (asked(node).some((each) => knownIn(typeOf(each)))) return "asks for the truth of a Known";
    if (ts.isBinaryExpression(node) && EQUALITY.includes(node.operatorToken.kind)) {
      const [left, right] = [knownIn(typeOf(node.left)), knownIn(typeOf(node.right))];
      if (left && right) return "compares two Known by identity";
      const known = left ?? right;
      const [inner] = known ? checker.getTypeArguments(known as ts.TypeReference) : [];
      if (inner && isUndefined(typeOf(left ? node.right : node.left)) && isUndefined(inner))
        return "takes a Known that is undefined for one that is absent";
    }
    if (ts.isNewExpression(node) && ["Set", "Map"].includes(node.expression.getText())) {
      const [key] = checker.getTypeArguments(typeOf(node) as ts.TypeReference);
      if (key && knownIn(key)) return `makes a ${node.expression.getText()} by Known`;
    }
    return undefined;
  };
  const found: string[] = [];
  for (const file of program.getSourceFiles()) {
    const path = file.fileName.slice(ROOT.length + 1);
    if (!path.startsWith("lib/") || file.fileName === MODEL) continue;
    const visit = (node: ts.Node): void => {
      const mistake = mistakeOf(node);
      const { line } = file.getLineAndCharacterOfPosition(node.getStart());
      if (mistake) found.push(`${path}:${line + 1} ${mistake}`);
      node.forEachChild(visit);
    };
    visit(file);
  }
  return found;
}

const PROBE = "lib/probe.ts";
const found = mistakesIn(
  programWith(
    PROBE,
    [
      'import type { Known } from "./model/known";',
      "declare const a: Known<string>;",
      "declare const b: Known<string> | undefined;",
      "declare const c: Known<string | undefined>;",
      "export const r1 = a ? 1 : 2;",
      "export const r2 = !b;",
      "export const r3 = b && 1;",
      "export const r4 = a === b;",
      "export const r5 = c === undefined;",
      "export const r6 = new Set([a]);",
      "type Name = Known<string>;",
      "export const r7 = (name: Name) => name || 1;",
      "export const fine = [b === undefined, b ?? a];",
    ].join("\n"),
  ),
);
const isOfProbe = (mistake: string): boolean => mistake.startsWith(`${PROBE}:`);

describe("values that may not be known", () => {
  it("are found where code takes them for bare values", () => {
    expect(found.filter(isOfProbe)).toEqual([
      "lib/probe.ts:5 asks for the truth of a Known",
      "lib/probe.ts:6 asks for the truth of a Known",
      "lib/probe.ts:7 asks for the truth of a Known",
      "lib/probe.ts:8 compares two Known by identity",
      "lib/probe.ts:9 takes a Known that is undefined for one that is absent",
      "lib/probe.ts:10 makes a Set by Known",
      "lib/probe.ts:12 asks for the truth of a Known",
    ]);
  });

  it("are nowhere taken for bare values in the library", () => {
    expect(found.filter((mistake) => !isOfProbe(mistake))).toEqual([]);
  });
});
