/*
 * The page: one file that works from disk, loads nothing, and runs only its own script.
 */

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { dangerOf } from "../compare/danger";
import { changeSentence, evidenceText, notesOf } from "./compare";
import type { Comparison } from "../compare/change";
import { type ExplainResult, VERDICTS } from "../result";
import { groupsOf } from "./compare-groups";
import { PageData, type ShownChange } from "./html-data";
import { htmlText } from "./printable";
import { inStack, jobTitle } from "./jobs";
import type { RenderReportOptions } from "./json";

/** What the page shows in addition to results. */
export interface RenderHtmlOptions extends RenderReportOptions {
  /**
   * What changed, if the results are those of the new side of a comparison.
   *
   * @defaultValue - nothing was compared
   */
  readonly comparison?: Comparison;
  /**
   * What was judged, for the first line: a commit, a day.
   *
   * @defaultValue - only the stacks
   */
  readonly about?: string;
}

/** The page's own files, beside this one. */
const SCRIPTS: readonly string[] = ["data.js", "table.js", "map.js", "page.js"];

/**
 * The results as one HTML page: a map of the trust from service accounts to what they reach, a table to search, filter
 * and sort, and each chain with its evidence; the findings of an audit and what changed, if given.
 *
 * The page loads nothing, runs only its own script, and contains no time, so that the same results give the same
 * bytes. Texts of artefacts are data in it, never markup.
 */
export function* renderHtml(
  results: Iterable<ExplainResult>,
  { audit, comparison, about = "", lookedAt = "" }: RenderHtmlOptions = {},
): Generator<string> {
  const all = [...results];
  const data = new PageData();
  for (const result of all) data.add(result);
  const title = jobTitle(all);
  const counted = [...VERDICTS].map(
    (verdict) => `${all.filter((each) => each.verdict === verdict).length} ${verdict}`,
  );
  const style = asset("page.css");
  const script = `(()=>{"use strict";\n${SCRIPTS.map(asset).join("\n")}\n})();`;
  const policy = `default-src 'none'; script-src ${hashed(script)}; style-src ${hashed(style)}; base-uri 'none'; form-action 'none'`;
  yield `<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n`;
  yield `<meta http-equiv="Content-Security-Policy" content="${policy}">\n`;
  yield `<meta name="viewport" content="width=device-width, initial-scale=1">\n`;
  yield `<title>${htmlText(title)}: ${counted.join(", ")}</title>\n<style>${style}</style>\n</head>\n<body>\n<a class="skip" href="#results">Skip to the results</a>\n<main>\n`;
  yield `<h1>${htmlText(title)}</h1>\n<p class="lead">Judged from files alone: no cluster and no cloud was asked. ${counted.join(", ")}.</p>\n`;
  yield `<noscript><p>This page shows its results with a script, which this browser does not run; <code>--format text</code> and <code>--format json</code> need none.</p></noscript>\n`;
  yield `<div id="page"></div>\n</main>\n`;
  yield `<script type="application/json" id="data">${data.json({ audit, changes: comparison && shown(comparison), about, lookedAt })}</script>\n`;
  yield `<script>${script}</script>\n</body>\n</html>\n`;
}

function shown(comparison: Comparison): readonly ShownChange[] {
  const changes = groupsOf(comparison.changes, false).map(
    ({ changes: [first, ...others], said, count, title }) => ({
      kind: said.kind,
      danger: dangerOf(first),
      title,
      text: inStack(said.stack) + changeSentence(said, count > 1),
      count: others.length + 1,
      removed: first.removed.map(evidenceText),
      added: first.added.map(evidenceText),
    }),
  );
  const none = { kind: "", danger: "", title: "", count: 1, removed: [], added: [] };
  return [...changes, ...notesOf(comparison).map((text) => ({ ...none, text }))];
}

function asset(name: string): string {
  return readFileSync(join(__dirname, "page", name), "utf8").trim();
}

/** Source: www.w3.org/TR/CSP3, "hash-source". */
function hashed(text: string): string {
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}
