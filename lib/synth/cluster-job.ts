/*
 * What the composed constructs have in common: each does one job for one cluster, and a stack's manifests are applied to
 * one cluster.
 */

import { Annotations, TerraformStack } from "cdktf";
import type { Construct, IConstruct } from "constructs";
import { at, fail } from "../errors";
import type { ICluster } from "../model/cluster";
import { at as within, texts } from "../model/parsed";
import { type RecordedCluster, mergedRecords } from "./cluster-records";
import { Manifests } from "./manifests";

/** One job for one cluster. */
export interface ClusterJob {
  /** Name of the cluster. */
  readonly name: string;
  /** URL of its issuer; may be late. */
  readonly issuer: string;
  /** Key of what is recorded once per cluster, and name of the list that the construct takes. */
  readonly records: "pulls" | "components" | "workloads" | "fleet";
  /** Class of the construct, for the refusal. */
  readonly construct: string;
}

/**
 * The manifests of the construct's stack, for one cluster and with each job at most once.
 *
 * Warns of an issuer that another cluster of the app has as well.
 */
export function manifestsFor(construct: Construct, job: ClusterJob): Manifests {
  const manifests = Manifests.of(TerraformStack.of(construct));
  at(construct, () => checkClaim(manifests.recorded, job));
  warnOfSharedIssuer(construct, job);
  return manifests;
}

function checkClaim(
  records: readonly RecordedCluster[],
  { name, issuer, records: key, construct }: ClusterJob,
): void {
  if (records.some((record) => record["name"] !== name || key in record))
    fail("cluster-conflict", {
      problem: "this stack already writes the manifests of a cluster",
      value: name,
      allowed: `one ${construct} per stack, with everything of its cluster in one list`,
      remedy: "add the lines to the existing construct, or put the other cluster into its own stack",
    });
  mergedRecords(records, { name, issuer });
}

/** Which stack writes the kubelet's file of each pool of a cluster, by app. */
const poolsOfApp = new WeakMap<IConstruct, Map<string, string>>();

/**
 * Refuses a second stack that writes the kubelet's file of the same pools: of two MachineConfigs with one path the one
 * whose name sorts last counts, and the operator merges no contents. With one name the last applied wins.
 */
export function claimPools(construct: Construct, { name, issuer, recorded }: ICluster<Construct>): void {
  const { root } = construct.node;
  const stack = TerraformStack.of(construct).node.id;
  const claimed = poolsOfApp.get(root) ?? new Map<string, string>();
  poolsOfApp.set(root, claimed);
  for (const pool of texts(within(recorded, "openShift", "pools"))) {
    const key = JSON.stringify([name, issuer.url, pool]);
    const other = claimed.get(key);
    if (other !== undefined && other !== stack)
      fail("cluster-conflict", {
        problem: `the stacks ${other} and ${stack} both write the kubelet's file of the pool ${pool} of the cluster ${name}, and files are not merged: one of the two has no effect`,
        value: pool,
        allowed: "each pool in one stack; `pools` of two stacks may differ",
        remedy:
          "put the pulls of both into one ImagePulls, or give one of them `carriers: []` and the other's pools all pulls",
      });
    claimed.set(key, stack);
  }
}

/** The first cluster of each issuer, by app. */
const issuersOfApp = new WeakMap<IConstruct, Map<string, string>>();

/** Possible, but the `sub` of a token names no cluster, so that clouds take one cluster's service account for the other's. */
function warnOfSharedIssuer(construct: Construct, { name, issuer }: ClusterJob): void {
  const { root } = construct.node;
  const clusters = issuersOfApp.get(root) ?? new Map<string, string>();
  issuersOfApp.set(root, clusters);
  const first = clusters.get(issuer);
  if (first === undefined) clusters.set(issuer, name);
  else if (first !== name)
    Annotations.of(construct).addWarning(
      `clusters ${first} and ${name} have one issuer, and a token's subject names no cluster: a service account of ` +
        "one may act as the service account of the same name in the other; give each cluster its own issuer, or use different names",
    );
}
