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

/**
 * The results as one Mermaid flowchart, a chain per result, piece by piece.
 *
 * Source of the syntax: mermaid.js.org/syntax/flowchart.html; texts stand in quotes, and what could end them is written
 * as a numeric entity.
 */
export function* renderMermaid(results: Iterable<ExplainResult>): Generator<string> {
  yield "flowchart LR\n";
  for (const [status, style] of Object.entries(CLASSES)) yield `  classDef ${status} ${style}\n`;
  let [number, warned] = [0, false];
  for (const result of results) {
    number += 1;
    if (!warned && result.warnings?.length) {
      warned = true;
      yield `  classDef warning ${WARNING}\n`;
    }
    yield* chain(result, `p${number}`);
  }
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
    yield `    ${id}w${index}["${quoted(`warning: ${warning.id}`)}"]:::warning\n`;
  yield "  end\n";
}

function quoted(text: string): string {
  return printable(text).replace(/[#"<>&`]/g, (character) => `#${character.charCodeAt(0)};`);
}
