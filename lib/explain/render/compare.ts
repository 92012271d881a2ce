/*
 * A comparison for people, for programs, and for a comment on a change.
 */

import type { Evidence } from "../answer";
import type { Change, ChangeKind, ComparedState, Comparison } from "../compare/change";
import { dangerOf } from "../compare/danger";
import { placeText } from "../read/source-lines";
import { type ChangeGroup, groupsOf } from "./compare-groups";
import { withLine } from "./json";
import { inStack } from "./jobs";
import { escaped } from "./markdown";
import { printable, printableJson } from "./printable";

/** Version of the shape; it changes if a reader of the old one would misread the new one. */
export const COMPARE_JSON_VERSION = 1;

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

/** How a comparison is printed. */
export interface RenderCompareOptions {
  /**
   * Whether to print each difference, instead of one line for those with one cause and at most a hundred lines.
   *
   * @defaultValue false
   */
  readonly verbose?: boolean;
}

/**
 * The differences for people, the most dangerous first: one line for those with one cause, followed by the lines of both
 * sides that cause the first of them.
 */
export function renderCompareText(
  comparison: Comparison,
  { verbose = false }: RenderCompareOptions = {},
): string {
  const { changes } = comparison;
  const notes = notesOf(comparison).map((note) => `${printable(note)}\n`);
  if (changes.length === 0) return notes.join("");
  const groups = groupsOf(changes, verbose);
  const shown = verbose ? groups : groups.slice(0, GROUPS_MAX);
  const blocks = shown.map((group, at) => {
    const { changes: all, said, title } = group;
    const lines = [
      `${said.kind.padEnd(WIDTH)}${groupText(group)}`,
      ...all[0].removed.map((each) => `  - ${evidenceText(each)}`),
      ...all[0].added.map((each) => `  + ${evidenceText(each)}`),
      ...(all.length === 1 ? [] : [`  and the same of ${all.length - 1} more`]),
    ];
    const heading = title === shown[at - 1]?.title ? "" : `${at === 0 ? "" : "\n"}${title}\n`;
    return `${heading}${lines.map(printable).join("\n")}\n`;
  });
  const ends = leftOut(groups.slice(shown.length)).map((each) => `\n${each}\n`);
  return `${blocks.join("")}${ends.join("")}\n${counted(changes)}${groups.length < changes.length ? EACH : ""}\n${notes.join("")}`;
}

/** A terminal's worth of reading; `--verbose` prints the rest. */
const GROUPS_MAX = 100;

const EACH = "; compare --verbose prints each";

/** Where to find what does not fit. */
function leftOut(groups: readonly ChangeGroup[]): readonly string[] {
  const count = groups.reduce((sum, { changes }) => sum + changes.length, 0);
  return count === 0
    ? []
    : [`${count} more changes are left out, none of them more dangerous: compare --verbose prints all`];
}

function groupText({ said, count }: ChangeGroup): string {
  return inStack(said.stack) + changeSentence(said, count > 1);
}

const WIDTH = 14;

/** The comparison as JSON: `{ "version": 1, "changes": [...] }`, the lines of evidence looked up. */
export function renderCompareJson({ changes, compared, notCompared }: Comparison): string {
  const shown = changes.map(({ removed, added, ...rest }) => ({
    ...rest,
    removed: removed.map(withLine),
    added: added.map(withLine),
  }));
  return `${printableJson({ version: COMPARE_JSON_VERSION, changes: shown, compared, notCompared })}\n`;
}

/** A comment on GitHub has at most 65,536 characters; a workflow may add its own. */
const COMMENT_MAX = 60_000;
/** What rows may take of them; the lines that cause them have the rest. */
const ROWS_MAX = 40_000;
const SENTENCE_MAX = 1_000;

/**
 * The differences as Markdown, to be posted as a comment: a table, the most dangerous first and one row for those with one
 * cause, and the lines that cause them folded below, as far as a comment has room.
 */
export function renderCompareMarkdown(comparison: Comparison): string {
  const { changes } = comparison;
  const notes = notesOf(comparison).map(sentence);
  if (changes.length === 0) return `**Access**: ${notes.join("; ")}.\n`;
  const groups = groupsOf(changes, false);
  const rows = groups.map((each) => `| ${each.title} | ${each.said.kind} | ${sentence(groupText(each))} |`);
  const shown = fitting(rows, ROWS_MAX);
  const causes = groups.slice(0, shown.length).flatMap(causeLines);
  const lines = fitting(causes, COMMENT_MAX - ROWS_MAX);
  const more = lines.length < causes.length ? ["- and more, which `compare --verbose` prints"] : [];
  return [
    `**Access**: ${counted(changes)}${groups.length < changes.length ? sentence(EACH) : ""}`,
    "",
    "| danger | change | what |",
    "| --- | --- | --- |",
    ...shown,
    "",
    ...leftOut(groups.slice(shown.length)).map((each) => `${sentence(each)}.\n`),
    "<details><summary>Lines that cause it</summary>",
    "",
    ...lines,
    ...more,
    "",
    "</details>",
    "",
    ...notes.map((note) => `${note}.\n`),
  ].join("\n");
}

function causeLines({ changes: [first, ...others], said, count }: ChangeGroup): readonly string[] {
  return [
    `- ${sentence(changeSentence(said, count > 1))}`,
    ...first.removed.map((each) => `  - before: ${sentence(evidenceText(each))}`),
    ...first.added.map((each) => `  - now: ${sentence(evidenceText(each))}`),
    ...(others.length === 0 ? [] : [`  - and the same of ${others.length} more`]),
  ];
}

/** The first lines that are together no longer than that. */
function fitting(lines: readonly string[], max: number): readonly string[] {
  let length = 0;
  const end = lines.findIndex((line) => (length += line.length + 1) > max);
  return end < 0 ? lines : lines.slice(0, end);
}

/** Text from other people's files is code, never markup, link or mention. */
function sentence(text: string): string {
  return escaped(text.length > SENTENCE_MAX ? `${text.slice(0, SENTENCE_MAX)} …` : text);
}

function counted(changes: readonly Change[]): string {
  const counts = new Map<ChangeKind, number>();
  for (const { kind } of changes) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return [...counts].map(([kind, count]) => `${count} ${kind}`).join(", ");
}

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

/** A change in one sentence, without its stack; of several subjects, as of many. */
export function changeSentence(change: Change, isPlural = false): string {
  const { kind, about, issuer, target, example, before, after, reason } = change;
  const isNew = dangerOf(change) === "issuer" ? "new " : "";
  const subject = issuer === undefined ? change.subject : `${change.subject} (${isNew}issuer ${issuer})`;
  const form = (verb: string): string =>
    isPlural
      ? verb.replace(/\b(?:is|has|reads|pulls|loses|reaches)\b/, (each) => PLURALS[each] ?? each)
      : verb;
  const of = example === undefined ? target : `${target} (for example ${example})`;
  const ends = reason === "" ? "" : `: ${reason}`;
  if (kind === "incomparable") return `${subject} ${of} cannot be compared${ends}`.trim();
  if (kind === "identity")
    return `${subject} ${form(about === "images" ? "pulls" : "reaches")} ${of} as ${named(after)} now, before as ${named(before)}${ends}`;
  const verb = form(VERBS[about][kind]);
  if (kind === "verdict")
    return `${subject} ${verb} ${of} is ${after?.verdict ?? "absent"} now, before ${before?.verdict ?? "absent"}${ends}`;
  return `${subject} ${verb} ${of}${asText(change)}${ends}`;
}

const PLURALS: Readonly<Record<string, string>> = {
  is: "are",
  has: "have",
  reads: "read",
  pulls: "pull",
  loses: "lose",
  reaches: "reach",
};

function named(state: ComparedState | null): string {
  return state?.as ?? "no one";
}

/** As whom something new is reached, or what else may still serve a pull. */
function asText({ about, kind, after }: Change): string {
  if (about === "trust" || about === "right" || !after || after.as === null) return "";
  return kind === "removed" || kind === "narrowed" ? `; it may pull as ${after.as} now` : ` as ${after.as}`;
}
