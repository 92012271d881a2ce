/*
 * Makes `dist` anew of what the compiler wrote to `.cache/out`, which it keeps from one build to the next: also what it
 * made of sources that are gone, which is left out.
 */

import { cpSync, existsSync, rmSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const from = join(root, ".cache/out");

function hasSource(path) {
  if (statSync(path).isDirectory()) return true;
  const source = relative(from, path).replace(/(?:\.d)?\.(m?)(?:js|ts)$/, ".$1ts");
  return existsSync(join(root, source)) && /\.m?ts$/.test(source);
}

rmSync(join(root, "dist"), { recursive: true, force: true });
cpSync(from, join(root, "dist"), { recursive: true, filter: hasSource });
