/*
 * Compares what two synths, plans or folders of manifests allow service accounts to do.
 */

import { checkGiven, list, object, optional, text } from "../../model/shape";
import { Explainer, insideOf, readBefore } from "../explainer";
import { EXPLAIN_OPTIONS, type ExplainOptions } from "../selections";
import type { Change, Comparison } from "./change";
import { dangerOf } from "./danger";
import { sourceText } from "../read/source";
import { keyChanges } from "./keys";
import { AS_WRITTEN, canonicalTexts } from "./moves";
import { notCompared } from "./not-compared";
import { pullChanges } from "./pulls";
import { resultChanges } from "./results";
import { grantedChanges } from "./rights";
import { type Whole, pairs } from "./sides";
import { tokenChanges } from "./tokens";
import { touched } from "./touched";
import { trustChanges } from "./trust";

/** Facts of the two sides that no artefact shows. */
export interface CompareOptions {
  /**
   * Facts of the old side.
   *
   * @defaultValue - only what is recorded there
   */
  readonly old?: ExplainOptions;
  /**
   * Facts of the new side.
   *
   * @defaultValue - only what is recorded there
   */
  readonly new?: ExplainOptions;
}

/**
 * Compares what two sides allow service accounts to do: which images they pull and as whom, what components, workloads
 * and fleet controllers reach, and whom identities trust.
 *
 * Each side is what {@link Explainer.read} reads: synth folders, plans, folders of manifests. Sets are compared, not
 * spellings, and what cannot be compared is a change of the kind `incomparable`. A value that is known only after apply
 * counts as unchanged if both sides write it with the same expression.
 */
export function compare(
  oldPaths: readonly string[],
  newPaths: readonly string[],
  options: CompareOptions = {},
): Comparison {
  checkGiven("compare()", list(text), oldPaths, "oldPaths");
  checkGiven("compare()", list(text), newPaths, "newPaths");
  checkGiven("compare()", OPTIONS, options, "options");
  return comparison(Explainer.read(oldPaths, options.old), Explainer.read(newPaths, options.new));
}

/**
 * Compares the state before a plan with what the plan makes of it, as {@link compare} compares two sides. `paths` are
 * those of what `terraform show -json` prints of a plan, and of the manifests that both sides share.
 */
export function comparePlan(paths: readonly string[], options: ExplainOptions = {}): Comparison {
  checkGiven("comparePlan()", list(text), paths, "paths");
  checkGiven("comparePlan()", EXPLAIN_OPTIONS, options, "options");
  return comparison(readBefore(paths, options), Explainer.read(paths, options));
}

const OPTIONS = object({ old: optional(EXPLAIN_OPTIONS), new: optional(EXPLAIN_OPTIONS) });

/** As {@link compare}, for sides that were already read. */
export function comparison(old: Explainer, made: Explainer): Comparison {
  const [was, is] = [insideOf(old), insideOf(made)];
  const compared = new Map<Change["job"], number>();
  const { identities, accounts } = touched(was.facts, is.facts);
  const ofBoth = { compared, isAccountTouched: accounts };
  const before: Whole = {
    ...ofBoth,
    inside: was,
    actedAs: new Set(),
    canonical: AS_WRITTEN,
    isTouched: identities[0],
  };
  const canonical = canonicalTexts(was.facts.terraform, is.facts.terraform);
  const after: Whole = { ...ofBoth, inside: is, actedAs: new Set(), canonical, isTouched: identities[1] };
  const changes = pairs(before, after).flatMap((pair): readonly Change[] => [
    ...pullChanges(pair),
    ...resultChanges(pair),
    ...tokenChanges(pair),
  ]);
  // Grants are compared last, without those that were compared for service accounts.
  const others = [
    ...keyChanges(before, after),
    ...trustChanges(before, after),
    ...grantedChanges(before, after),
  ];
  // A grant to a set of principals or to everyone is reported once, not for each service account in it.
  const shared = new Set(others.filter(({ about }) => about === "right").map(rightOf));
  const reported = changes.filter((change) => change.about !== "right" || !shared.has(rightOf(change)));
  const all = [...reported, ...others];
  const { changes: unread, counts } = notCompared(before, after, all);
  return {
    changes: [...all, ...unread].map((each) => ({ ...each, danger: dangerOf(each) })).sort(inOrder),
    compared: Object.fromEntries(compared),
    notCompared: Object.fromEntries([...counts].sort()),
  };
}

function rightOf({ kind, target, removed, added }: Change): string {
  const places = [...removed, ...added].map(({ source }) => source && sourceText(source));
  return JSON.stringify([kind, target, places]);
}

const JOBS: readonly Change["job"][] = ["image-pull", "component", "workload", "fleet-access", "trust"];

function inOrder(one: Change, other: Change): number {
  const [a, b] = [keyOf(one), keyOf(other)];
  return a < b ? -1 : Number(a > b);
}

function keyOf({ job, stack, subject, target, kind }: Change): string {
  return [JOBS.indexOf(job), stack, subject, target, kind].join("\u0000");
}
