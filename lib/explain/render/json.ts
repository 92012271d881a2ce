import type { CheckResult, Evidence } from "../answer";
import { lineOf } from "../read/source-lines";
import type { FleetWarning } from "../cloud";
import type { ExplainResult } from "../result";
import { printableLines } from "./printable";

/** Version of the shape; it changes where a reader of the old one would misread the new one. */
export const EXPLAIN_JSON_VERSION = 1;

/**
 * The results as JSON, piece by piece: `{ "version": 1, "results": [...] }`.
 *
 * Each result has job, stack, subject, target, verdict, as and checks; each check id, status, reason, evidence
 * (`{ text, source? }`, the source with `file`, `path`, and `line`, `document` and `stated` where they apply), remedy, and
 * `log` where what an operator sees is known. A fleet access has warnings as well, each
 * with id, reason, evidence and remedy.
 */
export function* renderJson(results: Iterable<ExplainResult>): Generator<string> {
  yield `{\n  "version": ${EXPLAIN_JSON_VERSION},\n  "results": [`;
  let separator = "\n";
  for (const result of results) {
    const { job, stack, subject, target, verdict, as, checks, warnings } = result;
    const shown = {
      ...{ job, stack, subject, target, verdict, as, checks: checks.map(ordered) },
      ...(warnings && { warnings: warnings.map(orderedWarning) }),
    };
    yield separator + indented(printableLines(JSON.stringify(shown, null, 2)));
    separator = ",\n";
  }
  yield "\n  ]\n}\n";
}

function ordered({ id, status, reason, evidence, remedy, log }: CheckResult): object {
  return { id, status, reason, evidence: evidence.map(withLine), remedy, ...(log !== undefined && { log }) };
}

function orderedWarning({ id, reason, evidence, remedy }: FleetWarning): object {
  return { id, reason, evidence: evidence.map(withLine), remedy };
}

/** Lines are looked up for what is written alone: facts keep paths. */
export function withLine({ text, source }: Evidence): object {
  if (source === undefined) return { text };
  const { file, document, path, stated } = source;
  const line = lineOf(source);
  return {
    text,
    source: {
      file,
      ...(line !== undefined && { line }),
      ...(document !== undefined && { document }),
      path,
      ...(stated && { stated }),
    },
  };
}

function indented(text: string): string {
  return text.replace(/^/gm, "    ");
}
