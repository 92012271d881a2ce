/*
 * Findings with one cause, as one line. Two findings have one cause if check, severity, reason and remedy are the same,
 * apart from what each finding names of its own: its service account, its image, an identity named after them.
 */

import { grouped } from "../../model/grouped";
import { namespacedName } from "../../model/namespaced-name";
import { type Finding, aboutOf } from "../findings";
import type { ExplainResult } from "../result";
import { named } from "../shared/words";
import { jobWords } from "./jobs";
import { SEVERITIES } from "./severities";

/** A finding of any job, or of the audit. */
export type AnyFinding = Finding & { readonly job?: ExplainResult["job"] };

export interface Cause {
  /** Never empty. */
  readonly findings: readonly [AnyFinding, ...AnyFinding[]];
  /** The stack, or the first of several and how many more there are. */
  readonly stack: string;
  /** `shop/web pulls …`, or `12 pulls (shop/web, shop/api, shop/cart, shop/mail and 8 more pulls …)`. */
  readonly who: string;
  readonly reason: string;
  readonly remedy: string;
  /** What an operator sees; empty if it is not known. */
  readonly log: string;
}

/** A text in pieces; those at odd places are what the finding names of its own. */
export type Pieces = readonly string[];

const ORDER = Object.keys(SEVERITIES);

/** The causes of findings: errors first, accepted ones last, and otherwise in their order. */
export function causesOf(findings: readonly AnyFinding[]): readonly Cause[] {
  const rank = ({ severity, accepted }: AnyFinding): number =>
    ORDER.indexOf(severity) + (accepted ? ORDER.length : 0);
  const split = findings.map((finding) => ({ finding, pieces: piecesOf(finding) }));
  const groups = grouped(split, ({ finding: { id, severity, job, accepted }, pieces }) =>
    JSON.stringify([id, severity, job, accepted, ...pieces.map(sharedOf)]),
  );
  return [...groups.values()]
    .flatMap((group): readonly Cause[] => {
      const [first, ...others] = group.map(({ finding }) => finding);
      if (first === undefined) return [];
      const [reason = "", remedy = "", log = ""] = [0, 1, 2].map((at) =>
        together(group.map(({ pieces }) => pieces[at] ?? [])),
      );
      const all = [first, ...others] as const;
      return [
        { findings: all, stack: listed(all.map(({ stack }) => stack)), who: whoOf(all), reason, remedy, log },
      ];
    })
    .sort((one, other) => rank(one.findings[0]) - rank(other.findings[0]));
}

function whoOf(findings: readonly [AnyFinding, ...AnyFinding[]]): string {
  const [first] = findings;
  if (findings.length === 1) return aboutOf(first);
  const [subject, target] = [findings.map((each) => each.subject), findings.map((each) => each.target)].map(
    listed,
  );
  const kind = first.job ? jobWords[first.job].several : "findings";
  return `${findings.length} ${kind} (${aboutOf({ ...first, subject: subject ?? "", target: target ?? "" })})`;
}

/** Reason, remedy and log in pieces. */
function piecesOf(finding: AnyFinding): readonly Pieces[] {
  const isOwn = ownName(finding);
  return [finding.reason, finding.remedy, finding.log ?? ""].map((text) => piecesIn(text, isOwn));
}

/** A text split at the words that are its own. */
export function piecesIn(text: string, isOwn: (word: string) => boolean): Pieces {
  const pieces = [""];
  for (const word of text.split(/([\s,;()"“”]+|[.:](?=\s|$))/)) {
    if (isOwn(word)) pieces.push(word, "");
    else pieces[pieces.length - 1] += word;
  }
  return pieces;
}

/** What texts of one cause share. */
export function sharedOf(pieces: Pieces): Pieces {
  return pieces.filter((_, at) => at % 2 === 0);
}

const WORD_END = "(?![a-z0-9])";
const WORD_BEGIN = "(?<![a-z0-9])";

/** Whether a word is the finding's own: its service account, its image or a repository of it, or named after them. */
function ownName({ subject, target }: Finding): (word: string) => boolean {
  const { namespace, name } = namespacedName(subject);
  const repository = target.replace(/@[^]*$/, "").replace(/:[^/:]*$/, "");
  const path = repository.slice(repository.indexOf("/") + 1).replace(/\*[^]*$/, "");
  const texts = [subject, target, repository, path].filter((text) => text.length > 1);
  const alone = [name, namespace].filter((text) => text !== "");
  const [ofName, ofNamespace] = [name, namespace].map(wholeName);
  return (word) =>
    alone.includes(word) ||
    texts.some((text) => word.includes(text)) ||
    (name !== "" && ofName?.test(word) === true && ofNamespace?.test(word) === true);
}

/** Finds a name that is no part of a longer one. */
export function wholeName(text: string): RegExp {
  return new RegExp(`${WORD_BEGIN}${escaped(text)}${WORD_END}`, "i");
}

/** A text as a regular expression that matches only itself. */
export function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

/** The text of several findings, with the words of all of them in each place. */
export function together(all: readonly Pieces[]): string {
  const [first = []] = all;
  return first
    .map((piece, at) => (at % 2 === 0 ? piece : listed(all.map((pieces) => pieces[at] ?? ""))))
    .join("");
}

/** Names as they were written: a pattern that covers them would also cover others. */
export function listed(texts: readonly string[]): string {
  return named([...new Set(texts)]);
}
