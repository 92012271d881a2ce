import { type Finding, aboutOf, findingsOf, warningsOf, placeOf } from "../findings";
import type { ExplainResult } from "../result";
import { type Cause, causesOf } from "./causes";
import { Counts, auditCounts } from "./counts";
import { inStack } from "./jobs";
import { htmlText, printable } from "./printable";
import type { RenderReportOptions } from "./json";
import { SEVERITIES } from "./severities";

/** A comment on a pull request has at most 65,536 characters. */
const SHOWN = 20;

/**
 * The results as Markdown for a comment on a pull request or a job's summary: the counts, and a table with a row for
 * each cause; below it, folded, the results behind rows that stand for several.
 */
export function* renderMarkdown(
  results: Iterable<ExplainResult>,
  { audit, lookedAt }: RenderReportOptions = {},
): Generator<string> {
  const counts = new Counts();
  const findings = [...results].flatMap((result) => {
    counts.add(result);
    return [...findingsOf(result), ...warningsOf(result)];
  });
  yield `### Workload identity: ${counts.total(audit)}\n`;
  yield* table(causesOf(findings), (severity) => SEVERITIES[severity].verdict, "Verdict");
  if (audit === undefined) return;
  yield `### Audit: ${auditCounts(audit, lookedAt)}\n\n`;
  yield* table(causesOf(audit), (severity) => severity, "Severity");
}

function* table(
  causes: readonly Cause[],
  label: (severity: Finding["severity"]) => string,
  title: string,
): Generator<string> {
  if (causes.length === 0) return;
  yield `| ${title} | What | Check | Why | Remedy |\n| --- | --- | --- | --- | --- |\n`;
  for (const cause of causes) yield row(cause, label);
  yield "\n";
  for (const cause of causes) if (cause.findings.length > 1) yield* members(cause);
}

function row(
  { findings: [first], stack, who, reason, remedy }: Cause,
  label: (severity: Finding["severity"]) => string,
): string {
  const { id, severity, accepted } = first;
  const cells = [
    accepted ? "accepted" : label(severity),
    escaped(`${inStack(stack)}${who}`),
    escaped(id),
    escaped(reason),
    escaped(accepted ? `until ${accepted.expires}: ${accepted.reason}` : remedy),
  ];
  return `| ${cells.join(" | ")} |\n`;
}

function* members({ findings, who }: Cause): Generator<string> {
  yield `<details><summary><code>${htmlText(who)}</code></summary>\n\n`;
  for (const finding of findings.slice(0, SHOWN)) {
    const place = placeOf(finding);
    const where = place ? ` (${place.file}${place.line === undefined ? "" : `:${place.line}`})` : "";
    yield `- ${escaped(`${inStack(finding.stack)}${aboutOf(finding)}${where}`)}\n`;
  }
  if (findings.length > SHOWN) yield `- and ${findings.length - SHOWN} more\n`;
  yield "\n</details>\n\n";
}

const PLAIN = /^[A-Za-z0-9][A-Za-z0-9'-]*$/;

/**
 * A sentence in which every word that is not plain is code: other people's text makes no link, mention, column or
 * HTML.
 */
export function escaped(text: string): string {
  return printable(text)
    .split(/([\s,;()]+|[.:](?=\s|$))/)
    .map((word, place) => (place % 2 === 1 || word === "" || PLAIN.test(word) ? word : code(word)))
    .join("");
}

function code(word: string): string {
  const longest = [...word.matchAll(/`+/g)].reduce((most, [run]) => Math.max(most, run.length), 0);
  const fence = "`".repeat(longest + 1);
  const space = word.startsWith("`") || word.endsWith("`") ? " " : "";
  return `${fence}${space}${word.replace(/(\\*)\|/g, "$1$1\\|")}${space}${fence}`;
}
