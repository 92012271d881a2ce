/*
 * The arguments and computed attributes of Terraform's types, as the cloud bindings were generated from the providers'
 * schemas.
 */

import { existsSync, readFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import ts from "typescript";
import { ROOT } from "./markdown";

/** What a block may have; nested blocks and objects by name. */
export interface BlockSchema {
  readonly arguments: ReadonlyMap<string, BlockSchema | undefined>;
}

/** A resource or data source. */
export interface TypeSchema extends BlockSchema {
  /** Attributes that the provider computes, and that cannot be set. */
  readonly computed: ReadonlySet<string>;
}

const PROVIDERS: Readonly<Record<string, string>> = {
  aws: "aws",
  azurerm: "azurerm",
  google: "google",
  kubernetes: "kubernetes",
};

/** Folders of bindings by provider; `undefined` for none. */
export type Bindings = (provider: string) => string | undefined;

/** The bindings of this repository. */
export const installed: Bindings = (provider) => join(ROOT, `node_modules/@cdktf/provider-${provider}`);

/** The schema of `aws_iam_role`, or of `data.aws_iam_role`; `undefined` where no binding has the type. */
export function schemaOf(type: string, bindings: Bindings = installed): TypeSchema | undefined {
  const name = type.replace(/^data\./, "");
  const [prefix = "", ...words] = name.split("_");
  const provider = PROVIDERS[prefix];
  const folder = name === type ? words.join("-") : `data-${name.replaceAll("_", "-")}`;
  const of = provider === undefined ? undefined : bindings(provider);
  const file = of === undefined ? "" : join(of, "lib", folder, "index.js");
  if (!existsSync(file)) return undefined;
  const schema = schemas.get(file) ?? read(file);
  schemas.set(file, schema);
  return schema;
}

/** Those that were read, by the file: a test asks for each of them several times, and parsing takes long. */
const schemas = new Map<string, TypeSchema>();

function read(file: string): TypeSchema {
  const functions = new Map<string, ts.ObjectLiteralExpression>();
  const computed = new Set<string>();
  let own: ts.ObjectLiteralExpression | undefined;
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionDeclaration(node) && node.name?.text.endsWith("ToTerraform")) {
      const made = returned(node);
      if (made) functions.set(node.name.text, made);
    }
    if (ts.isMethodDeclaration(node) && node.name.getText() === "synthesizeAttributes") own = returned(node);
    if (ts.isGetAccessor(node) && isResource(node.parent)) {
      const [, attribute] = /get\w*Attribute\('(\w+)'\)|new \w+\(this, "(\w+)"/.exec(node.getText()) ?? [];
      if (attribute !== undefined) computed.add(attribute);
    }
    ts.forEachChild(node, visit);
  };
  for (const each of [...structsOf(file), file])
    visit(ts.createSourceFile(each, readFileSync(each, "utf8"), ts.ScriptTarget.Latest, true));
  const top = blockOf(own, functions);
  for (const name of top.arguments.keys()) computed.delete(name);
  return { ...top, computed };
}

/** Large types have their blocks in files of their own. */
function structsOf(file: string): readonly string[] {
  const folder = join(dirname(file), "index-structs");
  return existsSync(folder)
    ? readdirSync(folder).flatMap((name) => (/^structs.*\.js$/.test(name) ? [join(folder, name)] : []))
    : [];
}

const isResource = (node: ts.Node): boolean =>
  ts.isClassLike(node) &&
  node.members.some((each) => ts.isMethodDeclaration(each) && each.name.getText() === "synthesizeAttributes");

/** The object that a function returns at its end. */
function returned({ body }: ts.FunctionLikeDeclaration): ts.ObjectLiteralExpression | undefined {
  const last = body && ts.isBlock(body) ? body.statements.at(-1) : undefined;
  return last &&
    ts.isReturnStatement(last) &&
    last.expression &&
    ts.isObjectLiteralExpression(last.expression)
    ? last.expression
    : undefined;
}

function blockOf(
  literal: ts.ObjectLiteralExpression | undefined,
  functions: ReadonlyMap<string, ts.ObjectLiteralExpression>,
): BlockSchema {
  const all = new Map<string, BlockSchema | undefined>();
  for (const property of literal?.properties ?? []) {
    if (!ts.isPropertyAssignment(property)) continue;
    const [inner] =
      /\b\w+ToTerraform\b/.exec(property.initializer.getText().replaceAll(/cdkt[fn]\.\w+ToTerraform/g, "")) ??
      [];
    const nested = inner === undefined ? undefined : functions.get(inner);
    all.set(property.name.getText().replaceAll(/["']/g, ""), nested && blockOf(nested, functions));
  }
  return { arguments: all };
}
