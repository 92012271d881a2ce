/*
 * Two lists of rights, compared as sets: a right that rights of the other side cover is not a change.
 */

import { grouped } from "../../model/grouped";
import { AskedNames } from "../../rules/asked-names";
import { ANY_TEXT } from "../../rules/name-grammar";
import { beginDifferently, patternWithin, patternsMeet } from "../../rules/pattern-comparison";
import { type Pattern, patternOf, hasWildcard } from "../../rules/wildcard";
import type { Granted, HeldRight } from "../cloud";
import { type Change, UNSAID, placed } from "./change";
import { AS_WRITTEN, type Canonical } from "./moves";
import { type Whole, isActedAs } from "./sides";
import { step } from "../progress";

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
  canonical: Canonical = AS_WRITTEN,
): readonly RightChange[] {
  const canonicalAfter =
    canonical === AS_WRITTEN ? after : after.map((right) => canonicalRight(right, canonical));
  return [...oneWay(before, canonicalAfter, true), ...oneWay(canonicalAfter, before, false)];
}

function canonicalRight({ text, covers, ...right }: HeldRight, canonical: Canonical): HeldRight {
  const same = covers && { ...covers, on: canonical(covers.on), under: canonical(covers.under) };
  return { ...right, text: canonical(text), ...(same && { covers: same }) };
}

/** The rights of `held` that `others` do not cover; one that is wider than one of `others` widens it. */
function oneWay(
  others: readonly HeldRight[],
  held: readonly HeldRight[],
  isNew: boolean,
): readonly RightChange[] {
  const [single, wider] = isNew ? (["added", "widened"] as const) : (["removed", "narrowed"] as const);
  const all = new Comparable(others);
  return uncovered(held, others, all).map(({ right, isSure }) => {
    const hasPart = isSure && all.meeting(right).some((each) => isWithin(each, [right]) === "yes");
    return { kind: isSure ? (hasPart ? wider : single) : "incomparable", right, isNew };
  });
}

export function rightRows(
  changes: readonly RightChange[],
  whose: Pick<Change, "job" | "stack" | "subject">,
): readonly Change[] {
  return changes.map(({ kind, right, isNew }) => ({
    ...UNSAID,
    kind,
    about: "right",
    ...whose,
    target: right.text,
    reason: reasonOf({ kind, right, isNew }),
    ...(isNew && right.power && { danger: right.power.danger }),
    removed: isNew ? [] : sourceOf(right),
    added: isNew ? sourceOf(right) : [],
  }));
}

/** What cannot be compared and why, and what a new right amounts to. */
function reasonOf({ kind, right: { limits, power }, isNew }: RightChange): string {
  const why = limits
    ? "it limits what else is granted, or may limit it"
    : "it has too many wildcards to compare";
  const open = kind === "incomparable" ? [`${isNew ? "new" : "gone"}: ${why}`] : [];
  return [...open, ...(isNew && power ? [power.says] : [])].join("; ");
}

/**
 * The differences of all other grants: to identities that no service account of these files acts as, to principals that
 * resources name, and to everyone.
 */
export function grantedChanges(before: Whole, after: Whole): readonly Change[] {
  const [olds, news] = [grantedTo(before), grantedTo(after)];
  return [...new Set([...olds.keys(), ...news.keys()])].flatMap((to) => {
    step("grants compared");
    const [old = [], made = []] = [olds.get(to), news.get(to)];
    const changes = [true, false].flatMap((isHeld) => {
      const [was, is] = [old, made].map((all) => all.filter((each) => each.isHeld === isHeld));
      // If a service account acts as the identity on a side, its rights were compared for that service account.
      const [wasTold, isTold] = [areActedAs(before, was), areActedAs(after, is)];
      if (wasTold && isTold) return [];
      const changes = rightChanges(rightsOf(was), rightsOf(is), after.canonical);
      return changes.filter(({ isNew }) => !(isNew ? isTold : wasTold));
    });
    return rightRows(changes, { job: "trust", stack: "", subject: to });
  });
}

/** Two stacks may have the same addresses; comparing twice is better than missing one. */
function areActedAs(whole: Whole, granted: readonly Granted[] = []): boolean {
  return granted.length > 0 && granted.every((each) => isActedAs(whole, each));
}

function rightsOf(granted: readonly Granted[] = []): readonly HeldRight[] {
  return granted.flatMap((each) => each.rights());
}

function grantedTo({ inside, canonical }: Whole): ReadonlyMap<string, readonly Granted[]> {
  return grouped(
    inside.clouds.flatMap(({ granted }) => granted),
    ({ to }) => canonical(to),
  );
}

/** Where a right was granted. */
export function sourceOf({ text, source }: HeldRight): Change["added"] {
  return placed(source ? [{ text, source }] : []);
}

type Within = "yes" | "no" | "unknown";

function uncovered(
  rights: readonly HeldRight[],
  others: readonly HeldRight[],
  comparable: Comparable,
): readonly { readonly right: HeldRight; readonly isSure: boolean }[] {
  const texts = new Set(others.map(({ text }) => text));
  const rest = new Map(rights.filter(({ text }) => !texts.has(text)).map((right) => [right.text, right]));
  return [...rest.values()].flatMap((right) => {
    const within = right.limits ? "unknown" : isWithin(right, comparable.meeting(right));
    return within === "yes" ? [] : [{ right, isSure: within === "no" && !comparable.isOver }];
  });
}

/** How many pairs of characters are compared in one direction; more take minutes. */
const STEPS_MAX = 20_000_000;
/** How many rights may cover parts of one; more take minutes. */
const PARTS_MAX = 100;

/** Rights by their action, so that each is compared only with those that may cover a part of it. */
class Comparable {
  readonly #all: readonly HeldRight[];
  readonly #plain: ReadonlyMap<string, readonly HeldRight[]>;
  readonly #wild: readonly HeldRight[];
  #steps = 0;

  constructor(rights: readonly HeldRight[]) {
    this.#all = rights.filter(({ covers }) => covers);
    this.#plain = grouped(this.#all, ({ covers }) => covers?.action ?? "");
    this.#wild = this.#all.filter(({ covers }) => hasWildcard(covers?.action ?? ""));
  }

  /** True once there were too many steps: what was found last may not be all. */
  get isOver(): boolean {
    return this.#steps > STEPS_MAX;
  }

  /** The rights that have an action on a resource in common with a right. */
  meeting({ covers }: HeldRight): readonly HeldRight[] {
    if (covers === undefined) return [];
    const { action, on } = covers;
    const near = hasWildcard(action) ? this.#all : [...(this.#plain.get(action) ?? []), ...this.#wild];
    this.#steps += near.length;
    return near.filter(({ covers: other }) => {
      if (this.isOver || !other) return false;
      if (beginDifferently(other.action, action) || beginDifferently(other.on, on)) return false;
      this.#steps += other.action.length * action.length + other.on.length * on.length;
      return patternsMeet(other.action, action) && patternsMeet(other.on, on);
    });
  }
}

/** Whether others cover all of a right: each action on each resource, without a condition or on the same one. */
function isWithin({ covers }: HeldRight, others: readonly HeldRight[]): Within {
  if (covers === undefined) return "no";
  const { under } = covers;
  const near = others.flatMap(({ covers: other }) =>
    other && (other.under === "" || other.under === under) ? [other] : [],
  );
  if (near.length === 0) return "no";
  if (near.some((each) => patternWithin(covers.action, each.action) && patternWithin(covers.on, each.on)))
    return "yes";
  if (near.length > PARTS_MAX) return "unknown";
  return everyText(
    covers.action,
    near.map(({ action, on }) => ({ action: patternOf(action), on: patternOf(on) })),
    ({ action }) => action,
    (doing) =>
      everyText(
        covers.on,
        doing,
        ({ on }) => on,
        (left) => (left.length > 0 ? "yes" : "no"),
      ),
  );
}

/** Whether something holds for each text that a pattern covers, among rights whose own pattern matches the text. */
function everyText<T>(
  covered: string,
  all: readonly T[],
  patternIn: (each: T) => Pattern,
  holds: (matching: readonly T[]) => Within,
): Within {
  const texts = hasWildcard(covered)
    ? AskedNames.ofGrammar(patternOf(covered), ANY_TEXT)
    : AskedNames.one(covered);
  const answers = texts.each((text) => holds(all.filter((each) => text.matches(patternIn(each)) === "yes")));
  if (answers === undefined || answers.length === 0) return "unknown";
  if (answers.some((each) => each.said === "no")) return "no";
  return answers.some((each) => each.said === "unknown") ? "unknown" : "yes";
}
