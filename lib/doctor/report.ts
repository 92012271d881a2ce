/*
 * The doctor's report as text, Markdown and JSON. The links are in the order in which they are met.
 */

import type { CheckResult, Evidence } from "../explain";
import { placeText } from "../explain/read/source-lines";
import { jobWords } from "../explain/render/jobs";
import { printable, printableJson } from "../explain/render/printable";
import { grouped } from "../model/grouped";
import { commandOf } from "./bundle";
import type { Diagnosis, Report } from "./diagnosis";
import { brokenLinks } from "./merged";
import type { Note } from "./observed/observation";

/** Version of the shape of {@link reportJson}. */
export const DOCTOR_JSON_VERSION = 1;

function open({ checks }: Diagnosis): readonly CheckResult[] {
  return checks.filter(({ id, status }) => status === "unknown" && id !== "otherwise");
}

/** What serves the pull while its chain is broken; empty if nothing is said of it. */
function meanwhile({ checks }: Diagnosis): string {
  const otherwise = checks.find(({ id, status }) => id === "otherwise" && status !== "skipped");
  return otherwise?.reason ?? "";
}

const EVIDENCE_MAX = 4;

function evidenceLine({ text, source }: Evidence): string {
  if (source === undefined) return text;
  const command = commandOf(source.file)?.command;
  return `${placeText(source)}: ${text}${command === undefined ? "" : ` (${short(command)})`}`;
}

const COMMAND_MAX = 72;

function short(command: string): string {
  return command.length > COMMAND_MAX ? `${command.slice(0, COMMAND_MAX)}…` : command;
}

function title(diagnosis: Diagnosis): string {
  const { job, subject, target, as } = diagnosis;
  const [count, unsure] = [brokenLinks(diagnosis.checks).length, open(diagnosis).length];
  const links = (number: number): string => `${number} ${number === 1 ? "link" : "links"}`;
  const state =
    count > 0
      ? `${links(count)} broken`
      : unsure > 0
        ? `no broken link, ${links(unsure)} open`
        : `every link holds${as === null ? "" : `, as ${as}`}`;
  return `${subject} ${jobWords[job].verb} ${target}: ${state}`;
}

/** A line of the report, and how deep it is. */
type Line = readonly [depth: number, line: string];

function* linesOf(diagnosis: Diagnosis): Generator<Line> {
  yield [0, title(diagnosis)];
  for (const [place, check] of brokenLinks(diagnosis.checks).entries()) {
    yield [1, `${place + 1}. ${check.id}: ${check.reason}`];
    yield* detailsOf(check);
  }
  for (const [reason, checks] of grouped(open(diagnosis), (each) => each.reason)) {
    yield [1, `open: ${checks.map(({ id }) => id).join(", ")}: ${reason}`];
    if (checks[0]) yield* detailsOf(checks[0]);
  }
  for (const { reason, evidence } of diagnosis.drift) {
    yield [1, `drift: ${reason}`];
    for (const each of evidence.slice(0, EVIDENCE_MAX)) yield [2, `declared: ${evidenceLine(each)}`];
  }
  for (const { file, command } of diagnosis.missing) yield [1, `would decide: ${command} > ${file}`];
  const instead = brokenLinks(diagnosis.checks).some(({ id }) => id !== "otherwise")
    ? meanwhile(diagnosis)
    : "";
  if (instead !== "") yield [1, `meanwhile: ${instead}`];
}

function* detailsOf({ evidence, remedy, log }: CheckResult): Generator<Line> {
  for (const each of evidence.slice(0, EVIDENCE_MAX)) yield [2, `seen: ${evidenceLine(each)}`];
  if (evidence.length > EVIDENCE_MAX) yield [2, `and ${evidence.length - EVIDENCE_MAX} more`];
  if (log !== undefined) yield [2, `log: ${log}`];
  if (remedy !== "") yield [2, `fix: ${remedy}`];
}

function* noteLines({ reason, fix, evidence }: Note): Generator<Line> {
  yield [0, `also: ${reason}`];
  for (const each of evidence) yield [1, `seen: ${evidenceLine(each)}`];
  if (fix !== "") yield [1, `fix: ${fix}`];
}

function* allLines({ diagnoses, notes }: Report): Generator<Line> {
  for (const diagnosis of diagnoses) yield* linesOf(diagnosis);
  for (const note of notes) yield* noteLines(note);
}

export function reportText(report: Report): string {
  return [...allLines(report)].map(([depth, line]) => `${"  ".repeat(depth)}${printable(line)}\n`).join("");
}

/** The same as a list; what comes from the bundle is code, so that it mentions no one and links nowhere. */
export function reportMarkdown(report: Report): string {
  return [...allLines(report)]
    .map(([depth, line]) => `${"  ".repeat(depth)}- \`${printable(line).replaceAll("`", "'")}\`\n`)
    .join("");
}

export function reportJson({ diagnoses, notes }: Report): string {
  const results = diagnoses.map(({ missing, ...diagnosis }) => ({
    ...diagnosis,
    missing: missing.map(({ file, command }) => ({ file, command })),
  }));
  return `${printableJson({ version: DOCTOR_JSON_VERSION, results, notes })}\n`;
}
