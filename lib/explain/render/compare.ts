/*
 * A comparison for people, for programs, and for a comment on a change.
 */

import type { Evidence } from "../answer";
import type { Change, ChangeKind, ComparedState, Comparison } from "../compare/change";
import { placeText } from "../read/source-lines";
import { withLine } from "./json";
import { printable, printableLines } from "./printable";

/** Version of the shape; it changes if a reader of the old one would misread the new one. */
export const COMPARE_JSON_VERSION = 1;

/** What is compared, by job. */
const COMPARED: Readonly<Partial<Record<Change["job"], string>>> = {
  "image-pull": "image pulls and tokens of service accounts",
  component: "components",
  workload: "workloads",
  "fleet-access": "ways into spokes",
  trust: "whom identities trust and what they are granted",
};

/** The sentence for no difference says among what. */
function nothing({ compared = {} }: Comparison): string {
  const parts = Object.entries(COMPARED).flatMap(([job, what]) => {
    const count = compared[job as Change["job"]];
    return count === undefined ? [] : [`${what} (${count})`];
  });
  return parts.length === 0
    ? "no difference, but neither side has a service account or an identity to compare"
    : `no difference among what was compared: ${parts.join(", ")}`;
}

/** What is to be said beside the changes: that there are none, and what differs but was not compared. */
export function notesOf(comparison: Comparison): readonly string[] {
  const { changes, notCompared = {} } = comparison;
  const parts = Object.entries(notCompared).map(([type, count]) => `${count} ${type}`);
  return [
    ...(changes.length === 0 ? [nothing(comparison)] : []),
    ...(parts.length === 0 ? [] : [`not compared, although different: ${parts.join(", ")}`]),
  ];
}

/** The differences for people: one line each, followed by the lines of both sides that cause it. */
export function renderCompareText(comparison: Comparison): string {
  const { changes } = comparison;
  const notes = notesOf(comparison).map((note) => `${printable(note)}\n`);
  if (changes.length === 0) return notes.join("");
  const blocks = changes.map((change) => {
    const lines = [
      `${change.kind.padEnd(WIDTH)}${stackText(change)}${changeSentence(change)}`,
      ...change.removed.map((each) => `  - ${evidenceText(each)}`),
      ...change.added.map((each) => `  + ${evidenceText(each)}`),
    ];
    return `${lines.map(printable).join("\n")}\n`;
  });
  return `${blocks.join("")}\n${counted(changes)}\n${notes.join("")}`;
}

const WIDTH = 14;

/** The comparison as JSON: `{ "version": 1, "changes": [...] }`, the lines of evidence looked up. */
export function renderCompareJson({ changes, compared, notCompared }: Comparison): string {
  const shown = changes.map(({ removed, added, ...rest }) => ({
    ...rest,
    removed: removed.map(withLine),
    added: added.map(withLine),
  }));
  const document = { version: COMPARE_JSON_VERSION, changes: shown, compared, notCompared };
  return `${printableLines(JSON.stringify(document, null, 2))}\n`;
}

/** The differences as Markdown, to be posted as a comment: a table, and the lines that cause them folded below. */
export function renderCompareMarkdown(comparison: Comparison): string {
  const { changes } = comparison;
  const notes = notesOf(comparison).map(cell);
  if (changes.length === 0) return `**Access**: ${notes.join("; ")}.\n`;
  const rows = changes.map(
    (change) => `| ${change.kind} | ${cell(stackText(change) + changeSentence(change))} |`,
  );
  const causes = changes.flatMap((change) => [
    `- ${cell(changeSentence(change))}`,
    ...change.removed.map((each) => `  - before: ${cell(evidenceText(each))}`),
    ...change.added.map((each) => `  - now: ${cell(evidenceText(each))}`),
  ]);
  return [
    `**Access**: ${counted(changes)}`,
    "",
    "| change | what |",
    "| --- | --- |",
    ...rows,
    "",
    "<details><summary>Lines that cause it</summary>",
    "",
    ...causes,
    "",
    "</details>",
    "",
    ...notes.map((note) => `${note}.\n`),
  ].join("\n");
}

/** Text from other people's files is never markup. */
function cell(text: string): string {
  return printable(text).replace(/[\\`*_{}[\]<>()#+!|~@&-]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

function counted(changes: readonly Change[]): string {
  const counts = new Map<ChangeKind, number>();
  for (const { kind } of changes) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return [...counts].map(([kind, count]) => `${count} ${kind}`).join(", ");
}

/** The stack of a change, as it precedes the sentence; empty without a stack. */
export function stackText({ stack }: Change): string {
  return stack === "" ? "" : `${stack}: `;
}

/** Evidence with its place. */
export function evidenceText({ text, source }: Evidence): string {
  return source === undefined ? text : `${text} (${placeText(source)})`;
}

/** Words between subject and target, by what is compared and what happened. */
const VERBS: Readonly<
  Record<Change["about"], Readonly<Record<Exclude<ChangeKind, "incomparable" | "identity">, string>>>
> = {
  images: {
    added: "newly reads",
    removed: "loses",
    widened: "reads more:",
    narrowed: "reads less, no longer",
    verdict: "reading",
  },
  access: { added: "newly has", removed: "no longer has", widened: "", narrowed: "", verdict: "reaching" },
  right: {
    added: "is newly granted",
    removed: "is no longer granted",
    widened: "is granted more:",
    narrowed: "is granted less, no longer all of",
    verdict: "",
  },
  trust: {
    added: "is newly trusted by",
    removed: "is no longer trusted by",
    widened: "is trusted as well by",
    narrowed: "is no longer trusted by",
    verdict: "being trusted by",
  },
};

/** A change in one sentence, without its stack. */
export function changeSentence(change: Change): string {
  const { kind, about, issuer, target, example, before, after, reason } = change;
  const subject = issuer === undefined ? change.subject : `${change.subject} (issuer ${issuer})`;
  const of = example === undefined ? target : `${target} (for example ${example})`;
  const ends = reason === "" ? "" : `: ${reason}`;
  if (kind === "incomparable") return `${subject} ${of} cannot be compared${ends}`.trim();
  if (kind === "identity")
    return `${subject} ${about === "images" ? "pulls" : "reaches"} ${of} as ${named(after)} now, before as ${named(before)}${ends}`;
  const verb = VERBS[about][kind];
  if (kind === "verdict")
    return `${subject} ${verb} ${of} is ${after?.verdict ?? "absent"} now, before ${before?.verdict ?? "absent"}${ends}`;
  return `${subject} ${verb} ${of}${asText(change)}${ends}`;
}

function named(state: ComparedState | null): string {
  return state?.as ?? "no one";
}

/** As whom something new is reached, or what else may still serve a pull. */
function asText({ about, kind, after }: Change): string {
  if (about === "trust" || about === "right" || !after || after.as === null) return "";
  return kind === "removed" || kind === "narrowed" ? `; it may pull as ${after.as} now` : ` as ${after.as}`;
}
