/*
 * Two lists of rights, compared as sets: a right that others of the other side cover is no change.
 */

import { grouped } from "../../model/grouped";
import { AskedNames } from "../../rules/asked-names";
import { ANY_TEXT } from "../../rules/name-grammar";
import { type Pattern, patternOf } from "../../rules/wildcard";
import type { HeldRight } from "../cloud";
import type { Inside } from "../explainer";
import { type Change, placed } from "./change";

/** One difference of rights. */
export interface RightChange {
  readonly kind: "added" | "removed" | "widened" | "narrowed" | "incomparable";
  readonly right: HeldRight;
  /** True for a right of the new side. */
  readonly isNew: boolean;
}

/** The rights that one side has and the other does not cover. */
export function rightChanges(
  before: readonly HeldRight[],
  after: readonly HeldRight[],
): readonly RightChange[] {
  return [...oneWay(before, after, true), ...oneWay(after, before, false)];
}

/** What `held` has and `others` do not cover; one that is wider than another of theirs is not merely one more. */
function oneWay(
  others: readonly HeldRight[],
  held: readonly HeldRight[],
  isNew: boolean,
): readonly RightChange[] {
  const [single, wider] = isNew ? (["added", "widened"] as const) : (["removed", "narrowed"] as const);
  return uncovered(held, others).map(({ right, isSure }) => {
    const hasPart = others.some((each) => isWithin(each, [right]) === "yes");
    return { kind: isSure ? (hasPart ? wider : single) : "incomparable", right, isNew };
  });
}

/** The differences of rights as changes. */
export function rightRows(
  changes: readonly RightChange[],
  whose: Pick<Change, "job" | "stack" | "subject">,
): readonly Change[] {
  return changes.map(({ kind, right, isNew }) => ({
    ...{ kind, about: "right", ...whose, target: right.text, before: null, after: null },
    reason: kind === "incomparable" ? `${isNew ? "new" : "gone"}, and ${LIMITS}` : "",
    removed: isNew ? [] : sourceOf(right),
    added: isNew ? sourceOf(right) : [],
  }));
}

const LIMITS = "it limits what else is granted, or may, or has too many wildcards to compare";

/** The differences of what resources grant to the principals that they name. */
export function openChanges(before: Inside, after: Inside): readonly Change[] {
  const [olds, news] = [before, after].map(openOf);
  return [...new Set([...(olds?.keys() ?? []), ...(news?.keys() ?? [])])].flatMap((to) => {
    const changes = rightChanges(olds?.get(to) ?? [], news?.get(to) ?? []);
    return rightRows(changes, { job: "trust", stack: "", subject: to });
  });
}

function openOf({ clouds }: Inside): ReadonlyMap<string, readonly HeldRight[]> {
  const all = clouds.flatMap(({ openRights = [] }) => openRights);
  return new Map([...grouped(all, ({ to }) => to)].map(([to, each]) => [to, each.map(({ right }) => right)]));
}

/** Where a right was granted. */
export function sourceOf({ text, source }: HeldRight): Change["added"] {
  return placed(source ? [{ text, source }] : []);
}

type Within = "yes" | "no" | "unknown";

function uncovered(
  rights: readonly HeldRight[],
  others: readonly HeldRight[],
): readonly { readonly right: HeldRight; readonly isSure: boolean }[] {
  const texts = new Set(others.map(({ text }) => text));
  const rest = new Map(rights.filter(({ text }) => !texts.has(text)).map((right) => [right.text, right]));
  return [...rest.values()].flatMap((right) => {
    const within = right.limits ? "unknown" : isWithin(right, others);
    return within === "yes" ? [] : [{ right, isSure: within === "no" }];
  });
}

/** Whether others cover all of a right: each way of doing something to something, under no condition or the same. */
function isWithin({ covers }: HeldRight, others: readonly HeldRight[]): Within {
  if (covers === undefined) return "no";
  const near = others.flatMap(({ covers: other }) =>
    other && (other.under === "" || other.under === covers.under)
      ? [{ action: patternOf(other.action), on: patternOf(other.on) }]
      : [],
  );
  if (near.length === 0) return "no";
  return everyText(
    patternOf(covers.action),
    near,
    ({ action }) => action,
    (doing) =>
      everyText(
        patternOf(covers.on),
        doing,
        ({ on }) => on,
        (left) => (left.length > 0 ? "yes" : "no"),
      ),
  );
}

/** Whether something holds of each text of a pattern, of those whose own pattern the text matches. */
function everyText<T>(
  pattern: Pattern,
  all: readonly T[],
  patternIn: (each: T) => Pattern,
  holds: (matching: readonly T[]) => Within,
): Within {
  const said = AskedNames.ofGrammar(pattern, ANY_TEXT).each((text) =>
    holds(all.filter((each) => text.matches(patternIn(each)) === "yes")),
  );
  if (said === undefined || said.length === 0) return "unknown";
  if (said.some((each) => each.said === "no")) return "no";
  return said.some((each) => each.said === "unknown") ? "unknown" : "yes";
}
