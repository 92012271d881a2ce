import type { Construct } from "constructs";
import { namespaceName } from "../model/kubernetes-name";
import { literal } from "../model/late";
import type { IManifestSink } from "../model/manifest-sink";
import type { INodeCarrier } from "../model/node-carrier";
import type { NodeSetup } from "../model/node-file";
import { filesWithFlags } from "../rules/openshift/kubelet-flags";
import { checkedPools, machineConfigName } from "../rules/openshift/machine-config";
import { type OpenShiftPlatform, type PlatformNodes, platformNodes } from "../rules/openshift/platforms";
import { openShiftRelease } from "../rules/openshift/versions";
import { NodePoolConfigMap } from "./node-pool-config-map";
import { readableFiles } from "./readable-files";
import { type ObjectKind, checkGiven, list, object, optional, text } from "../model/shape";

/** Which NodePools a {@link NodePoolCarrier} serves, and how. */
export interface NodePoolCarrierProps {
  /** OpenShift version of the NodePools, `4.22`. */
  readonly version: string;
  /** Platform of the nodes; decides where the kubelet reads. */
  readonly platform: OpenShiftPlatform;
  /** Names of the NodePools. */
  readonly nodePools: readonly string[];
  /** Namespace of the NodePools and of their HostedCluster, on the management cluster. */
  readonly namespace: string;
  /**
   * Name of the ConfigMaps; `<nodePool>` stands for the NodePool, so that each rolls out by itself. Without it all
   * NodePools share one ConfigMap.
   *
   * @defaultValue "<nodePool>-kubelet-credential-provider"
   */
  readonly configMapName?: string;
  /**
   * Name of the MachineConfig within.
   *
   * @defaultValue "99-kubelet-credential-provider"
   */
  readonly machineConfigName?: string;
}

const NODE_POOL_CARRIER_PROPS: ObjectKind<NodePoolCarrierProps> = object({
  version: text,
  platform: text,
  nodePools: list(text),
  namespace: text,
  configMapName: optional(text),
  machineConfigName: optional(text),
});

const NODE_POOL = "<nodePool>";

/**
 * Brings files to the nodes of a hosted OpenShift cluster (HyperShift): ConfigMaps for the NodePools' `spec.config`.
 *
 * They belong to the management cluster, while RBAC and service accounts belong to the hosted one. A node disruption
 * policy has no effect there; a change replaces the nodes, or with `InPlace` drains and reboots them.
 */
export class NodePoolCarrier implements INodeCarrier<Construct> {
  /** Names of the ConfigMaps, sorted as the NodePools were given. */
  readonly configMapNames: readonly string[];
  private readonly nodes: PlatformNodes;
  private readonly namespace: string;
  private readonly machineConfigName: string;

  /** Throws `pools-missing`, `pool-invalid`, `namespace-invalid`, and for versions and platforms what `openShift` throws. */
  constructor(props: NodePoolCarrierProps) {
    checkGiven(new.target.name, NODE_POOL_CARRIER_PROPS, props);
    const pattern = literal(
      props.configMapName ?? `${NODE_POOL}-kubelet-credential-provider`,
      "configMapName",
    );
    const pools = checkedPools("NodePool", props.nodePools);
    const names = new Set(pools.map((pool) => pattern.replaceAll(NODE_POOL, pool)));
    this.configMapNames = checkedPools("ConfigMap of a NodePool", [...names]);
    this.namespace = namespaceName(props.namespace);
    this.machineConfigName = machineConfigName(props.machineConfigName ?? "99-kubelet-credential-provider");
    this.nodes = platformNodes(props.platform, openShiftRelease(props.version));
  }

  /** Throws `kubelet-flags-fixed`, and what `NodePoolConfigMap` throws. */
  carry(sink: IManifestSink<Construct>, setup: NodeSetup): void {
    const files = filesWithFlags(setup, this.nodes);
    const chart = sink.chart("node-pool-config", {
      order: 50,
      appliesTo: "management-cluster",
      comment: [...placeComment(this.configMapNames), ...readableFiles(files)],
    });
    const machineConfig = { name: this.machineConfigName, files };
    for (const name of this.configMapNames)
      new NodePoolConfigMap(chart, name, { name, namespace: this.namespace, machineConfig });
  }
}

function placeComment(names: readonly string[]): readonly string[] {
  const listed = names.map((name) => `[{name: ${name}}]`).join(" or ");
  return [
    "Belongs to the management cluster, not to the hosted one.",
    `Takes effect when the NodePool lists the ConfigMap in spec.config: ${listed};`,
    "a change rolls the nodes out.",
  ];
}
