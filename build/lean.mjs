/*
 * Leaves out of the compiled library what no user reads there: comments of the JavaScript, which the declarations have as well, and
 * declarations that no entry point reaches. Together they are a fifth of the package.
 */

import { existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const root = fileURLToPath(new URL("..", import.meta.url));
const { exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const files = readdirSync(join(root, "dist/lib"), { recursive: true }).map((path) =>
  join(root, "dist/lib", path),
);

const printer = ts.createPrinter({ removeComments: true });
for (const path of files.filter((each) => /\.m?js$/.test(each) && !/[\\/]page[\\/]/.test(each))) {
  const text = readFileSync(path, "utf8");
  writeFileSync(path, printer.printFile(ts.createSourceFile(path, text, ts.ScriptTarget.ES2022, true)));
}

const reached = new Set();
function reach(path) {
  if (reached.has(path)) return;
  reached.add(path);
  for (const { fileName } of ts.preProcessFile(readFileSync(path, "utf8")).importedFiles) {
    if (!fileName.startsWith(".")) continue;
    const target = join(dirname(path), fileName);
    const found = [target.replace(/\.(m?)js$/, ".d.$1ts"), `${target}.d.ts`, join(target, "index.d.ts")].find(
      (each) => /\.d\.m?ts$/.test(each) && existsSync(each),
    );
    if (found === undefined) throw new Error(`${path} imports ${fileName}, which has no declarations`);
    reach(found);
  }
}
for (const { types } of Object.values(exports)) if (types !== undefined) reach(join(root, types));
for (const path of files) if (/\.d\.m?ts$/.test(path) && !reached.has(path)) rmSync(path);
