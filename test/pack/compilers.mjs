/*
 * How projects of users are compiled: the systems of modules and the switches that change what declarations mean. One program imports
 * every entry, the others are those of README and docs/getting-started.md; errors in the library's own declarations count as well.
 */

import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const root = new URL("../..", import.meta.url).pathname;
const { name, exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

const STRICT = {
  target: "ES2022",
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noPropertyAccessFromIndexSignature: true,
  noEmit: true,
  skipLibCheck: false,
};

/** Projects by name; `until` is the last major of TypeScript that has the settings. */
export const PROJECTS = {
  "CommonJS, node10, no esModuleInterop": {
    until: 6,
    type: "commonjs",
    options: { module: "CommonJS", moduleResolution: "node10", esModuleInterop: false },
  },
  "CommonJS, node16": { type: "commonjs", options: { module: "node16", moduleResolution: "node16" } },
  "CommonJS, node16, no esModuleInterop": {
    until: 6,
    type: "commonjs",
    options: { module: "node16", moduleResolution: "node16", esModuleInterop: false },
  },
  "ES modules, nodenext": { type: "module", options: { module: "nodenext", moduleResolution: "nodenext" } },
  "ES modules, bundler, verbatimModuleSyntax": {
    type: "module",
    options: { module: "ESNext", moduleResolution: "bundler", verbatimModuleSyntax: true },
  },
  "loose: no strict, lib of 2022": {
    type: "commonjs",
    options: { module: "node16", strict: false, exactOptionalPropertyTypes: false, lib: ["ES2022"] },
  },
};

/** Writes the programs into a folder that has the packed library and the packages that it is used with. */
export function writePrograms(folder) {
  const entries = Object.keys(exports).filter((path) => !["./package.json", "./vitest"].includes(path));
  const imports = entries.map((path, index) => `import * as m${index} from "${name}${path.slice(1)}";`);
  const all = entries.map((_, index) => `Object.keys(m${index}).length`).join(" + ");
  const programs = ["README.md", "docs/getting-started.md"].flatMap((page) =>
    [...readFileSync(join(root, page), "utf8").matchAll(/^```ts\n([^]*?)^```/gm)].map(([, code]) => code),
  );
  const files = { "all.ts": `${imports.join("\n")}\nexport const all: number = ${all};\n` };
  programs.forEach((code, index) => (files[`program${index}.ts`] = code));
  files["matchers.test.ts"] = `
import { synthStack } from "${name}/testing";
import { TerraformStack } from "cdktf";
import { expect, it } from "vitest";
it("compiles", () => {
  const stack = synthStack((app) => new TerraformStack(app, "prod"));
  expect(stack).toAllowPull({ serviceAccount: "shop/web", image: "registry.example/web:v1" });
  expect(stack).toHaveNoLateValues();
  // @ts-expect-error a pull has no such field
  expect(stack).toAllowPull({ account: "shop/web" });
});
`;
  for (const [path, text] of Object.entries(files)) writeFileSync(join(folder, path), text);
}

/** Makes the folder a project of these settings, for a major of TypeScript. */
export function writeProject(folder, { type, options }, major) {
  const compilerOptions = { ...STRICT, ...options, types: ["node", `${name}/vitest`] };
  if (major === 6) compilerOptions.ignoreDeprecations = "6.0";
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "empty", private: true, type }));
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.ts"] }));
}

/** A file of the project or of the library, not of another package, whose mistakes are not ours. */
export const isOurs = (path) => !path.includes("node_modules/") || path.includes(`node_modules/${name}/`);

/** What a compiler's program says of the files that are ours. */
export function compilerErrors(folder, tsc) {
  const words = [tsc, "-p", ".", "--pretty", "false"];
  const { status, stdout, error } = spawnSync(process.execPath, words, { cwd: folder, encoding: "utf8" });
  if (error) throw error;
  const lines = stdout.split("\n").filter((line) => /error TS/.test(line));
  return status === 0 || lines.length > 0 ? lines.filter(isOurs) : [`tsc ended with ${status}: ${stdout}`];
}
