/*
 * Rewrites the compiled entries, which only re-export, so that each module is required when one of its exports is first
 * taken: who imports `./aws` for image pulls does not load the bindings of issuers and spokes.
 *
 * Worth it by three measures (Node 20, ten runs each): the flagship's imports take 400 ms instead of 445 ms and 78 MB
 * instead of 89 MB; bindings of a version that lacks a module still serve everything that does not need it; and a
 * package that is not installed is named when something of it is used.
 *
 * Names stay declared (`exports.x = void 0`), where `import` in ES modules finds them. A line that is no re-export ends
 * the build.
 */

import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join, posix } from "node:path";
import { fileURLToPath } from "node:url";

const LIB = fileURLToPath(new URL("../dist/lib", import.meta.url));
const REQUIRED = /^(?:var|const) (\w+) = require\("([^"]+)"\);$/;
const EXPORTED =
  /^Object\.defineProperty\(exports, "(\w+)", \{ enumerable: true, get: function \(\) \{ return (\w+)\.(\w+); \} \}\);$/;
const KEPT = /^("use strict";|Object\.defineProperty\(exports, "__esModule"|(?:exports\.\w+ = )+void 0;$)/;

/**
 * A property that becomes a plain value once it was taken. A getter that Node cannot read, on `exports` by name, would
 * take the name away from ES modules; so the names are given to a function.
 */
const LAZY =
  "function lazy(name, value) { Object.defineProperty(exports, name, { configurable: true, enumerable: true, get: function () { return Object.defineProperty(exports, name, { enumerable: true, value: loaded(value) })[name]; } }); }";
/** The packages that users install: one that is missing is named when it is used. */
const { peerDependencies } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));

/** The same entry with its requires inside of its getters. */
export function lazily(text, file) {
  const folder = posix.dirname(file.replaceAll("\\", "/"));
  const missing = `${posix.relative(folder, ".") || "."}/missing-package`;
  const modules = new Map();
  // Comments only stand in the head.
  const [, head, body] = /^((?:"use strict";\s*)?(?:\/\*[^]*?\*\/\s*)?)([^]*)$/.exec(text) ?? [];
  const lines = (body ?? "").split("\n").flatMap((line) => {
    const required = REQUIRED.exec(line);
    if (required) return void modules.set(required[1], required[2]) ?? [];
    const exported = EXPORTED.exec(line);
    if (!exported) {
      if (line !== "" && !KEPT.test(line)) throw new Error(`${file} does more than re-export: ${line}`);
      return [line];
    }
    const [, name, module, member] = exported;
    const path = modules.get(module);
    if (path === undefined) throw new Error(`${file} exports ${name} of something that it does not require`);
    return [`lazy("${name}", function () { return require("${path}").${member}; });`];
  });
  const loaded = `function loaded(value) { try { return value(); } catch (error) { return require("${missing}").missingPackage(error, ${JSON.stringify(peerDependencies)}); } }`;
  return `${head}${lines.join("\n")}${LAZY}\n${loaded}\n`;
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  for (const path of readdirSync(LIB, { recursive: true })) {
    if (!/(^|[\\/])index\.js$/.test(path)) continue;
    const file = join(LIB, path);
    writeFileSync(file, lazily(readFileSync(file, "utf8"), path));
  }
