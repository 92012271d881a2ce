/*
 * The other way round: everything that a service account can read.
 */

import { Subject } from "../model/subject";
import type { Chains } from "./chains";
import type { Clouds } from "./clouds/clouds";
import type { ClusterArtefacts } from "./facts/facts";
import { pullerOf } from "./questions";

/** What a service account can read in one place. */
export interface ServiceAccountReach {
  /** The stack; empty for manifests outside of stacks. */
  readonly stack: string;
  /** As which identity. */
  readonly as: string;
  /** `<host>/<repository>` with `*` for any text, or words where it is no pattern. */
  readonly pattern: string;
  /** True where a declared pull of the service account covers it; false is more than was declared. */
  readonly declared: boolean;
}

/** What the identities of a service account may read, in the order of the nodes' entries. */
export function reachOf(
  artefacts: ClusterArtefacts,
  serviceAccount: string,
  chains: Chains,
  clouds: Clouds,
): readonly ServiceAccountReach[] {
  const { key } = Subject.of(serviceAccount);
  const declared = (artefacts.cluster.pulls ?? [])
    .filter((pull) => pull.serviceAccount === key)
    .flatMap(({ images }) => images);
  const puller = pullerOf(artefacts, key, "asked");
  const question = { puller, image: "", target: "", neverPulled: false };
  const reached = artefacts.nodes.flatMap((node) =>
    node.entries.flatMap((entry) => {
      const cloud = clouds.ofEntry(entry);
      const identity = chains.identity(question, node, entry);
      if (!cloud || !identity) return [];
      return cloud.reach(identity).map(({ pattern, comparable }): ServiceAccountReach => ({
        stack: artefacts.stack,
        as: identity.label,
        pattern,
        declared: comparable && declared.some((each) => isWithin(pattern, each)),
      }));
    }),
  );
  return [...new Map(reached.map((row) => [`${row.as} ${row.pattern}`, row])).values()];
}

/** Equal, or below a declared pattern that ends with a star. */
function isWithin(pattern: string, declared: string): boolean {
  return pattern === declared || (declared.endsWith("*") && pattern.startsWith(declared.slice(0, -1)));
}
