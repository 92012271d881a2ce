/*
 * Differences of rights as changes, and all grants besides those of service accounts.
 */

import { grouped } from "../../model/grouped";
import type { Granted, HeldRight } from "../cloud";
import { step } from "../progress";
import { type Change, UNSAID, placed } from "./change";
import { type Exceeds, type RightChange, rightChanges } from "./right-sets";
import { type Whole, isActedAs } from "./sides";

export function rightRows(
  changes: readonly RightChange[],
  whose: Pick<Change, "job" | "stack" | "subject">,
  exceeds: Exceeds = () => undefined,
): readonly Change[] {
  return changes.map(({ kind, right, isNew }) => ({
    ...UNSAID,
    kind,
    about: "right",
    ...whose,
    target: right.takes === "denial" ? right.text.replace(/\bDeny /, "") : right.text,
    ...worth({ kind, right, isNew }, isNew ? exceeds(right) : undefined),
    removed: isNew ? [] : sourceOf(right),
    added: isNew ? sourceOf(right) : [],
  }));
}

/** Why it cannot be compared, what it amounts to and what it exceeds. */
function worth(
  { kind, right, isNew }: RightChange,
  exceeded: string | undefined,
): Pick<Change, "reason" | "danger"> {
  const why = right.limits
    ? "it limits what else is granted, or may limit it"
    : "it has too many wildcards to compare";
  const open = kind === "incomparable" ? `${isNew ? "new" : "gone"}: ${why}` : undefined;
  // A new right is more, and a new denial is less.
  const power = isNew !== (right.takes === "denial") ? right.power : undefined;
  const danger = power?.danger ?? (exceeded === undefined ? undefined : "undeclared");
  const denial = right.takes === "denial" ? `it is ${isNew ? "denied now" : "no longer denied"}` : undefined;
  const reasons = [open, denial, power?.says, exceeded && `this is ${exceeded}`];
  return { reason: reasons.filter(Boolean).join("; "), ...(danger && { danger }) };
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
