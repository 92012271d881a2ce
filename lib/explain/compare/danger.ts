/*
 * How dangerous a change is: one row for each rank, of which the first that applies counts.
 */

import { compareVerdicts } from "../result";
import type { Change, Danger } from "./change";

interface DangerRow {
  readonly danger: Danger;
  /** A heading. */
  readonly title: string;
  /** How code scanning ranks it, 0.1 to 10. */
  readonly score: string;
  readonly applies: (change: Change) => boolean;
}

/** Names of everyone in grants. */
export const EVERYONE: readonly string[] = ["*", "allAuthenticatedUsers", "allUsers", "everyone"];

const hasDanger =
  (danger: Danger) =>
  (change: Change): boolean =>
    change.danger === danger && !isLess(change);

/** From the most to the least dangerous. */
export const DANGERS: readonly DangerRow[] = [
  { danger: "admin", title: "Admin rights", score: "9.5", applies: hasDanger("admin") },
  { danger: "issuer", title: "Trust of new issuers", score: "9.0", applies: hasDanger("issuer") },
  {
    danger: "subjects",
    title: "Trust of more subjects",
    score: "8.0",
    applies: (change) => change.about === "trust" && change.kind !== "incomparable" && !isLess(change),
  },
  {
    danger: "others",
    title: "What others may do",
    score: "7.5",
    applies: (change) =>
      hasDanger("others")(change) ||
      (change.about === "right" && EVERYONE.includes(change.subject) && !isLess(change)),
  },
  { danger: "undeclared", title: "More than is declared", score: "6.5", applies: hasDanger("undeclared") },
  {
    danger: "undecided",
    title: "Cannot be compared",
    score: "6.0",
    applies: ({ kind }) => kind === "incomparable",
  },
  { danger: "wider", title: "More access", score: "4.5", applies: (change) => !isLess(change) },
  { danger: "less", title: "Less access", score: "1.0", applies: () => true },
];

export function dangerOf(change: Change): Danger {
  return DANGERS.find(({ applies }) => applies(change))?.danger ?? "undecided";
}

/** Another identity may do anything more, and so may what cannot be compared. */
function isLess({ kind, before, after }: Change): boolean {
  if (kind === "verdict") return compareVerdicts(after?.verdict ?? "denied", before?.verdict ?? "denied") < 0;
  return kind === "removed" || kind === "narrowed";
}

/** The changes with their ranks, the most dangerous first and otherwise in their order. */
export function ranked(changes: readonly Change[]): readonly Change[] {
  const order = DANGERS.map(({ danger }) => danger);
  return changes
    .map((change) => ({ ...change, danger: dangerOf(change) }))
    .sort((one, other) => order.indexOf(one.danger) - order.indexOf(other.danger));
}
