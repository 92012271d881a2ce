/*
 * Rights beyond what is declared: what the pulls of a service account name, and what `may` of a workload states.
 */

import { grouped } from "../../model/grouped";
import { orElse } from "../../model/known";
import { once } from "../../model/once";
import { AskedNames } from "../../rules/asked-names";
import { patternWithin } from "../../rules/pattern-comparison";
import type { HeldRight } from "../cloud";
import type { ClusterArtefacts } from "../read/clusters";
import type { Change } from "./change";
import type { Canonical } from "./moves";
import { type Exceeds, rightChanges } from "./right-sets";

/** The images that a service account is declared to pull; `undefined` if it is not declared. */
export function declaredImages(
  artefacts: Pick<ClusterArtefacts, "cluster"> | undefined,
  key: string,
): readonly string[] | undefined {
  return (
    artefacts &&
    declaredPulls(artefacts.cluster)
      .get(key)
      ?.flatMap(({ images }) => images.flatMap((image) => orElse(image, () => undefined) ?? []))
  );
}

const declaredPulls = once(({ pulls = [] }: ClusterArtefacts["cluster"]) =>
  grouped(pulls, ({ serviceAccount }) => serviceAccount),
);

/** Whether a right reads other images than these, or does anything else. */
export function exceedsImages(declared: readonly string[] | undefined): Exceeds {
  const isDeclared = (pattern: string): boolean =>
    declared === undefined || declared.some((each) => patternWithin(pattern, each));
  return ({ reads, limits, takes }) =>
    declared !== undefined && !limits && !takes && !(reads?.every(isDeclared) ?? false)
      ? "more than its declared pulls need"
      : undefined;
}

/** Marks what may newly be read and is not among these images. */
export function* beyondImages(
  changes: Iterable<Change>,
  declared: readonly string[] | undefined,
): Generator<Change> {
  for (const change of changes) {
    const { target, example = target, after } = change;
    const isDeclared = !declared || declared.some((each) => AskedNames.covers(each, example));
    const isBeyond = after?.verdict === "allowed" && !isDeclared;
    yield isBeyond
      ? { ...change, danger: "undeclared", reason: "this is more than its declared pulls" }
      : change;
  }
}

/** The rights that are certainly not among those that are meant. */
export function beyondMeant(
  meant: readonly HeldRight[] | undefined,
  held: readonly HeldRight[],
): readonly HeldRight[] {
  if (meant === undefined) return [];
  // A text that only apply completes may be another's.
  const texts = new Set(held.map(({ text }) => text));
  const isOpen = meant.some(({ covers, text }) => !covers && !texts.has(text));
  return rightChanges(meant, held)
    .filter(({ kind, isNew, right }) => isNew && kind !== "incomparable" && !right.takes)
    .map(({ right }) => right)
    .filter(({ covers, power }) => covers || power || !isOpen);
}

export function exceedsMeant(
  meant: readonly HeldRight[] | undefined,
  held: readonly HeldRight[],
  canonical: Canonical,
): Exceeds {
  const beyond = new Set(beyondMeant(meant, held).map(({ text }) => canonical(text)));
  return ({ text }) => (beyond.has(text) ? "more than `may` declares" : undefined);
}
