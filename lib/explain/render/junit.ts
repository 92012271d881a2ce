import { grouped } from "../../model/grouped";
import { type Finding, findingsOf } from "../findings";
import type { ExplainResult } from "../result";
import { placeText } from "../read/source-lines";
import { type AnyFinding, causesOf } from "./causes";
import { jobWords } from "./jobs";
import { printable, printableLines } from "./printable";
import type { RenderReportOptions } from "./json";
import { SEVERITIES } from "./severities";

/** A test case: what it is called, and what did not hold. */
interface Case {
  readonly name: string;
  readonly findings: readonly AnyFinding[];
}

/**
 * The results as JUnit XML, a suite for each stack and job and a case for each result: denied is a failure, unknown an
 * error, accepted is skipped with the reason. Findings of the audit are a suite, in which errors and warnings fail.
 *
 * Source: the schema of Jenkins' xunit plugin, junit-10.xsd; it contains no time, so that the same results give the
 * same bytes.
 */
export function* renderJunit(
  results: Iterable<ExplainResult>,
  { audit }: RenderReportOptions = {},
): Generator<string> {
  yield '<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="cdktf-workload-identity">\n';
  const suites = grouped(results, ({ stack, job }) =>
    [stack, jobWords[job].title].filter((part) => part !== "").join(": "),
  );
  for (const [suite, members] of suites) yield* suiteText(suite, members.map(caseOf));
  if (audit && audit.length > 0)
    yield* suiteText(
      "Audit",
      causesOf(audit).map(({ who, findings }) => ({ name: `${findings[0].id}: ${who}`, findings })),
    );
  yield "</testsuites>\n";
}

function caseOf(result: ExplainResult): Case {
  const { job, subject, target } = result;
  return { name: `${subject} ${jobWords[job].verb} ${target}`, findings: findingsOf(result) };
}

function elementOf({ findings }: Case): "failure" | "error" | "skipped" | undefined {
  const [first] = findings;
  if (first === undefined) return undefined;
  return findings.every(({ accepted }) => accepted) ? "skipped" : SEVERITIES[first.severity].element;
}

function* suiteText(suite: string, cases: readonly Case[]): Generator<string> {
  const count = (element: string): number => cases.filter((each) => elementOf(each) === element).length;
  yield `  <testsuite name="${xml(suite)}" tests="${cases.length}" failures="${count("failure")}" errors="${count("error")}" skipped="${count("skipped")}">\n`;
  for (const testCase of cases) {
    const element = elementOf(testCase);
    const [first] = testCase.findings;
    const begin = `    <testcase classname="${xml(suite)}" name="${xml(testCase.name)}"`;
    if (element === undefined || first === undefined) yield `${begin}/>\n`;
    else {
      const { accepted } = first;
      const message =
        element === "skipped" && accepted
          ? `accepted until ${accepted.expires}: ${accepted.reason}`
          : first.reason;
      yield `${begin}>\n      <${element} type="${xml(first.id)}" message="${xml(message)}">`;
      yield `${testCase.findings.map(detail).map(xml).join("\n")}</${element}>\n    </testcase>\n`;
    }
  }
  yield "  </testsuite>\n";
}

function detail({ id, reason, evidence, remedy, log }: Finding): string {
  return [
    `${id}: ${reason}`,
    ...evidence.map(({ text, source }) => `seen: ${text}${source ? ` (${placeText(source)})` : ""}`),
    ...(log === undefined ? [] : [`log: ${log}`]),
    ...(remedy === "" ? [] : [`remedy: ${remedy}`]),
  ]
    .map(printable)
    .join("\n");
}

/** Text of XML 1.0, which has no control characters and no U+FFFE and U+FFFF. */
function xml(text: string): string {
  return printableLines(text)
    .replace(/[\ufffe\uffff]/g, (character) => `\\u${character.charCodeAt(0).toString(16)}`)
    .replace(/[<>&"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
