/*
 * Fenced code blocks of Markdown files, with the line that each begins at.
 */

import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";

/** Folder of the project. */
export const ROOT: string = resolve(__dirname, "../..");

/** A link, whose target is the first group. */
export const LINK = /\]\(([^)\s]+)\)/g;

/** A target with a scheme, which is not in this project. */
export const OUTSIDE = /^[a-z]+:/;

/** One fenced block. */
export interface CodeBlock {
  /** The Markdown file, relative to the project. */
  readonly file: string;
  /** Line of the block's first line of code, from 1. */
  readonly line: number;
  /** The word after the fence. */
  readonly language: string;
  /** The code, without the fences and without their indentation. */
  readonly code: string;
  /** What the comment `<!-- from: … -->` before the block says; `undefined` without one. */
  readonly from: string | undefined;
}

const OPEN = /^( *)(`{3,}|~{3,}) *([\w-]*).*$/;
const FROM = /^ *<!-- from: (.+?) -->$/;

/** All fenced blocks of a Markdown text; throws where a fence is not closed. */
export function codeBlocks(file: string, markdown: string): readonly CodeBlock[] {
  const lines = markdown.split("\n");
  const blocks: CodeBlock[] = [];
  for (let index = 0; index < lines.length; index++) {
    const [, indent = "", fence, language = ""] = OPEN.exec(lines[index] ?? "") ?? [];
    if (fence === undefined) continue;
    const end = lines.findIndex((line, place) => place > index && line.trim() === fence);
    if (end < 0) throw new Error(`${file}:${index + 1}: the code block is not closed`);
    const code = lines
      .slice(index + 1, end)
      .map((line) => line.slice(Math.min(indent.length, line.search(/\S|$/))));
    const before = lines.slice(0, index).findLast((line) => line.trim() !== "") ?? "";
    blocks.push({
      file,
      line: index + 2,
      language,
      code: `${code.join("\n")}\n`,
      from: FROM.exec(before)?.[1],
    });
    index = end;
  }
  return blocks;
}

/** The project's Markdown files that hold code for users. */
export function markdownFiles(): readonly string[] {
  const examples = readdirSync(join(ROOT, "examples")).map((name) => `examples/${name}/README.md`);
  const docs = existsSync(join(ROOT, "docs")) ? readdirSync(join(ROOT, "docs"), { encoding: "utf8" }) : [];
  const pages = docs.filter((name) => name.endsWith(".md")).map((name) => `docs/${name}`);
  return ["README.md", ...examples, ...pages].filter((path) => existsSync(join(ROOT, path))).sort();
}

/** All fenced blocks of those files. */
export function documentedCode(): readonly CodeBlock[] {
  return markdownFiles().flatMap((file) => codeBlocks(file, readFileSync(join(ROOT, file), "utf8")));
}
