import { Annotations } from "cdktf";
import type { Construct, IConstruct } from "constructs";

/** The first cluster of each issuer, by app. */
const perApp = new WeakMap<IConstruct, Map<string, string>>();

/**
 * Warns where another cluster of the app has the same issuer: possible, but the `sub` of a token names no cluster, so
 * that each cloud takes a service account of the one for that of the other.
 */
export function warnOfSharedIssuer(construct: Construct, cluster: string, issuer: string): void {
  const { root } = construct.node;
  const clusters = perApp.get(root) ?? new Map<string, string>();
  perApp.set(root, clusters);
  const first = clusters.get(issuer);
  if (first === undefined) clusters.set(issuer, cluster);
  else if (first !== cluster)
    Annotations.of(construct).addWarning(
      `clusters ${first} and ${cluster} have one issuer, and a token's subject names no cluster: a service account of ` +
        "the one may act as that of the other; give each cluster an issuer of its own, or the service accounts other names",
    );
}
