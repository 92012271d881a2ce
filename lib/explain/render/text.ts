import type { CheckResult, Evidence, Status } from "../answer";
import type { FleetWarning } from "../cloud";
import type { ExplainResult } from "../result";
import { placeText } from "../read/source-lines";
import type { Verdict } from "../verdict";
import { jobWords } from "./jobs";
import { printable } from "./printable";
import { type ObjectKind, boolean, checkGiven, object, optional } from "../../model/shape";

/** How text is written. */
export interface RenderTextOptions {
  /**
   * ANSI colours; for a terminal only.
   *
   * @defaultValue false
   */
  readonly colour?: boolean;
}

const RENDER_TEXT_OPTIONS: ObjectKind<RenderTextOptions> = object({
  colour: optional(boolean),
});

const RESET = "\u001b[0m";
const GREEN = "\u001b[32m";
const RED = "\u001b[31m";
const YELLOW = "\u001b[33m";
const GREY = "\u001b[90m";

const COLORS: Readonly<Record<Status | Verdict, string>> = {
  pass: GREEN,
  allowed: GREEN,
  fail: RED,
  denied: RED,
  unknown: YELLOW,
  skipped: GREY,
};

const STATUS_WIDTH = 8;

/** The results for people, piece by piece: a line each, and its links below; at the end how many of each verdict. */
export function* renderText(
  results: Iterable<ExplainResult>,
  options: RenderTextOptions = {},
): Generator<string> {
  checkGiven("renderText()", RENDER_TEXT_OPTIONS, options, "options");
  const paint = (word: Status | Verdict, width = 0): string =>
    options.colour ? `${COLORS[word]}${word.padEnd(width)}${RESET}` : word.padEnd(width);
  const counts: Record<Verdict, number> = { allowed: 0, denied: 0, unknown: 0 };
  for (const result of results) {
    counts[result.verdict] += 1;
    const { job, stack, subject, target, verdict, as } = result;
    const where = stack === "" ? "" : `${printable(stack)}: `;
    yield `${paint(verdict)}  ${where}${printable(subject)} ${jobWords[job].verb} ${printable(target)}${asText(verdict, as)}\n`;
    for (const check of result.checks) yield* checkLines(check, paint);
    for (const warning of result.warnings ?? []) yield* warningLines(warning, options.colour === true);
    yield "\n";
  }
  yield `${counts.allowed} allowed, ${counts.denied} denied, ${counts.unknown} unknown\n`;
}

function asText(verdict: Verdict, as: string | null): string {
  if (as === null) return "";
  return verdict === "allowed" ? ` as ${printable(as)}` : ` (${printable(as)})`;
}

function* checkLines(
  { id, status, reason, evidence, remedy, log }: CheckResult,
  paint: (word: Status, width: number) => string,
): Generator<string> {
  yield `  ${paint(status, STATUS_WIDTH)}${id}: ${printable(reason)}\n`;
  if (status !== "fail" && status !== "unknown") return;
  yield* evidenceLines(evidence);
  if (log !== undefined) yield `            log: ${printable(log)}\n`;
  if (remedy !== "") yield `            remedy: ${printable(remedy)}\n`;
}

/** Warnings stand below the links, and change no verdict. */
function* warningLines({ id, reason, evidence, remedy }: FleetWarning, colour: boolean): Generator<string> {
  yield `  ${colour ? `${YELLOW}warning${RESET}` : "warning"} ${id}: ${printable(reason)}\n`;
  yield* evidenceLines(evidence);
  if (remedy !== "") yield `            remedy: ${printable(remedy)}\n`;
}

function* evidenceLines(evidence: readonly Evidence[]): Generator<string> {
  for (const { text, source } of evidence)
    yield `            seen: ${printable(text)}${source ? ` (${printable(placeText(source))})` : ""}\n`;
}
