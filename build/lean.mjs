/*
 * Leaves out of the compiled library what no user reads there: comments of the JavaScript, which the declarations have as well, and
 * declarations that no exported one mentions. Together they are a quarter of the package. Code is written in few lines, with its
 * names, and calls what it imports without the comma that keeps `this` from it, for which no function of the library, nor of
 * what it imports by name, asks: both take three hundredths. What stack traces show stays legible.
 */

import { readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { transformSync } from "esbuild";
import ts from "typescript";

const root = fileURLToPath(new URL("..", import.meta.url));
const { exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const paths = readdirSync(join(root, "dist/lib"), { recursive: true });
const files = paths.map((path) => resolve(root, "dist/lib", path));
const printer = ts.createPrinter({ removeComments: true });
/** What is exported is set below, and modules that import each other do not exist; by the line `import` finds names of entries. */
const withoutHoisting = (path, text) =>
  path.endsWith("index.js") ? text : text.replace(/^(?:exports\.\w+ = )+void 0;\n/gm, "");

const isComma = ({ kind }) => kind === ts.SyntaxKind.CommaToken;

/** `known_1.match(…)` for `(0, known_1.match)(…)`. */
const plainCalls = (context) => (source) => {
  const visit = (node) => {
    const each = ts.visitEachChild(node, visit, context);
    if (!ts.isCallExpression(each) || !ts.isParenthesizedExpression(each.expression)) return each;
    const { expression: inner } = each.expression;
    if (!ts.isBinaryExpression(inner) || !isComma(inner.operatorToken)) return each;
    if (!ts.isPropertyAccessExpression(inner.right) || inner.left.getText(source) !== "0") return each;
    return context.factory.updateCallExpression(each, inner.right, each.typeArguments, each.arguments);
  };
  return ts.visitNode(source, visit);
};

const SHORT = { minifyWhitespace: true, minifySyntax: true, target: "node20", lineLimit: 400 };

/** The code without comments; entries keep the form in which `import` finds their names. */
function lean(path, text) {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.ES2022, true);
  const [plain] = ts.transform(source, [plainCalls]).transformed;
  const printed = withoutHoisting(path, printer.printFile(plain));
  return path.endsWith("index.js") ? printed : transformSync(printed, SHORT).code;
}

for (const path of files.filter((each) => /\.m?js$/.test(each) && !/[\\/]page[\\/]/.test(each)))
  writeFileSync(path, lean(path, readFileSync(path, "utf8")));

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
        : ts.isTypeQueryNode(node)
          ? node.exprName
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
  if (source && entries.includes(path)) continue;
  const kept = source?.statements.filter(isMentioned) ?? [];
  if (kept.length === 0) rmSync(path);
  else writeFileSync(path, withImports(source, kept));
}

/** What one of another file re-exports is mentioned under its own name. */
function isMentioned(statement) {
  if (ts.isImportDeclaration(statement)) return false;
  if (ts.isExportDeclaration(statement))
    return (statement.exportClause?.elements ?? []).some(({ name }) =>
      declarations(checker.getSymbolAtLocation(name)).some((each) => mentioned.has(each)),
    );
  const own = ts.isVariableStatement(statement) ? statement.declarationList.declarations : [statement];
  return own.some((each) => mentioned.has(each));
}

/** The statements as they are, after the imports that they use. */
function withImports(source, kept) {
  const used = new Set();
  const note = (node) => {
    if (ts.isIdentifier(node)) used.add(node.text);
    ts.forEachChild(node, note);
  };
  kept.forEach(note);
  const imports = source.statements
    .filter(ts.isImportDeclaration)
    .flatMap(({ importClause, moduleSpecifier }) => {
      const { name, namedBindings } = importClause ?? {};
      const elements = namedBindings && ts.isNamedImports(namedBindings) ? namedBindings.elements : [];
      const names = elements.filter((each) => used.has(each.name.text)).map((each) => each.getText());
      const whole = [name, namedBindings].filter(
        (each) => each && !ts.isNamedImports(each) && used.has((each.name ?? each).text),
      );
      const clauses = [
        ...whole.map((each) => each.getText()),
        ...(names.length > 0 ? [`{ ${names.join(", ")} }`] : []),
      ];
      const type = importClause?.isTypeOnly ? "type " : "";
      return clauses.length > 0
        ? [`import ${type}${clauses.join(", ")} from ${moduleSpecifier.getText()};\n`]
        : [];
    });
  return `${imports.join("")}${kept
    .map((each) => each.getFullText())
    .join("")
    .trimStart()}\n`;
}
