/* Sources of the library as modules that plain Node runs: for tests of what a process of its own does. */

import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import ts from "typescript";
import { ROOT } from "./markdown";

const OPTIONS: ts.CompilerOptions = { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022 };

/** Writes a source of `lib` and all that it imports below a folder, and returns the module's path. */
export function compiled(source: string, folder: string): string {
  if (!existsSync(join(folder, "node_modules")))
    symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  const done = new Set<string>();
  const compile = (path: string): void => {
    if (done.has(path)) return;
    done.add(path);
    const { outputText } = ts.transpileModule(readFileSync(path, "utf8"), { compilerOptions: OPTIONS });
    const target = modulePath(path, folder);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, outputText);
    for (const [, specifier = ""] of outputText.matchAll(/require\("(\.[^"]*)"\)/g))
      compile(sourcePath(join(dirname(path), specifier)));
  };
  const entry = join(ROOT, "lib", source);
  compile(entry);
  return modulePath(entry, folder);
}

function sourcePath(path: string): string {
  const [found] = [`${path.replace(/\.js$/, "")}.ts`, join(path, "index.ts")].filter((each) =>
    existsSync(each),
  );
  if (found === undefined) throw new Error(`no source of ${path}`);
  return found;
}

function modulePath(source: string, folder: string): string {
  return join(folder, relative(ROOT, source)).replace(/\.ts$/, ".js");
}
