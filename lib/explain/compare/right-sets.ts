/*
 * Two lists of rights, compared as sets: a right that rights of the other side cover is not a change.
 */

import { grouped } from "../../model/grouped";
import { AskedNames, type Effort } from "../../rules/asked-names";
import { ANY_TEXT } from "../../rules/name-grammar";
import { beginDifferently, patternWithin, patternsMeet } from "../../rules/pattern-comparison";
import type { Power } from "../../rules/powers";
import { type Pattern, patternOf, hasWildcard } from "../../rules/wildcard";
import type { HeldRight } from "../cloud";
import { AS_WRITTEN, type Canonical } from "./moves";

export interface RightChange {
  readonly kind: "added" | "removed" | "widened" | "narrowed" | "incomparable";
  readonly right: HeldRight;
  /** True for a right of the new side. */
  readonly isNew: boolean;
}

/** Says what a new right exceeds; `undefined` if it is not known to exceed anything. */
export type Exceeds = (right: HeldRight) => string | undefined;

/** The rights that one side has and the other does not cover. */
export function rightChanges(
  before: readonly HeldRight[],
  after: readonly HeldRight[],
  canonical: Canonical = AS_WRITTEN,
): readonly RightChange[] {
  const canonicalAfter =
    canonical === AS_WRITTEN ? after : after.map((right) => canonicalRight(right, canonical));
  const taken = new Set([...before, ...canonicalAfter].map(({ takes }) => takes));
  return [...taken].flatMap((takes) => {
    const [was, is] = [before, canonicalAfter].map((all) => all.filter((each) => each.takes === takes));
    if (takes === undefined) return bothWays(was ?? [], is ?? []);
    return takenChanges(takes, was ?? [], is ?? [], before, after);
  });
}

function bothWays(before: readonly HeldRight[], after: readonly HeldRight[]): readonly RightChange[] {
  return [...oneWay(before, after, true), ...oneWay(after, before, false)];
}

const TURNED = {
  added: "narrowed",
  widened: "narrowed",
  removed: "widened",
  narrowed: "widened",
  incomparable: "incomparable",
} as const;

/** What is no longer denied, or within a boundary, is more, as far as the other rights allow it. */
function takenChanges(
  takes: "denial" | "boundary" | "session policy",
  was: readonly HeldRight[],
  is: readonly HeldRight[],
  before: readonly HeldRight[],
  after: readonly HeldRight[],
): readonly RightChange[] {
  // An identity that comes or goes has its limits with it.
  if (doesGive(before) !== doesGive(after)) return [];
  const isDenial = takes === "denial";
  const none: readonly HeldRight[] = isDenial
    ? []
    : [{ ...EVERYTHING, takes, text: `everything that no ${takes} limits` }];
  const isOneSided = was.length === 0 || is.length === 0;
  const changes = bothWays(was.length === 0 ? none : was, is.length === 0 ? none : is);
  return changes
    .filter(({ right }) => !(isOneSided && !isDenial && right.limits))
    .map(({ kind, right, isNew }) => ({
      kind: isDenial ? TURNED[kind] : kind,
      right: { ...right, power: leftOf(right, after) },
      isNew,
    }));
}

function doesGive(all: readonly HeldRight[]): boolean {
  return all.some(({ takes, limits }) => takes === undefined && !limits);
}

const EVERYTHING: HeldRight = {
  text: "",
  covers: { action: "*", on: "*", under: "" },
  power: { danger: "admin", says: "it may do whatever its policies allow" },
  source: undefined,
};
const POWERS: readonly (Power["danger"] | undefined)[] = [undefined, "others", "issuer", "admin"];

/** What it takes is worth no more than the most that the rights allow that it is taken from, if these are known. */
function leftOf({ power, covers }: HeldRight, all: readonly HeldRight[]): Power | undefined {
  const giving = all.filter(({ takes }) => takes === undefined);
  const met = giving.filter(
    (each) =>
      !covers ||
      !each.covers ||
      (patternsMeet(covers.action, each.covers.action) && patternsMeet(covers.on, each.covers.on)),
  );
  const worth = (each: Power | undefined): number => POWERS.indexOf(each?.danger);
  const most = met.map((each) => each.power).sort((one, other) => worth(other) - worth(one))[0];
  return giving.length === 0 || worth(most) > worth(power) ? power : most;
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
    const hasPart = isSure && all.hasPartOf(right);
    return { kind: isSure ? (hasPart ? wider : single) : "incomparable", right, isNew };
  });
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
    const within = right.limits ? "unknown" : comparable.covers(right);
    return within === "yes" ? [] : [{ right, isSure: within === "no" && !comparable.isOver }];
  });
}

/** How many pairs of characters are compared in one direction; more take minutes. */
const STEPS_MAX = 20_000_000;
/** How many rights may cover parts of one; more take minutes. */
const PARTS_MAX = 100;
/** How much is tried in one direction, to see whether several rights together cover others: some seconds. */
const EFFORT_MAX = 250_000;

/** Rights by their action, so that each is compared only with those that may cover a part of it. */
class Comparable {
  readonly #all: readonly HeldRight[];
  readonly #plain: ReadonlyMap<string, readonly HeldRight[]>;
  readonly #wild: readonly HeldRight[];
  readonly #effort: Effort = { left: EFFORT_MAX };
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

  /** Whether the rights cover all of a right. */
  covers(right: HeldRight): Within {
    return isWithin(right, this.meeting(right), this.#effort);
  }

  /** True if some of the rights are only a part of a right. */
  hasPartOf(right: HeldRight): boolean {
    return this.meeting(right).some((each) => isWithin(each, [right], this.#effort) === "yes");
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
function isWithin({ covers }: HeldRight, others: readonly HeldRight[], effort: Effort): Within {
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
        effort,
      ),
    effort,
  );
}

/** Whether something holds for each text that a pattern covers, among rights whose own pattern matches the text. */
function everyText<T>(
  covered: string,
  all: readonly T[],
  patternIn: (each: T) => Pattern,
  holds: (matching: readonly T[]) => Within,
  effort: Effort,
): Within {
  const texts = hasWildcard(covered)
    ? AskedNames.ofGrammar(patternOf(covered), ANY_TEXT)
    : AskedNames.one(covered);
  const answers = texts.each(
    (text) => holds(all.filter((each) => text.matches(patternIn(each)) === "yes")),
    effort,
  );
  if (answers === undefined || answers.length === 0) return "unknown";
  if (answers.some((each) => each.said === "no")) return "no";
  return answers.some((each) => each.said === "unknown") ? "unknown" : "yes";
}
