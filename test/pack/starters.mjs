/*
 * Installs each starter and each cloud's line of README.md from the registry, with the packed library in place of the published one,
 * and synthesizes there. Needs the network, so it is no part of the tests: `npm run pack:starters`.
 */

import { cpSync, existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build, check, install, manifest, packed, project, root, run } from "./scratch.mjs";

/** The lines of the shell blocks and the TypeScript blocks of a page. */
function page(path) {
  const blocks = [...readFileSync(join(root, path), "utf8").matchAll(/^```(\w+)\n([^]*?)^```/gm)];
  const of = (language) => blocks.filter(([, each]) => each === language).map(([, , code]) => code);
  return { lines: of("sh").join("\n").split("\n"), programs: of("ts") };
}

function starter(name, tarball) {
  const { dependencies, ...fields } = JSON.parse(
    readFileSync(join(root, "examples", name, "package.json"), "utf8"),
  );
  const folder = project(name);
  cpSync(join(root, "examples", name), folder, { recursive: true });
  const text = JSON.stringify({
    ...fields,
    dependencies: { ...dependencies, [manifest.name]: `file:${tarball}` },
  });
  writeFileSync(join(folder, "package.json"), text);
  install(folder);
  for (const script of ["synth", "explain", "test"]) run("npm", ["run", script], folder);
  return name;
}

await check("starters", () => {
  build();
  const { tarball } = packed();
  const starters = readdirSync(join(root, "examples")).filter((name) => name.startsWith("starter-"));
  return starters.map((name) => starter(name, tarball)).join(", ");
});
