/*
 * The index by reader: each row begins with a program that holds. Examples are judged by examples.test.ts and denied-pulls.test.ts;
 * programs in pages are run here.
 */

import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { faults } from "./support/faults";
import { type CodeBlock, LINK, ROOT, codeBlocks } from "./support/markdown";
import { runBlock } from "./support/run-block";

const PAGE = "docs/README.md";
const VERIFIER = "docs/explain.md#from-a-program";
const [table = ""] = readFileSync(join(ROOT, PAGE), "utf8").split("## By task");
const rows = table
  .split("\n")
  .filter((line) => line.startsWith("| "))
  .slice(2)
  .map((line) => line.split("|").map((cell) => cell.trim()));
const programs = rows.map(([, reader = "", cell = ""]) => {
  const links = [...cell.matchAll(LINK)].map(([, link = ""]) => join(dirname(PAGE), link));
  return [reader, links] as const;
});
const inPages = programs.flatMap(([reader, links]) =>
  links.filter((link) => link.includes("#")).map((link) => [reader, link] as const),
);

/** The first program in TypeScript below the heading of a link. */
function programOf(link: string): CodeBlock {
  const [file = "", anchor = ""] = link.split("#");
  const sections = readFileSync(join(ROOT, file), "utf8").split(/^## /m);
  const section = sections.find((each) => each.split("\n")[0]?.toLowerCase().replaceAll(" ", "-") === anchor);
  const program = codeBlocks(file, section ?? "").find(({ language }) => language === "ts");
  if (program === undefined) throw new Error(`${link} has no program`);
  return program;
}

/** What a program prints that explains a folder in place of `cdktf.out`. */
async function printed(program: CodeBlock, folder: string): Promise<string> {
  const print = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  try {
    await runBlock({ ...program, code: program.code.replace('"cdktf.out"', JSON.stringify(folder)) });
    return print.mock.calls.map(([text]) => String(text)).join("");
  } finally {
    print.mockRestore();
  }
}

describe("the index by reader", () => {
  it("has a program for each reader", () => {
    expect(programs.length).toBeGreaterThan(6);
    expect(programs.filter(([, links]) => links.length === 0)).toEqual([]);
  });

  it("names whole examples, or sections of pages", () => {
    const folders = programs.flatMap(([, links]) => links.filter((link) => !link.includes("#")));
    expect(folders.filter((folder) => !existsSync(join(ROOT, folder, "main.ts")))).toEqual([]);
    expect(inPages.length).toBeGreaterThan(2);
  });

  it.each(inPages.filter(([, link]) => link !== VERIFIER))(
    "%s: %s holds by the library's own rules",
    async (_, link) => {
      const program = programOf(link);
      expect(program.code).toContain("app.synth();");
      expect(faults(await runBlock(program))).toEqual([]);
    },
  );

  it("only want the verifier: its program prints the verdicts of what the others write", async () => {
    expect(inPages.map(([, link]) => link)).toContain(VERIFIER);
    const folder = await runBlock(programOf("docs/getting-started.md#google-cloud"));
    expect(await printed(programOf(VERIFIER), folder)).toMatch(/^allowed .*shop\/web/m);
    expect(process.exitCode).toBe(0);
  });
});
