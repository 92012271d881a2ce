/*
 * The tarball as npm makes it: small, nothing in it that does not belong there, and pages whose links work inside of it.
 */

import { dirname, join, normalize } from "node:path";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { packed } from "../support/empty-project";
import { LINK, OUTSIDE, ROOT } from "../support/markdown";

/** In bytes, compressed: a tenth of it came with `lint`, `doctor`, and registries that are not a cloud's. */
const BUDGET = 1_200_000;
const paths = (): readonly string[] => packed().files.map(({ path }) => path);

describe("the package", () => {
  it("stays within its budget", () => {
    expect(packed().size).toBeLessThanOrEqual(BUDGET);
  });

  it("holds the library, its pages and its examples", () => {
    const belongs =
      /^(?:dist\/lib\/.*\.(?:m?js|d\.m?ts|css)|docs\/(?!api\/)[\w.-]+\.(?:md|json|svg)|examples\/.*|README\.md|LICENSE|package\.json)$/;
    const written = /(?:^|\/)(?:node_modules|cdktf\.out|dist\/lib\/.*\.test\.)/;
    expect(paths().filter((path) => !belongs.test(path) || written.test(path))).toEqual([]);
  });

  it("has a declaration for each entry, and no comment in its code", () => {
    const { exports } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
      readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
    };
    const entries = Object.values(exports).flatMap((entry) =>
      typeof entry === "string" ? [entry] : Object.values(entry),
    );
    expect(entries.map(normalize).filter((path) => !paths().includes(path))).toEqual([]);
    const code = paths().filter((path) => /(?<!\/page\/\w+)\.m?js$/.test(path) && path.startsWith("dist/"));
    expect(code.length).toBeGreaterThan(400);
    expect(code.filter((path) => /^\s*\/\*\*/m.test(readFileSync(join(ROOT, path), "utf8")))).toEqual([]);
  });

  it("has pages whose links lead to what is packed", () => {
    const files = new Set(paths());
    const folders = new Set(paths().flatMap((path) => above(path)));
    const broken = paths()
      .filter((path) => path.endsWith(".md"))
      .flatMap((page) =>
        [...readFileSync(join(ROOT, page), "utf8").matchAll(LINK)]
          .map(([, link = ""]) => link)
          .filter((link) => !OUTSIDE.test(link) && !link.startsWith("#"))
          .map((link) => ({
            page,
            link,
            target: join(dirname(page), link.replace(/#.*/, "")).replace(/\/$/, ""),
          }))
          .filter(({ target }) => !files.has(target) && !folders.has(target)),
      );
    expect(broken.map(({ page, link }) => `${page}: ${link}`)).toEqual([]);
  });
});

function above(path: string): readonly string[] {
  const folder = dirname(path);
  return folder === "." ? [] : [folder, ...above(folder)];
}
