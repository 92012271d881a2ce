/*
 * A picture of the trust map for pages that run no script: the chains of a page of `explain --format html`, laid out by
 * the page's own code, as SVG. It follows light and dark, and holds nothing that differs from run to run.
 */

import { readFileSync } from "node:fs";

const SCRIPTS = ["data.js", "map.js"].map((name) =>
  readFileSync(new URL(`../lib/explain/render/page/${name}`, import.meta.url), "utf8"),
);
const DATA = /<script type="application\/json" id="data">([^<]*)<\/script>/;

/** Sizes in pixels; a letter is that wide on average, so that labels are cut and not measured. */
const [COLUMN, GAP, LETTER, LINE, PAD, BETWEEN, LANE] = [180, 38, 7.2, 15, 8, 10, 46];
const LETTERS = Math.floor((COLUMN - 2 * PAD - 14) / LETTER);
const LINES_MAX = 3;
const SIGNS = { pass: "✓", fail: "✕", unknown: "?", skipped: "–" };

const STYLE = `
  text { font: 12px system-ui, sans-serif; fill: #1b1f24 }
  .page { fill: #fff } .box { fill: #fff; stroke-width: 1.5 } path { fill: none }
  .title { font-weight: 600; fill: #57606a } .lane { font-weight: 600; font-size: 14px }
  .pass { stroke: #116329 } .fail { stroke: #a40e26 } .unknown { stroke: #7d4e00 } .skipped { stroke: #d1d9e0; stroke-dasharray: 4 }
  .broken { fill: #a40e26; font-weight: 700; font-size: 15px }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 } .page, .box { fill: #0d1117 } .title { fill: #9198a1 }
    .pass { stroke: #56d364 } .fail { stroke: #ff7b72 } .unknown { stroke: #e3b341 } .skipped { stroke: #3d444d }
    .broken { fill: #ff7b72 }
  }`;

/** The map of a page that {@link renderHtml} wrote, as SVG. */
export function mapPicture(html) {
  const document = { getElementById: () => ({ textContent: DATA.exec(html)[1] }) };
  const { data, results, graphOf } = new Function(
    "document",
    `${SCRIPTS.join("\n")}\nreturn { data, results, graphOf };`,
  )(document);
  const titles = [...data.stages.map(([title]) => title), "Target"];
  const width = titles.length * (COLUMN + GAP) - GAP + 2 * PAD;
  const parts = titles.map((title, column) => text(left(column), 22, "title", title));
  let y = 34;
  for (const cloud of [...new Set(results.map((each) => each.cloud))].sort()) {
    parts.push(text(PAD, y + 16, "lane", cloud));
    const { boxes, lines } = graphOf(
      results.filter((each) => each.cloud === cloud),
      false,
    );
    const lane = laneOf(boxes, lines, y + 26);
    parts.push(...lane.parts);
    y = lane.end + LANE - 26;
  }
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${y}" width="${width}" height="${y}" role="img" aria-label="Service accounts, the issuers and identities that they go through, and what they reach, by cloud">
<style>${STYLE}
</style>
<rect class="page" width="${width}" height="${y}"/>
${parts.join("\n")}
</svg>
`;
}

const left = (column) => PAD + column * (COLUMN + GAP);

function laneOf(boxes, lines, top) {
  const ends = new Map();
  const placed = new Map();
  for (const box of boxes) {
    const label = wrapped(box.label);
    const y = ends.get(box.column) ?? top;
    const height = label.length * LINE + 2 * PAD;
    placed.set(box.key, { ...box, label, x: left(box.column), y, height });
    ends.set(box.column, y + height + BETWEEN);
  }
  const parts = lines.flatMap((line) => lineParts(line, placed));
  for (const { x, y, height, label, status } of placed.values())
    parts.push(
      `<rect class="box ${status}" x="${x}" y="${y}" width="${COLUMN}" height="${height}" rx="6"/>`,
      text(x + PAD, y + PAD + 11, "", SIGNS[status]),
      ...label.map((each, at) => text(x + PAD + 14, y + PAD + 11 + at * LINE, "", each)),
    );
  return { parts, end: Math.max(...ends.values()) };
}

/** A broken line ends half way, with a cross, as on the page. */
function lineParts({ from, to, status, isBroken }, placed) {
  const [a, b] = [placed.get(from), placed.get(to)];
  const [x1, y1, x2, y2] = [a.x + COLUMN, a.y + a.height / 2, b.x, b.y + b.height / 2];
  const [x, y] = isBroken ? [(x1 + x2) / 2, (y1 + y2) / 2] : [x2, y2];
  const bend = (x - x1) / 2;
  const path = `<path class="${status}" d="M${x1} ${y1}C${x1 + bend} ${y1} ${x - bend} ${y} ${x} ${y}"/>`;
  return isBroken ? [path, text(x - 5, y + 5, "broken", "✕")] : [path];
}

/** Broken after a sign where one is near, as names have no spaces. */
function wrapped(label) {
  const lines = [];
  let rest = label;
  while (rest.length > LETTERS && lines.length < LINES_MAX - 1) {
    const at = Math.max(...[" ", "/", ":", "-", "."].map((sign) => rest.lastIndexOf(sign, LETTERS - 1)));
    const end = at > LETTERS / 2 ? at + 1 : LETTERS;
    lines.push(rest.slice(0, end).trim());
    rest = rest.slice(end);
  }
  return [...lines, rest.length > LETTERS ? `${rest.slice(0, LETTERS - 1)}…` : rest];
}

function text(x, y, kind, value) {
  const escaped = value.replace(/[<>&]/g, (sign) => `&#${sign.charCodeAt(0)};`);
  return `<text x="${x}" y="${y}"${kind === "" ? "" : ` class="${kind}"`}>${escaped}</text>`;
}
