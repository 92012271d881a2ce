/*
 * Compiles code of Markdown files as a user's strict project would, each block a module of its own, with the
 * package's own names answered from the sources.
 */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { type CodeBlock, ROOT } from "./markdown";

/** Declarations by path and language version, parsed once for all programs of a process. */
const parsed = new Map<string, ts.SourceFile | undefined>();

/** What the compiler says, each with the Markdown file and line. */
export function compileErrors(blocks: readonly CodeBlock[]): readonly string[] {
  const options: ts.CompilerOptions = {
    target: ts.ScriptTarget.ES2022,
    lib: ["lib.es2023.d.ts"],
    module: ts.ModuleKind.Node16,
    moduleResolution: ts.ModuleResolutionKind.Node16,
    types: ["node"],
    strict: true,
    noUnusedLocals: true,
    noEmit: true,
    skipLibCheck: true,
    paths: packagePaths(),
  };
  const named = new Map(
    blocks.map((block, index) => [join(ROOT, `readme-block-${index}.ts`), block] as const),
  );
  const host = ts.createCompilerHost(options);
  const { fileExists, readFile, getSourceFile } = host;
  host.fileExists = (path) => named.has(path) || fileExists(path);
  host.readFile = (path) => named.get(path)?.code ?? readFile(path);
  host.getSourceFile = (path, version, ...rest) => {
    const block = named.get(path);
    if (block) return ts.createSourceFile(path, asModule(block.code), version, true);
    const key = `${path} ${JSON.stringify(version)}`;
    if (!parsed.has(key)) parsed.set(key, getSourceFile.call(host, path, version, ...rest));
    return parsed.get(key);
  };
  host.getCurrentDirectory = () => ROOT;
  // As `types` of a tsconfig.json: matchers are types of a module that no test imports.
  const matchers = join(ROOT, "lib/vitest/index.mts");
  const program = ts.createProgram([...named.keys(), matchers], options, host);
  return [
    ...program.getOptionsDiagnostics().map((diagnostic) => described(diagnostic, undefined)),
    ...[...named].flatMap(([path, block]) =>
      ts
        .getPreEmitDiagnostics(program, program.getSourceFile(path))
        .map((diagnostic) => described(diagnostic, block)),
    ),
  ];
}

/** The code with its types taken out, for `require`. */
export function transpiled({ code }: CodeBlock): string {
  const compilerOptions = {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.CommonJS,
    esModuleInterop: true,
  };
  return ts.transpileModule(code, { compilerOptions }).outputText;
}

/** The subpaths of the package's export map, answered from `lib/`. */
export function packagePaths(): Record<string, string[]> {
  const manifest = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
    readonly name: string;
    readonly exports: Readonly<Record<string, string | { readonly types: string }>>;
  };
  return Object.fromEntries(
    Object.entries(manifest.exports).flatMap(([subpath, target]) =>
      typeof target === "string"
        ? []
        : [
            [
              manifest.name + subpath.slice(1),
              [join(ROOT, target.types.replace("./dist/", "").replace(/\.d\.(m?)ts$/, ".$1ts"))],
            ],
          ],
    ),
  );
}

/** A block without import or export would share its names with all others. */
function asModule(code: string): string {
  return /^(import|export)\b/m.test(code) ? code : `${code}export {};\n`;
}

function described(diagnostic: ts.Diagnostic, block: CodeBlock | undefined): string {
  const text = ts.flattenDiagnosticMessageText(diagnostic.messageText, "\n");
  const { file, start } = diagnostic;
  if (!block || !file || start === undefined) return text;
  return `${block.file}:${block.line + file.getLineAndCharacterOfPosition(start).line}: ${text}`;
}
