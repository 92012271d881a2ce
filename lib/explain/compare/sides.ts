/*
 * The two sides of a comparison, cluster by cluster.
 */

import type { Granted, PullIdentity } from "../cloud";
import type { Inside } from "../explainer";
import type { ClusterArtefacts } from "../read/clusters";
import { type Source, sourceText } from "../read/source";
import { stackOf } from "../read/stack-label";
import type { Change } from "./change";
import type { Canonical } from "./moves";

/** Whether a difference may touch what is declared at a place, or has none. */
export type Touched = (source: Source | undefined) => boolean;

/** What was read of one side. */
export interface Whole {
  readonly inside: Inside;
  /**
   * The identities whose rights are compared for the service accounts that act as them, by name and place; filled
   * during that comparison.
   */
  readonly actedAs: Set<string>;
  /** What was compared, the same on both sides; filled during the comparison. */
  readonly compared: Map<Change["job"], number>;
  /** A text as the old side would write it, which has other Terraform addresses for what only moved. */
  readonly canonical: Canonical;
  readonly isTouched: Touched;
  /** Whether other differences may touch a service account of a stack. */
  readonly isAccountTouched: (stack: string, key: string) => boolean;
}

/** One side with one of its clusters; `undefined` if it does not have the cluster. */
export interface Side extends Whole {
  readonly artefacts: ClusterArtefacts | undefined;
}

/** Counts something that is compared. */
export function noteCompared({ compared }: Whole, job: Change["job"]): void {
  compared.set(job, (compared.get(job) ?? 0) + 1);
}

/** Remembers that an identity's rights are compared for a service account. */
export function noteActing(
  { actedAs }: Side,
  identity: Pick<PullIdentity, "label" | "source"> | undefined,
): void {
  if (identity?.label !== undefined) actedAs.add(identity.label);
  if (identity?.source) actedAs.add(sourceText(identity.source));
}

/** Whether the rights of an identity are compared for a service account of that side. */
export function isActedAs({ actedAs }: Whole, { to, isHeld, at }: Granted): boolean {
  return isHeld && (actedAs.has(to) || (at !== undefined && actedAs.has(sourceText(at))));
}

/** A cluster of both sides. */
export interface Pair {
  readonly stack: string;
  readonly before: Side;
  readonly after: Side;
}

/**
 * The clusters, paired by the names of their stacks; if each side has only one, these two, whatever their names. In a
 * stack that has manifests per cluster on one side only, the names of the clusters pair them.
 */
export function pairs(before: Whole, after: Whole): readonly Pair[] {
  const [olds, news] = [before.inside.facts.clusters, after.inside.facts.clusters];
  const [old, made] = [olds[0], news[0]];
  if (olds.length === 1 && news.length === 1 && old && made) return [pair(made.stack, old, made)];
  const isSame = (one: ClusterArtefacts, other: ClusterArtefacts): boolean =>
    stackOf(one.stack) === stackOf(other.stack) && one.cluster.name === other.cluster.name;
  const labelOf = (own: ClusterArtefacts): string =>
    news.find(({ stack }) => stack === own.stack)?.stack ??
    news.find((each) => isSame(each, own))?.stack ??
    own.stack;
  const names = new Set([...olds.map(labelOf), ...news.map(({ stack }) => stack)]);
  const named = (all: typeof olds, name: string): ClusterArtefacts | undefined =>
    all.find((each) => labelOf(each) === name);
  return [...names].sort().map((name) => pair(name, named(olds, name), named(news, name)));

  function pair(stack: string, one?: ClusterArtefacts, other?: ClusterArtefacts): Pair {
    return { stack, before: { ...before, artefacts: one }, after: { ...after, artefacts: other } };
  }
}
