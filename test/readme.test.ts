/*
 * Code in Markdown files is code: TypeScript blocks compile, and blocks that are said to be output of README.md's
 * example are what the example really writes.
 */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Explainer, renderText } from "../lib/explain";
import { exampleNames } from "./support/examples";
import { faults } from "./support/faults";
import { type Json, inside, record } from "./support/json";
import { type CodeBlock, ROOT, codeBlocks, documentedCode, markdownFiles } from "./support/markdown";
import { compileErrors } from "./support/compile";
import { runBlock as run } from "./support/run-block";

const blocks = documentedCode();
const programs = blocks.filter(({ language }) => language === "ts");
const outputs = blocks.filter(({ from }) => from !== undefined);

/** Ids and paths that cdktf notes beside each resource; no one writes them by hand. */
function withoutNotes(value: unknown): Json {
  const { "//": _, ...rest } = record(value);
  return rest;
}

describe("TypeScript in Markdown", () => {
  it("is found", () => {
    expect(programs.map(({ file }) => file)).toContain("README.md");
    expect(markdownFiles()).toEqual(
      expect.arrayContaining(exampleNames.map((name) => `examples/${name}/README.md`)),
    );
  });

  it("compiles in a strict project, and is reported by file and line where it does not", () => {
    const wrong =
      'text\n\n```ts\nimport { ecr } from "cdktf-workload-identity/aws";\necr({ acount: "1" });\n```\n';
    const unknown = '```ts\nimport "cdktf-workload-identity/nowhere";\n```\n';
    const faulty = [...codeBlocks("docs/wrong.md", wrong), ...codeBlocks("a.md", unknown)];
    expect(compileErrors([...programs, ...faulty])).toEqual([
      expect.stringMatching(/^docs\/wrong\.md:5: .*'acount' does not exist in type 'EcrProps'/),
      expect.stringMatching(/^a\.md:2: .*nowhere/),
    ]);
  });
});

describe("README.md", () => {
  const [program] = programs.filter(({ file }) => file === "README.md");

  it("begins with a program of about 25 lines that holds link by link", async () => {
    expect(program?.code).toContain("app.synth();");
    expect(program?.code.trimEnd().split("\n").length).toBeLessThanOrEqual(30);
    expect(faults(await run(program as CodeBlock))).toEqual([]);
  });

  it("is short enough to be read", () => {
    expect(readFileSync(join(ROOT, "README.md"), "utf8").split("\n").length).toBeLessThanOrEqual(200);
  });

  it("shows output", () => {
    expect(outputs.filter(({ file }) => file === "README.md").length).toBeGreaterThan(1);
    expect(outputs.filter(({ file }) => file !== "README.md")).toEqual([]);
  });

  it.each(outputs.map((block) => [`${block.file}:${block.line} from ${block.from}`, block] as const))(
    "%s",
    async (_, { from = "", code, language }) => {
      const [file = "", path] = from.split(" ");
      const outdir = await run(program as CodeBlock);
      if (from === "explain")
        return void expect(code).toBe([...renderText(Explainer.read([outdir]).all())].join(""));
      const manifest = JSON.parse(readFileSync(join(outdir, "manifest.json"), "utf8")) as Json;
      const [folder] = Object.values(record(manifest["stacks"])).map(
        (stack) => record(stack)["workingDirectory"],
      );
      const text = readFileSync(join(outdir, String(folder), file), "utf8");
      if (path === undefined) return void expect(code).toBe(text);
      expect(language).toBe("json");
      expect(JSON.parse(code)).toEqual(withoutNotes(inside(JSON.parse(text), ...path.split("."))));
    },
  );
});
