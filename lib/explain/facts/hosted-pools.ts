/*
 * Which ConfigMaps HyperShift's NodePools list: others have no effect.
 *
 * Source: openshift/hypershift, api/hypershift/v1beta1/nodepool_types.go (`NodePoolSpec`).
 */

import { at, list, own, text } from "./access";
import type { ClusterRecord } from "./cluster-record";
import type { NodeFact } from "./node-facts";
import type { Source } from "./source";

/** A NodePool. */
export interface NodePoolFact {
  /** Its name. */
  readonly name: string;
  /** Its namespace, of which its ConfigMaps are too. */
  readonly namespace: string;
  /** Names of the ConfigMaps. */
  readonly configs: readonly string[];
  /** Major and minor of its release, `4.22`; `undefined` where its image does not tell them. */
  readonly release: string | undefined;
  /** Where it stands. */
  readonly source: Source;
}

/** A ConfigMap with files. */
export interface PoolConfigFact {
  /** The ConfigMap's namespace. */
  readonly namespace: string;
  /** Its files. */
  readonly node: NodeFact;
}

const RELEASE = /:v?(\d+\.\d+)\.\d+[^/@]*$/;

/** Reads the NodePools that are of the cluster. */
export function readNodePools(
  documents: readonly { readonly value: unknown; readonly source: Source }[],
  { name: cluster, openShift }: ClusterRecord,
): readonly NodePoolFact[] {
  const pools = documents.filter(({ value }) => own(value, "kind") === "NodePool");
  const named = pools.filter(({ value }) => at(value, "spec", "clusterName") === cluster);
  return (named.length > 0 ? named : pools)
    .map(({ value, source }) => ({
      name: text(at(value, "metadata", "name")),
      namespace: text(at(value, "metadata", "namespace")),
      configs: list(at(value, "spec", "config")).map((each) => text(own(each, "name"))),
      release: RELEASE.exec(text(at(value, "spec", "release", "image")))?.[1],
      source,
    }))
    .filter(({ name }) => openShift?.nodePools?.includes(name) ?? true);
}

/** The files that NodePools list, and those that one should; all of them where no NodePool was read. */
export function listedNodes(
  configs: readonly PoolConfigFact[],
  pools: readonly NodePoolFact[],
  { openShift }: ClusterRecord,
): readonly NodeFact[] {
  const recorded = openShift?.nodePools;
  const isComplete = (recorded ?? []).every((each) => pools.some(({ name }) => name === each));
  const rows = configs.map(({ namespace, node }) => ({
    node,
    by: pools.filter((pool) => pool.namespace === namespace && pool.configs.includes(node.name)),
  }));
  const listed = rows
    .filter(({ by }) => pools.length === 0 || by.length > 0 || !isComplete)
    .map(({ node, by }) => ofRelease(node, by, openShift?.version));
  const decisive = rows.filter(({ node }) => isConfigured(node));
  const [first] = decisive;
  const bare = pools.filter((pool) => !decisive.some(({ by }) => by.includes(pool)));
  // Which pools pods come to is recorded; where it is not, one that has the files is enough.
  if (first === undefined || (recorded === undefined && bare.length < pools.length)) return listed;
  return [...listed, ...bare.map((pool) => without(pool, first.node))];
}

function without({ name, source }: NodePoolFact, node: NodeFact): NodeFact {
  const absent = `NodePool ${name} does not list the ConfigMap ${node.name} in spec.config, so its files are not on the nodes`;
  return { ...node, name, absent, source };
}

function isConfigured({ files }: NodeFact): boolean {
  return [...files.values()].some(({ content }) => content?.includes("CredentialProviderConfig") ?? true);
}

/** What the kubelet reads is known by the recorded version. */
function ofRelease(node: NodeFact, by: readonly NodePoolFact[], version = ""): NodeFact {
  const other = by.find(
    ({ release }) => release !== undefined && version !== "" && minorOf(version) !== release,
  );
  return other
    ? {
        ...node,
        doubt: `NodePool ${other.name} runs the release ${other.release}, and OpenShift ${version} is recorded`,
      }
    : node;
}

function minorOf(version: string): string {
  return version.split(".").slice(0, 2).join(".");
}
