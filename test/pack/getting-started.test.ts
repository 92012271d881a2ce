/*
 * The first screen for a new project: the lines that install, the programs, and the commands, each program in an empty folder with
 * nothing but the packages of its cloud's line. `npm run pack:starters` runs the same lines with npm and the registry.
 */

import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { emptyProject, inProject, manifestIn } from "../support/empty-project";
import { type CodeBlock, ROOT, codeBlocks } from "../support/markdown";

const PAGES = ["README.md", "docs/getting-started.md"];
const blocks = PAGES.flatMap((page) => codeBlocks(page, readFileSync(join(ROOT, page), "utf8")));
const shell = blocks.filter(({ language }) => language === "sh");
const programs = blocks.filter(({ language, code }) => language === "ts" && code.includes("app.synth()"));
const library = manifestIn(ROOT);

const installs = shell.find(({ code }) => code.includes("npm install --save-exact"));
const lines = (installs?.code ?? "").split("\n").filter((line) => line !== "");
const pins = (line: string): readonly (readonly [string, string])[] =>
  [...line.matchAll(/ (@?[a-z][\w/-]*)@(\S+)/g)].map(([, name = "", version = ""]) => [name, version]);
const here = (name: string): string =>
  manifestIn(name === library.name ? ROOT : join(ROOT, "node_modules", name)).version;

describe("the lines that install", () => {
  it("are the same on both pages", () => {
    const of = (page: string): readonly string[] =>
      shell
        .filter(({ file, code }) => file === page && code.includes("npm install --save-exact"))
        .map(({ code }) => code);
    expect(of("README.md")).toHaveLength(1);
    expect(of("docs/getting-started.md")).toEqual(of("README.md"));
  });

  it("pin what the tests here run with, which suits the ranges of package.json", async () => {
    const semver = (await import("semver" as string)) as {
      readonly default: { satisfies(version: string, range: string): boolean };
    };
    const { peerDependencies = {} } = library;
    const all = lines.flatMap(pins);
    expect(all.length).toBeGreaterThan(8);
    expect(all.filter(([name, version]) => version !== here(name))).toEqual([]);
    const unfit = all.filter(
      ([name, version]) => !semver.default.satisfies(version, peerDependencies[name] ?? "*"),
    );
    expect(unfit).toEqual([]);
  });

  it("name every package that a user must have", () => {
    const { peerDependencies = {}, peerDependenciesMeta = {} } = library;
    const first = pins(lines[0] ?? "").map(([name]) => name);
    const needed = Object.keys(peerDependencies).filter((name) => !(name in peerDependenciesMeta));
    expect(first.sort()).toEqual([...needed, library.name].sort());
    expect(pins(lines.at(-1) ?? "").map(([name]) => name)).toEqual(["typescript", "tsx", "@types/node"]);
  });
});

/** A folder after the first line, that of the program's cloud, and the last. */
function installed({ code }: CodeBlock): string {
  const clouds = lines
    .slice(1, -1)
    .flatMap(pins)
    .filter(([name]) => code.includes(`"${name}/`));
  expect(clouds).toHaveLength(1);
  const names = [...pins(lines[0] ?? ""), ...clouds, ...pins(lines.at(-1) ?? "")].map(([name]) => name);
  const project = emptyProject(names);
  writeFileSync(join(project, "package.json"), "{}");
  writeFileSync(join(project, "main.ts"), code);
  return project;
}

describe.each(programs.map((block) => [`${block.file}:${block.line}`, block] as const))("%s", (_, block) => {
  it("synthesizes a proven stack with the command beside it", () => {
    const commands = shell.filter(({ file, code }) => file === block.file && code.startsWith("npx tsx"));
    expect(commands.map(({ code }) => code)).toEqual(["npx tsx main.ts\n"]);
    const project = installed(block);
    expect(inProject(project, "npx tsx main.ts")).toEqual([
      0,
      expect.stringContaining("next: `npx cdktf deploy"),
    ]);
    const [status, text] = inProject(project, "npx cdktf-workload-identity explain");
    expect([status, text]).toEqual([0, expect.stringMatching(/\b0 denied/)]);
    const stack = join(
      project,
      "cdktf.out/stacks",
      /TerraformStack\(app, "([\w-]+)"/.exec(block.code)?.[1] ?? "",
    );
    expect(existsSync(join(stack, "workload-identity.json"))).toBe(true);
    if (block.file === "README.md") expect(filesOf(stack)).toEqual(filesNamed());
  });
});

const filesOf = (stack: string): readonly string[] =>
  readdirSync(stack, { recursive: true, encoding: "utf8" })
    .filter((path) => /\.\w+$/.test(path))
    .sort();

/** Files in the table of README. */
const filesNamed = (): readonly string[] =>
  [...readFileSync(join(ROOT, "README.md"), "utf8").matchAll(/^\| `([\w./-]+\.(?:json|yaml))` +\|/gm)]
    .map(([, path = ""]) => path)
    .sort();

it("has a program for each cloud", () => {
  const clouds = programs.map(({ code }) => /@cdktf\/provider-\w+/.exec(code)?.[0]);
  expect(clouds).toEqual(
    lines
      .slice(1, -1)
      .flatMap(pins)
      .map(([name]) => name),
  );
});
