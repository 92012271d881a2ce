import { findingsOf, warningsOf, placeOf } from "../findings";
import type { ExplainResult } from "../result";
import { type AnyFinding, type Cause, causesOf } from "./causes";
import { Counts } from "./counts";
import { inStack } from "./jobs";
import { printable } from "./printable";
import type { RenderReportOptions } from "./json";
import { SEVERITIES } from "./severities";

/**
 * The results as annotations of a GitHub workflow, one for each cause, because a step shows ten of each kind; accepted
 * findings and warnings are notices. The counts follow as a line of the log.
 *
 * Source of the escapes: actions/toolkit, packages/core/src/command.ts.
 */
export function* renderGithub(
  results: Iterable<ExplainResult>,
  { audit = [] }: RenderReportOptions = {},
): Generator<string> {
  const counts = new Counts();
  const findings = [...results].flatMap((result) => {
    counts.add(result);
    return [...findingsOf(result), ...warningsOf(result)];
  });
  yield* annotations(findings);
  yield* annotations(audit);
  yield counts.total();
}

export function* annotations(findings: readonly AnyFinding[]): Generator<string> {
  for (const cause of causesOf(findings)) yield annotation(cause);
}

function annotation({ findings: [first], stack, who, reason, remedy }: Cause): string {
  const { id, severity, accepted } = first;
  const place = placeOf(first);
  const properties = [
    ...(place ? [`file=${property(place.file)}`, `line=${place.line ?? 1}`] : []),
    `title=${property(`${inStack(stack)}${id}`)}`,
  ];
  const until = accepted ? ` (accepted until ${accepted.expires}: ${accepted.reason})` : "";
  const todo = remedy === "" ? "" : `; remedy: ${remedy}`;
  const command = accepted ? "notice" : SEVERITIES[severity].command;
  return `::${command} ${properties.join(",")}::${data(`${who}: ${reason}${todo}${until}`)}\n`;
}

/** Control characters, line breaks among them, come out as escapes of another kind. */
function data(text: string): string {
  return printable(text).replaceAll("%", "%25");
}

function property(text: string): string {
  return data(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
