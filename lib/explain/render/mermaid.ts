import { fail } from "../../errors";
import type { Status } from "../answer";
import type { ExplainResult } from "../result";
import { jobWords } from "./jobs";
import { printable } from "./printable";

const CLASSES: Readonly<Record<Status, string>> = {
  pass: "fill:#e6f4ea,stroke:#188038",
  fail: "fill:#fce8e6,stroke:#c5221f",
  unknown: "fill:#fef7e0,stroke:#b06000",
  skipped: "fill:#f1f3f4,stroke:#80868b",
};

const WARNING = "fill:#fef7e0,stroke:#b06000,stroke-dasharray:4";

/** Mermaid draws no flowchart with more, unless it is configured to. Source: mermaid.js.org/config, `maxEdges`. */
const EDGES_MAX = 500;

/**
 * The results as one Mermaid flowchart, a chain per result, piece by piece; refused if Mermaid would not draw it.
 *
 * Source of the syntax: mermaid.js.org/syntax/flowchart.html; texts are quoted, and what could end them is written
 * as a numeric entity.
 */
export function* renderMermaid(results: Iterable<ExplainResult>): Generator<string> {
  const drawn: ExplainResult[] = [];
  let edges = 0;
  for (const result of results) {
    edges += result.checks.length - 1;
    if (edges > EDGES_MAX)
      fail("explain-invalid", {
        problem: "the results have more links than a Mermaid flowchart may have",
        value: `more than ${EDGES_MAX}`,
        allowed: `up to ${EDGES_MAX} links, which are about ${Math.floor(EDGES_MAX / 13)} pulls`,
        remedy: "ask about one stack or service account, or take --format html",
      });
    drawn.push(result);
  }
  yield "flowchart LR\n";
  for (const [status, style] of Object.entries(CLASSES)) yield `  classDef ${status} ${style}\n`;
  if (drawn.some(({ warnings = [] }) => warnings.length > 0)) yield `  classDef warning ${WARNING}\n`;
  for (const [place, result] of drawn.entries()) yield* chain(result, `p${place + 1}`);
}

function* chain(
  { job, stack, subject, target, verdict, as, checks, warnings = [] }: ExplainResult,
  id: string,
): Generator<string> {
  const title = [stack, subject].filter((part) => part !== "").join(": ");
  yield `  subgraph ${id}["${quoted(`${title} ${jobWords[job].verb} ${target}: ${verdict}${as === null ? "" : ` (${as})`}`)}"]\n`;
  const nodes = checks.map((check, index) => ({ name: `${id}c${index}`, check }));
  for (const { name, check } of nodes) yield `    ${name}["${quoted(check.id)}"]:::${check.status}\n`;
  yield `    ${nodes.map(({ name }) => name).join(" --> ")}\n`;
  for (const [index, warning] of warnings.entries())
    yield `    ${id}w${index}["${quoted(`note: ${warning.id}`)}"]:::warning\n`;
  yield "  end\n";
}

function quoted(text: string): string {
  return printable(text).replace(/[#"<>&`]/g, (character) => `#${character.charCodeAt(0)};`);
}
