/*
 * Rules that the composed constructs share: each does one job for one cluster, and writes into the manifests of this
 * cluster.
 */

import { Annotations, TerraformStack } from "cdktf";
import type { Construct, IConstruct } from "constructs";
import { at, fail } from "../errors";
import type { ICluster } from "../model/cluster";
import { remembered } from "../model/once";
import { at as within, list, texts } from "../model/parsed";
import type { Subject } from "../model/subject";
import { type RecordedCluster, mergedRecords } from "./cluster-records";
import type { ClusterManifests } from "./cluster-manifests";
import { Manifests } from "./manifests";

export interface ClusterJob {
  readonly name: string;
  /** URL of the cluster's issuer; may be late. */
  readonly issuer: string;
  /** Key under which the job is recorded, once per cluster; also the name of the construct's list property. */
  readonly records: "pulls" | "components" | "workloads" | "fleet" | "controlPlane";
  /** Class name of the construct, for error messages. */
  readonly construct: string;
  /** The service accounts of its lines; without them a stack may have only one such construct. */
  readonly subjects?: readonly Subject[];
}

/**
 * Returns the manifests of the cluster in the construct's stack; refuses a second cluster unless each has its own
 * folders, and a second job of the same kind for the same service accounts.
 *
 * Warns if another cluster of the app has the same issuer.
 */
export function manifestsFor(construct: Construct, job: ClusterJob): ClusterManifests {
  const manifests = at(construct, () => Manifests.of(TerraformStack.of(construct)).forCluster(job.name));
  at(construct, () => checkClaim(manifests.recorded, job));
  warnOfSharedIssuer(construct, job);
  return manifests;
}

function checkClaim(
  records: readonly RecordedCluster[],
  { name, issuer, records: key, construct, subjects }: ClusterJob,
): void {
  const other = records.find((record) => record["name"] !== name);
  if (other)
    fail("cluster-conflict", {
      problem: `this stack already writes manifests for cluster ${other["name"]}, and without \`perCluster\` the manifests of a stack are applied to one cluster`,
      value: name,
      allowed: `${JSON.stringify(other["name"])} as name of the cluster of each construct in this stack`,
      remedy:
        'if it is the same cluster, use the same name; otherwise first create `new Manifests(stack, "manifests", { perCluster: true })`, or put this construct into a TerraformStack of its own',
    });
  const lines = records.flatMap((record) => list(record[key]));
  const twice = subjects?.find((subject) =>
    lines.some((line) => within(line, "serviceAccount") === subject.key),
  );
  if (twice)
    fail("cluster-conflict", {
      problem: `another ${construct} of this stack already has this service account`,
      value: twice.key,
      allowed: `several ${construct} of a cluster for different service accounts`,
      remedy: "put all lines of a service account into one of them",
    });
  if (subjects === undefined && records.some((record) => key in record))
    fail("cluster-conflict", {
      problem: `this stack already has a ${construct} for cluster ${name}`,
      allowed: `one ${construct} per cluster, with all its lines in one list`,
      remedy: "add the lines to the existing construct",
    });
  mergedRecords(records, { name, issuer });
}

/** By app: which stack writes the kubelet's file for each pool of a cluster. */
const poolsOfApp = new WeakMap<IConstruct, Map<string, string>>();

/**
 * Refuses a second stack that writes the kubelet's file for the same pool: of two MachineConfigs with one path the
 * operator uses the one whose name sorts last, without merging; of two with one name the last one applied wins.
 */
export function claimPools(construct: Construct, { name, issuer, recorded }: ICluster<Construct>): void {
  const stack = TerraformStack.of(construct).node.id;
  const claimed = remembered(poolsOfApp, construct.node.root, () => new Map<string, string>());
  for (const pool of texts(within(recorded, "openShift", "pools"))) {
    const key = JSON.stringify([name, issuer.url, pool]);
    const other = claimed.get(key);
    if (other !== undefined && other !== stack)
      fail("cluster-conflict", {
        problem: `the stacks ${other} and ${stack} both write the kubelet's file for pool ${pool} of cluster ${name}; the files are not merged, so one of them has no effect`,
        value: pool,
        allowed: "each pool in one stack only",
        remedy: "put the pulls of both stacks into one ImagePulls, or give the two stacks different `pools`",
      });
    claimed.set(key, stack);
  }
}

/** By app: the first cluster of each issuer. */
const issuersOfApp = new WeakMap<IConstruct, Map<string, string>>();

/** A shared issuer works, but a token's `sub` does not name the cluster, so clouds cannot tell its clusters apart. */
function warnOfSharedIssuer(construct: Construct, { name, issuer }: ClusterJob): void {
  const clusters = remembered(issuersOfApp, construct.node.root, () => new Map<string, string>());
  const first = clusters.get(issuer);
  if (first === undefined) clusters.set(issuer, name);
  else if (first !== name)
    Annotations.of(construct).addWarning(
      `clusters ${first} and ${name} have the same issuer, and a token's subject does not name the cluster: a service account of ` +
        "one can act as the service account of the same name in the other; give each cluster its own issuer, or use different names",
    );
}
