import type { CheckResult, Status } from "../answer";
import { type Finding, WARNING_SEVERITY, findingsOf, openLinks, warningsOf } from "../findings";
import { type ExplainResult, type FleetWarning, type Verdict, VERDICTS } from "../result";
import { placeText } from "../read/source-lines";
import { type AnyFinding, type Cause, causesOf } from "./causes";
import { Counts, auditCounts } from "./counts";
import { inStack, jobWords } from "./jobs";
import { printable } from "./printable";
import { SEVERITIES } from "./severities";
import {
  type ObjectKind,
  anything,
  boolean,
  checkGiven,
  choice,
  list,
  object,
  optional,
  text,
} from "../../model/shape";

/** How text is written. */
export interface RenderTextOptions {
  /**
   * Every chain with all its links, the broken one first, instead of a line per cause.
   *
   * @defaultValue false
   */
  readonly verbose?: boolean;
  /**
   * The verdicts whose results are shown; allowed ones, which otherwise are counted, get a line each. The counts at the
   * end include all results.
   *
   * @defaultValue - all
   */
  readonly only?: readonly Verdict[];
  /**
   * Only counts, by stack and job.
   *
   * @defaultValue false
   */
  readonly summary?: boolean;
  /**
   * Findings of the audit, which follow the results.
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
  /**
   * ANSI colours; for a terminal only.
   *
   * @defaultValue false
   */
  readonly colour?: boolean;
}

const RENDER_TEXT_OPTIONS: ObjectKind<RenderTextOptions> = object({
  verbose: optional(boolean),
  only: optional(list(choice(VERDICTS))),
  summary: optional(boolean),
  audit: optional(list(anything)),
  lookedAt: optional(text),
  colour: optional(boolean),
});

const RESET = "\u001b[0m";
const GREEN = "\u001b[32m";
const RED = "\u001b[31m";
const YELLOW = "\u001b[33m";
const GREY = "\u001b[90m";

type Label = Status | Verdict | Finding["severity"] | "accepted";

const COLORS: Readonly<Record<Label, string>> = {
  pass: GREEN,
  allowed: GREEN,
  fail: RED,
  denied: RED,
  error: RED,
  unknown: YELLOW,
  warning: YELLOW,
  skipped: GREY,
  note: GREY,
  accepted: GREY,
};

type Paint = (word: Label) => string;

/** How words are written, with or without ANSI colours. */
export function paintOf(hasColour: boolean = false): Paint {
  return (word) => (hasColour ? `${COLORS[word]}${word}${RESET}` : word);
}

const WIDTH = 9;
const STATUS_WIDTH = 8;

/**
 * The results for people, piece by piece: a line for each cause, denied first, with link, reason and remedy, and below it
 * the place and what an operator sees; allowed results with their identities, or how many if they are more than ten; at the
 * end how many of each verdict.
 */
export function* renderText(
  results: Iterable<ExplainResult>,
  options: RenderTextOptions = {},
): Generator<string> {
  checkGiven("renderText()", RENDER_TEXT_OPTIONS, options, "options");
  const { verbose, only, summary, audit, lookedAt } = options;
  const paint = paintOf(options.colour);
  const counts = new Counts();
  const findings: AnyFinding[] = [];
  for (const result of results) {
    counts.add(result);
    const isShown = only?.includes(result.verdict) ?? true;
    if (summary || !isShown) continue;
    if (verbose) yield* chainText(result, paint);
    else if (result.verdict === "allowed" && only) yield allowedLine(result, paint);
    else findings.push(...shortly(result));
  }
  for (const cause of causesOf(findings))
    yield* causeLines(cause, (severity) => SEVERITIES[severity].verdict, paint);
  if (summary) yield* counts.lines();
  else if (!verbose && !only) yield* allowedLines(counts, paint);
  if (audit) yield* auditLines(audit, paint, lookedAt);
  yield counts.total(audit);
}

/** One finding for each result: further links that are unknown are only counted. */
function shortly(result: ExplainResult): readonly AnyFinding[] {
  const [first, ...others] = findingsOf(result);
  const more =
    others.length === 0
      ? ""
      : `; ${others.length} more ${others.length === 1 ? "link is" : "links are"} unknown`;
  return [...(first ? [{ ...first, reason: first.reason + more }] : []), ...warningsOf(result)];
}

/** A line, and below it where the first finding is, and what an operator sees. */
function* causeLines(
  { findings, stack, who, reason, remedy, log }: Cause,
  labelOf: (severity: Finding["severity"]) => Label,
  paint: Paint,
): Generator<string> {
  const [{ id, severity, accepted, evidence }] = findings;
  const label = accepted ? "accepted" : labelOf(severity);
  const until = accepted ? `; accepted until ${accepted.expires}: ${accepted.reason}` : "";
  const todo = remedy === "" || accepted ? "" : `; remedy: ${remedy}`;
  yield `${painted(label, paint)}${printable(`${inStack(stack)}${who}: ${id}: ${reason}${todo}${until}`)}\n`;
  const place = evidence.find(({ source }) => source)?.source;
  const more = findings.length > 1 ? ", and others" : "";
  if (place) yield `${" ".repeat(WIDTH)}at ${printable(placeText(place))}${more}\n`;
  if (log !== "") yield `${" ".repeat(WIDTH)}log: ${printable(log)}\n`;
}

function painted(label: Label, paint: Paint): string {
  return paint(label) + " ".repeat(Math.max(WIDTH - label.length, 1));
}

/** Each allowed result in full if they are few; of many how many there are. */
function* allowedLines(counts: Counts, paint: Paint): Generator<string> {
  for (const { stack, few, allowed } of counts.allowed)
    if (few.length > 0) for (const each of few) yield allowedLine(each, paint);
    else yield `${painted("allowed", paint)}${printable(inStack(stack))}${allowed.join(", ")}\n`;
}

function allowedLine(result: ExplainResult, paint: Paint): string {
  return `${painted("allowed", paint)}${headline(result)}\n`;
}

function* auditLines(audit: readonly Finding[], paint: Paint, lookedAt?: string): Generator<string> {
  yield `\naudit: ${auditCounts(audit, lookedAt)}\n`;
  yield* findingLines(audit, paint);
  if (audit.length > 0) yield "\n";
}

/** A line for each cause, and below it the place and what an operator sees. */
export function* findingLines(findings: readonly Finding[], paint: Paint): Generator<string> {
  for (const cause of causesOf(findings)) yield* causeLines(cause, (severity) => severity, paint);
}

function headline({ job, stack, subject, target, verdict, as }: ExplainResult): string {
  return printable(`${inStack(stack)}${subject} ${jobWords[job].verb} ${target}${asText(verdict, as)}`);
}

function asText(verdict: Verdict, as: string | null): string {
  if (as === null) return "";
  return verdict === "allowed" ? ` as ${as}` : ` (${as})`;
}

function* chainText(result: ExplainResult, paint: Paint): Generator<string> {
  const { verdict, checks, warnings = [], accepted = [] } = result;
  yield `${paint(verdict)}  ${headline(result)}\n`;
  for (const { check, reason, expires } of accepted)
    yield `  ${paint("accepted")} ${check} until ${expires}: ${printable(reason)}\n`;
  // A link is another object each time that it is asked for.
  const open = openLinks(result);
  const ids = new Set(open.map(({ id }) => id));
  for (const check of [...open, ...checks.filter(({ id }) => !ids.has(id))]) yield* linkLines(check, paint);
  // Warnings stand below the links, and change no verdict.
  for (const warning of warnings) yield* linkLines({ ...warning, status: WARNING_SEVERITY }, paint);
  yield "\n";
}

/** A link, or what a warning says. */
interface Shown extends FleetWarning, Pick<CheckResult, "log"> {
  readonly status: Label;
}

function* linkLines({ id, status, reason, evidence, remedy, log }: Shown, paint: Paint): Generator<string> {
  yield `  ${paint(status)}${" ".repeat(STATUS_WIDTH - status.length)}${id}: ${printable(reason)}\n`;
  if (status === "pass" || status === "skipped") return;
  for (const { text, source } of evidence)
    yield `            seen: ${printable(text)}${source ? ` (${printable(placeText(source))})` : ""}\n`;
  if (log !== undefined) yield `            log: ${printable(log)}\n`;
  if (remedy !== "") yield `            remedy: ${printable(remedy)}\n`;
}
