/*
 * Leaves out of the compiled library what no user reads there: comments of the JavaScript, which the declarations have as well,
 * declarations that no entry point reaches, and comments of those that no exported one mentions. Together they are a quarter of the
 * package.
 */

import { readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const root = fileURLToPath(new URL("..", import.meta.url));
const { exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const paths = readdirSync(join(root, "dist/lib"), { recursive: true });
const files = paths.map((path) => resolve(root, "dist/lib", path));
const printer = ts.createPrinter({ removeComments: true });
const uncommented = (path, text) =>
  printer.printFile(ts.createSourceFile(path, text, ts.ScriptTarget.ES2022, true));

for (const path of files.filter((each) => /\.m?js$/.test(each) && !/[\\/]page[\\/]/.test(each)))
  writeFileSync(path, uncommented(path, readFileSync(path, "utf8")));

const entries = Object.values(exports).flatMap(({ types }) => (types ? [resolve(root, types)] : []));
const { Node16 } = ts.ModuleKind;
// Packages of others change nothing here, and are most of what there would be to read.
const options = { module: Node16, moduleResolution: Node16, noLib: true, noResolve: false, types: [] };
const host = ts.createCompilerHost(options);
host.resolveModuleNameLiterals = (literals, file) =>
  literals.map(({ text }) =>
    text.startsWith(".") ? ts.resolveModuleName(text, file, options, host) : { resolvedModule: undefined },
  );
const program = ts.createProgram(entries, options, host);
const checker = program.getTypeChecker();
const declarations = (symbol) =>
  (symbol && symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol)?.declarations ??
  [];

/** The exported declarations and all that they mention. */
const mentioned = new Set();
function mention(declaration) {
  if (mentioned.has(declaration)) return;
  mentioned.add(declaration);
  const visit = (node) => {
    const name = ts.isTypeReferenceNode(node)
      ? node.typeName
      : ts.isExpressionWithTypeArguments(node)
        ? node.expression
        : undefined;
    if (name) declarations(checker.getSymbolAtLocation(name)).forEach(mention);
    ts.forEachChild(node, visit);
  };
  visit(declaration);
}
for (const entry of entries)
  for (const symbol of checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(entry))))
    declarations(symbol).forEach(mention);

for (const path of files.filter((each) => /\.d\.m?ts$/.test(each))) {
  const source = program.getSourceFile(path);
  if (!source) rmSync(path);
  else if (!entries.includes(path)) writeFileSync(path, source.statements.map(lean).join("") + "\n");
}

/** The text of a statement, without its comments where nothing exported mentions it. */
function lean(statement) {
  const text = statement.getFullText();
  const own = ts.isVariableStatement(statement) ? statement.declarationList.declarations : [statement];
  const isDeclaration = own.some((each) => "name" in each);
  return isDeclaration && !own.some((each) => mentioned.has(each))
    ? `\n${uncommented("statement.ts", text).trimEnd()}`
    : text;
}
