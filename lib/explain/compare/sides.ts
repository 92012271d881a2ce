/*
 * The two sides of a comparison, cluster by cluster.
 */

import type { Inside } from "../explainer";
import type { ClusterArtefacts } from "../read/facts";

/** One side: what was read, and one of its clusters; `undefined` where it has no such. */
export interface Side {
  readonly inside: Inside;
  readonly artefacts: ClusterArtefacts | undefined;
}

/** A cluster of both sides. */
export interface Pair {
  readonly stack: string;
  readonly before: Side;
  readonly after: Side;
}

/** The clusters by the names of their stacks; where each side has one, these two whatever their names are. */
export function pairs(before: Inside, after: Inside): readonly Pair[] {
  const [olds, news] = [before.facts.clusters, after.facts.clusters];
  const [old, made] = [olds[0], news[0]];
  if (olds.length === 1 && news.length === 1 && old && made) return [pair(made.stack, old, made)];
  const names = new Set([...olds, ...news].map(({ stack }) => stack));
  const named = (all: typeof olds, name: string): ClusterArtefacts | undefined =>
    all.find(({ stack }) => stack === name);
  return [...names].sort().map((name) => pair(name, named(olds, name), named(news, name)));

  function pair(stack: string, one?: ClusterArtefacts, other?: ClusterArtefacts): Pair {
    return {
      stack,
      before: { inside: before, artefacts: one },
      after: { inside: after, artefacts: other },
    };
  }
}
