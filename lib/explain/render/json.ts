import type { CheckResult, Evidence } from "../answer";
import { lineOf } from "../read/source-lines";
import { type Finding, WARNING_SEVERITY } from "../findings";
import type { Acceptance, ExplainResult, FleetWarning } from "../result";
import { printableJson } from "./printable";

/** What machine-readable reports contain in addition to results. */
export interface RenderReportOptions {
  /**
   * Findings of the audit.
   *
   * @defaultValue - none were asked for
   */
  readonly audit?: readonly Finding[];
  /**
   * What the audit looked at, for the sentence that it found nothing.
   *
   * @defaultValue - the sentence does not say
   */
  readonly lookedAt?: string;
}

/** Version of the shape; it changes if a reader of the old one would misread the new one. */
export const EXPLAIN_JSON_VERSION = 1;

/**
 * The results as JSON, piece by piece: `{ "version": 1, "results": [...] }`.
 *
 * Each result has job, stack, subject, target, verdict, as and checks; each check id, status, reason, evidence
 * (`{ text, source? }`, the source with `file`, `path`, and `line`, `document` and `stated` where they apply), remedy, and
 * `log` where what an operator sees is known. A fleet access has warnings as well, each
 * with id, severity, reason, evidence and remedy; a result that is accepted has `accepted`. With an audit, `audit` follows the results.
 * Its schema is `docs/explain.schema.json`.
 */
export function* renderJson(
  results: Iterable<ExplainResult>,
  { audit }: RenderReportOptions = {},
): Generator<string> {
  yield `{\n  "version": ${EXPLAIN_JSON_VERSION},\n  "results": [`;
  let separator = "\n";
  for (const result of results) {
    const { job, stack, subject, target, verdict, as, checks, warnings, accepted } = result;
    const links = { checks: checks.map(ordered), warnings: warnings?.map(orderedWarning) };
    const acceptances = accepted?.map(orderedAcceptance);
    const shown = { job, stack, subject, target, verdict, as, ...links, accepted: acceptances };
    yield separator + printableJson(shown).replace(/^/gm, "    ");
    separator = ",\n";
  }
  yield "\n  ]";
  if (audit) yield `,\n  "audit": ${printableJson(audit.map(orderedFinding)).replace(/\n/g, "\n  ")}`;
  yield "\n}\n";
}

function orderedAcceptance({ check, reason, expires }: Acceptance): object {
  return { check, reason, expires };
}

function orderedFinding(finding: Finding): object {
  const { id, severity, stack, subject, target, reason, remedy } = finding;
  const evidence = finding.evidence.map(withLine);
  const accepted = finding.accepted && orderedAcceptance(finding.accepted);
  return { id, severity, stack, subject, target, reason, evidence, remedy, accepted };
}

function ordered({ id, status, reason, evidence, remedy, log }: CheckResult): object {
  return { id, status, reason, evidence: evidence.map(withLine), remedy, log };
}

function orderedWarning({ id, reason, evidence, remedy }: FleetWarning): object {
  return { id, severity: WARNING_SEVERITY, reason, evidence: evidence.map(withLine), remedy };
}

/** Looks up lines only for what is written; facts keep paths. */
export function withLine({ text, source }: Evidence): object {
  if (source === undefined) return { text };
  const { file, document, path, stated } = source;
  return { text, source: { file, line: lineOf(source), document, path, stated } };
}
