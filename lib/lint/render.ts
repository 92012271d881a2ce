import { annotations } from "../explain/render/github";
import { withLine } from "../explain/render/json";
import { printableJson } from "../explain/render/printable";
import { sarifRun } from "../explain/render/sarif";
import { findingLines, paintOf } from "../explain/render/text";
import { sourceText } from "../explain/read/source";
import { LINT_HELP, type LintReport } from "./lint";
import { kubeletWords } from "./refusals";

/** The forms of a report: for people, for programs, for code scanning, and for the log of a GitHub workflow. */
export type LintFormat = "text" | "json" | "sarif" | "github";

/** Version of the JSON; it changes if a reader of the old one would misread the new one. */
export const LINT_JSON_VERSION = 1;

const RENDERERS: Readonly<Record<LintFormat, (report: LintReport, hasColour: boolean) => Iterable<string>>> =
  {
    text: function* (report, hasColour) {
      yield* findingLines(report.findings, paintOf(hasColour));
      yield* summary(report);
    },
    json: function* (report) {
      yield `${printableJson(shown(report))}\n`;
    },
    sarif: ({ findings }) =>
      sarifRun(
        LINT_HELP.map(({ id, question, help }) => ({
          id,
          help,
          title: `Does not hold: ${question}`,
          page: "lint.md",
        })),
        findings,
      ),
    github: function* (report) {
      yield* annotations(report.findings);
      yield* summary(report);
    },
  };

/**
 * A report in one of its forms, piece by piece: text and annotations with a line for each cause, errors first; JSON as
 * `docs/lint.schema.json` describes it; SARIF 2.1.0 with every rule. `hasColour` is for text on terminals.
 */
export function renderLint(
  report: LintReport,
  format: LintFormat,
  hasColour: boolean = false,
): Iterable<string> {
  return RENDERERS[format](report, hasColour);
}

function shown({ kubelets, read, skipped, placeholders, findings }: LintReport): object {
  return {
    version: LINT_JSON_VERSION,
    kubelets,
    read,
    skipped: skipped.map(({ source, reason }) => ({ source: sourceText(source), reason })),
    placeholders,
    findings: findings.map(({ id, severity, subject, target, reason, log, evidence, remedy }) => {
      return { id, severity, subject, target, reason, log, evidence: evidence.map(withLine), remedy };
    }),
  };
}

function* summary({ kubelets, read, skipped, placeholders, findings }: LintReport): Generator<string> {
  const counts = Object.entries(read).map(([what, count]) => `${what}: ${count}`);
  const found = findings.length === 0 ? "nothing" : String(findings.length);
  yield `${found} found for ${kubeletWords(kubelets)}; looked at ${counts.join(", ")}\n`;
  if (placeholders > 0)
    yield `${placeholders} more depend on placeholders; lint the files as they are applied\n`;
  if (skipped.length > 0)
    yield `${skipped.length} kinds of files and objects were not looked at; --format json names them\n`;
}
