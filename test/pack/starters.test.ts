/*
 * The starters, each copied into an empty folder: with the packages that its package.json names and the library as it is packed, the
 * commands of its README synthesize a proven stack. `npm run pack:starters` does the same with npm and the registry.
 */

import { cpSync, existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  type Manifest,
  commandLineVersion,
  emptyProject,
  inProject,
  manifestIn,
} from "../support/empty-project";
import { ROOT, codeBlocks } from "../support/markdown";

const starters = readdirSync(join(ROOT, "examples")).filter((name) => name.startsWith("starter-"));
const folderOf = (name: string): string => join(ROOT, "examples", name);
const named = ({ dependencies, devDependencies }: Manifest): Readonly<Record<string, string>> => ({
  ...dependencies,
  ...devDependencies,
});

function copied(name: string): string {
  const project = emptyProject(Object.keys(named(manifestIn(folderOf(name)))));
  cpSync(folderOf(name), project, { recursive: true });
  return project;
}

describe.each(starters)("%s", (name) => {
  it("goes from an empty folder to a proven synth and passing tests", () => {
    const project = copied(name);
    expect(inProject(project, "npm run synth")).toEqual([
      0,
      expect.stringContaining("next: `npx cdktf deploy prod-eu`"),
    ]);
    const stack = join(project, "cdktf.out/stacks/prod-eu");
    const readme = readFileSync(join(project, "README.md"), "utf8");
    const files = readdirSync(stack, { recursive: true, encoding: "utf8" }).filter((path) =>
      /\.\w+$/.test(path),
    );
    expect(files.filter((path) => !readme.includes(`\`${path}\``))).toEqual([]);
    const [shown] = codeBlocks("README.md", readme).filter(({ language }) => language === "text");
    expect(shown?.code).toMatch(/^allowed .* as arn:aws:iam::/);
    expect(inProject(project, "npm run explain")).toEqual([0, expect.stringContaining(shown?.code ?? "?")]);
    expect(inProject(project, "npm test")).toEqual([0, expect.stringMatching(/Tests +1 passed/)]);
  });

  it("states in README what it needs", () => {
    const [lines, ...more] = codeBlocks(name, readFileSync(join(folderOf(name), "README.md"), "utf8"))
      .filter(({ language }) => language === "sh")
      .map(({ code }) => code);
    expect([lines, more.length > 0]).toEqual(["npm install\nnpm run synth\n", true]);
    const { scripts = {} } = manifestIn(folderOf(name));
    for (const [, script = ""] of more.join("\n").matchAll(/npm (?:run )?(\w+)/g))
      expect(Object.keys(scripts)).toContain(script);
  });

  it("pins the versions that the tests here run with", () => {
    const versions = named(manifestIn(folderOf(name)));
    const here = (each: string): string =>
      each === "cdktf-cli"
        ? commandLineVersion
        : manifestIn(each in named(manifestIn(ROOT)) ? join(ROOT, "node_modules", each) : ROOT).version;
    expect(versions).toEqual(Object.fromEntries(Object.keys(versions).map((each) => [each, here(each)])));
  });
});

it("the tests of a starter fail where a pull would", () => {
  const project = copied("starter-commonjs");
  const file = join(project, "stack.ts");
  const text = readFileSync(file, "utf8");
  writeFileSync(file, text.replace('["shop/web", "base/*"]', '["base/*"]'));
  expect(inProject(project, "npm test")).toEqual([1, expect.stringMatching(/repository-permitted/)]);
});

it("the starters differ in nothing but the system of modules", () => {
  const [commonjs, esm] = ["starter-commonjs", "starter-esm"];
  expect(starters).toEqual([commonjs, esm]);
  const texts = (name: string): Readonly<Record<string, string>> =>
    Object.fromEntries(
      readdirSync(folderOf(name))
        .filter((file) => file !== "README.md" && existsSync(join(folderOf("starter-esm"), file)))
        .map((file) => [
          file,
          readFileSync(join(folderOf(name), file), "utf8")
            .replace('from "./stack.js"', 'from "./stack"')
            .replace('"type": "module"', '"type": "commonjs"'),
        ]),
    );
  expect(texts("starter-esm")).toEqual(texts("starter-commonjs"));
});
