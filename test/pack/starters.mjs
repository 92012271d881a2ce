/*
 * Installs each starter and each cloud's line of README.md from the registry, with the packed library in place of the published one,
 * and synthesizes there. Needs the network, so it is no part of the tests: `npm run pack:starters`.
 */

import { cpSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
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

/** A program in an empty folder, with the lines of README that its cloud needs. */
function started(name, program, lines, tarball) {
  const cloud = /@cdktf\/provider-\w+/.exec(program)[0];
  const folder = project(name);
  for (const line of lines.filter((each) => !each.includes("/provider-") || each.includes(`${cloud}@`))) {
    const words = line.replace(/ *#.*/, "").split(/ +/).slice(2);
    install(folder, ...words.map((word) => (word.startsWith(`${manifest.name}@`) ? tarball : word)));
  }
  writeFileSync(join(folder, "main.ts"), program);
  run("npx", ["--no-install", "tsx", "main.ts"], folder);
  run("npx", ["--no-install", manifest.name, "explain"], folder);
  return cloud;
}

await check("starters", () => {
  build();
  const { tarball } = packed();
  const starters = readdirSync(join(root, "examples")).filter((name) => name.startsWith("starter-"));
  const done = starters.map((name) => starter(name, tarball));
  const pages = ["README.md", "docs/getting-started.md"].map(page);
  const lines = pages[0].lines.filter((line) => line.startsWith("npm install --save"));
  const programs = pages.flatMap(({ programs }) => programs).filter((code) => code.includes("app.synth()"));
  const clouds = programs.map((program, index) => started(`program-${index}`, program, lines, tarball));
  return `from the registry to a proven synth: ${[...done, ...clouds].join(", ")}`;
});
