/*
 * Changes with one cause, as one: one edit of a template changes hundreds of service accounts. Two changes have one cause if
 * they say the same, apart from what is named after each one's service account.
 */

import { grouped } from "../../model/grouped";
import { namespacedName } from "../../model/namespaced-name";
import type { Change, ComparedState, Danger } from "../compare/change";
import { DANGERS, dangerOf, ranked } from "../compare/danger";
import { type Pieces, listed, piecesIn, sharedOf, together, wholeName } from "./causes";

export interface ChangeGroup {
  /** Never empty. */
  readonly changes: readonly [Change, ...Change[]];
  /** All of them as one change. */
  readonly said: Change;
  /** How many subjects it is about. */
  readonly count: number;
  /** The heading of its rank. */
  readonly title: string;
}

/** A change with target, identities and reason in pieces; those at odd places are named after the service account. */
interface Split {
  readonly change: Change;
  readonly pieces: readonly Pieces[];
}

/** The groups, the most dangerous first; each change alone if nothing is to be left out. */
export function groupsOf(changes: readonly Change[], isEach: boolean): readonly ChangeGroup[] {
  const all = ranked(changes).map((change): Split => ({ change, pieces: piecesOf(change) }));
  if (isEach) return all.flatMap((each) => groupOf([each]));
  const strict = [...grouped(all, keyOf).values()];
  const near = [...grouped(strict, ([first]) => (first ? nearKeyOf(first) : "")).values()];
  return near.flatMap((groups) =>
    groups.length > NEAR_MAX ? groupOf(groups.flat().map(asWhole)) : groups.flatMap(groupOf),
  );
}

function groupOf(group: readonly Split[]): readonly ChangeGroup[] {
  const [first, ...others] = group.map(({ change }) => change);
  if (!first) return [];
  const title = DANGERS.find(({ danger }) => danger === dangerOf(first))?.title ?? "";
  const changes = [first, ...others] as const;
  const summary =
    others.length === 0
      ? first
      : merged(
          changes,
          group.map(({ pieces }) => pieces),
        );
  return [{ changes, said: summary, count: subjectsOf(changes).size, title }];
}

function piecesOf(change: Change): readonly Pieces[] {
  const { target, before, after, reason } = change;
  const isOwn = ownName(change);
  return [target, before?.as ?? "", after?.as ?? "", reason].map((text) => piecesIn(text, isOwn));
}

function asWhole({ change, pieces }: Split): Split {
  return { change, pieces: pieces.map((each): Pieces => ["", each.join(""), ""]) };
}

function keyOf({ change, pieces }: Split): string {
  const { issuer } = change;
  // An issuer that was not trusted before is never one of several.
  const ofIssuer = dangerOf(change) === "issuer" && issuer;
  return JSON.stringify([kindOf(change), ofIssuer, hostOf(change), pieces.map(sharedOf)]);
}

function kindOf(change: Change): readonly unknown[] {
  const { kind, about, job, before, after } = change;
  const states = [before, after].map((state) => state && [state.verdict, state.as !== null]);
  return [dangerOf(change), kind, about, job, states];
}

function hostOf({ about, target }: Change): string {
  return about === "images" ? target.slice(0, target.indexOf("/")) : "";
}

/** More groups than this that differ in their targets alone are one, unless they are dangerous. */
const NEAR_MAX = 4;
const NEAR: readonly Danger[] = ["undecided", "wider", "less"];

function nearKeyOf(split: Split): string {
  const { change, pieces } = split;
  if (!NEAR.includes(dangerOf(change))) return keyOf(split);
  return JSON.stringify([kindOf(change), hostOf(change), sharedOf(pieces[3] ?? [])]);
}

function ownName({ subject }: Change): (word: string) => boolean {
  const { namespace, name } = namespacedName(subject.split(" ")[0] ?? "");
  const names = [name, namespace].filter((text) => text.length > 1).map(wholeName);
  return (word) => name !== "" && names.some((each) => each.test(word));
}

function subjectsOf(changes: readonly Change[]): ReadonlySet<string> {
  return new Set(changes.map(({ stack, subject }) => `${stack} ${subject}`));
}

function merged(changes: readonly [Change, ...Change[]], pieces: readonly (readonly Pieces[])[]): Change {
  const [first] = changes;
  const [target, was, is, reason] = [0, 1, 2, 3].map((at) => together(pieces.map((each) => each[at] ?? [])));
  const state = (of: ComparedState | null, as = ""): ComparedState | null =>
    of && { ...of, as: of.as === null ? null : as };
  const issuers = changes.flatMap(({ issuer }) => issuer ?? []);
  return {
    ...first,
    stack: listed(changes.map(({ stack }) => stack)),
    subject: whoOf(changes),
    target: target ?? "",
    ...(issuers.length > 0 && { issuer: listed(issuers) }),
    before: state(first.before, was),
    after: state(first.after, is),
    reason: reason ?? "",
  };
}

const ACCOUNT = /^[a-z0-9.-]+\/[a-z0-9.-]+$/;

function whoOf(changes: readonly [Change, ...Change[]]): string {
  const subjects = changes.map(({ subject }) => subject);
  const count = subjectsOf(changes).size;
  const names = listed(subjects);
  if (count === 1 || names === "") return names;
  const others = changes[0].about === "trust" ? "subjects" : "principals";
  const noun = subjects.every((each) => ACCOUNT.test(each)) ? "service accounts" : others;
  return `${count} ${noun} (${names})`;
}
