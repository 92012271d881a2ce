import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { LINK, OUTSIDE, ROOT, markdownFiles } from "./support/markdown";

/** The anchors of a page, as forges derive them from its headings. */
function anchors(path: string): readonly string[] {
  const headings = readFileSync(path, "utf8").match(/^#+ .+$/gm) ?? [];
  return headings.map((line) =>
    line
      .replace(/^#+ /, "")
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );
}

function isBroken(file: string, link: string): boolean {
  const [path = "", anchor] = link.split("#");
  const target = path === "" ? join(ROOT, file) : join(ROOT, dirname(file), path);
  if (!existsSync(target)) return true;
  return anchor !== undefined && target.endsWith(".md") && !anchors(target).includes(anchor);
}

describe("links in Markdown", () => {
  it.each(markdownFiles())("of %s lead somewhere", (file) => {
    const links = [...readFileSync(join(ROOT, file), "utf8").matchAll(LINK)].map(([, link = ""]) => link);
    expect(links.filter((link) => !OUTSIDE.test(link) && isBroken(file, link))).toEqual([]);
  });

  it("and paths in docs/contributing.md", () => {
    const page = readFileSync(join(ROOT, "docs/contributing.md"), "utf8");
    const paths = [...page.matchAll(/`((?:lib|test|build|docs)\/[^`\s]+)`/g)].map(([, path = ""]) => path);
    expect(paths.length).toBeGreaterThan(10);
    const each = paths.flatMap((path) =>
      path.includes("<c>")
        ? ["aws", "azure", "google"].map((cloud) => path.replaceAll("<c>", cloud))
        : [path],
    );
    expect(each.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });
});
