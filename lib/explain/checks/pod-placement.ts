import { type Answer, seen, unknown } from "../answer";
import { at, own, record } from "../facts/access";
import type { ClusterArtefacts } from "../facts/facts";
import type { WorkloadFact } from "../facts/workload-facts";

const ROLE = /^node-role\.kubernetes\.io\/(.+)$/;
const OS: readonly string[] = ["kubernetes.io/os", "beta.kubernetes.io/os"];
/** Pools that take no MachineConfigs of worker's, by the roles of their nodes. */
const POOLS: Readonly<Record<string, string>> = {
  master: "master",
  "control-plane": "master",
  arbiter: "arbiter",
};

/** Where a workload's pods come to nodes of which nothing was read; `undefined` where nothing says that they do. */
export function placedElsewhere(
  { title, spec, source }: WorkloadFact,
  { cluster, nodes }: Pick<ClusterArtefacts, "cluster" | "nodes">,
): Answer | undefined {
  const selector = record(own(spec, "nodeSelector"));
  const isWindows = at(spec, "os", "name") === "windows" || OS.some((label) => selector[label] === "windows");
  if (isWindows)
    return unknown(
      `the pods of ${title} run on nodes with Windows, whose kubelets are not read here`,
      "see the kubelets' flags on those nodes",
      seen("os or nodeSelector", source),
    );
  // The nodes of others are not named by pools, and those of a hosted cluster have one role.
  if (cluster.openShift === undefined || cluster.openShift.nodePools !== undefined) return undefined;
  const pool = Object.keys(selector)
    .map((label) => POOLS[ROLE.exec(label)?.[1] ?? ""])
    .find((each) => each !== undefined && !nodes.some(({ name }) => name === each));
  return pool === undefined
    ? undefined
    : unknown(
        `the pods of ${title} run on nodes of the pool ${pool} by nodeSelector, whose files were not read`,
        `configure the nodes of the pool ${pool} as well, or name the manifests that do`,
        seen("nodeSelector", source),
      );
}
