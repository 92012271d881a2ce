import type { Construct } from "constructs";
import type { IManifestSink } from "../model/manifest-sink";
import type { INodeCarrier } from "../model/node-carrier";
import type { NodeSetup, NodeFile } from "../model/node-file";
import { filesWithFlags, unlistedPaths } from "../rules/openshift/node-files";
import {
  checkedPools,
  machineConfigNames,
  winningGeneratedName,
  machineConfigName,
} from "../rules/openshift/machine-config";
import {
  type OpenShiftPlatform,
  type PlatformNodes,
  type OpenShiftRelease,
  platformNodes,
  openShiftRelease,
} from "../rules/openshift/versions";
import { MachineConfig, NodeDisruptionPolicy, NodePoolConfigMap } from "./machine-config";
import { type ObjectKind, boolean, checkGiven, example, list, object, optional, text } from "../model/shape";
import { namespaceName } from "../model/kubernetes-name";
import { literal, isLate } from "../model/late";

/** Which pools a {@link MachineConfigCarrier} serves, and how. */
export interface MachineConfigCarrierProps {
  /** OpenShift version, `4.22`. */
  readonly version: string;
  /** Platform of the nodes; decides where the kubelet reads. */
  readonly platform: OpenShiftPlatform;
  /** MachineConfigPools, for example `["worker"]`. A custom pool also gets what `worker` gets. */
  readonly pools: readonly string[];
  /**
   * Name of the MachineConfigs; `<pool>` is replaced by the pool's name.
   *
   * @defaultValue "99-<pool>-kubelet-credential-provider"
   */
  readonly machineConfigName?: string;
  /**
   * Whether to write a node disruption policy for paths that the release's own defaults do not cover.
   *
   * @defaultValue true
   */
  readonly nodeDisruptionPolicy?: boolean;
  /**
   * Whether the configuration contains the crio credential provider's entry; affects only the manifest's comment.
   *
   * @defaultValue false
   */
  readonly crioCredentialProvider?: boolean;
  /**
   * The kubelet's command line, as in {@link OpenShiftProps.kubeletCommand}.
   *
   * @defaultValue - the operator's command line
   */
  readonly kubeletCommand?: string;
}

const MACHINE_CONFIG_CARRIER_PROPS: ObjectKind<MachineConfigCarrierProps> = object({
  version: example(text, '"4.22"'),
  platform: text,
  pools: list(text),
  machineConfigName: optional(text),
  nodeDisruptionPolicy: optional(boolean),
  crioCredentialProvider: optional(boolean),
  kubeletCommand: optional(text),
});

/** Default of {@link MachineConfigCarrierProps.machineConfigName}. */
export const MACHINE_CONFIG_NAME: string = "99-<pool>-kubelet-credential-provider";

/**
 * Brings files to the nodes of a self-managed OpenShift cluster: one MachineConfig per pool, preceded by a node
 * disruption policy that spares the nodes a reboot.
 */
export class MachineConfigCarrier implements INodeCarrier<Construct> {
  /** Names of the MachineConfigs by pool. */
  readonly machineConfigNames: ReadonlyMap<string, string>;
  private readonly release: OpenShiftRelease;
  private readonly nodes: PlatformNodes;
  private readonly writesPolicy: boolean;
  private readonly keepsCrio: boolean;

  constructor(props: MachineConfigCarrierProps) {
    checkGiven(new.target.name, MACHINE_CONFIG_CARRIER_PROPS, props);
    const pools = checkedPools("MachineConfigPool", props.pools);
    this.machineConfigNames = machineConfigNames(props.machineConfigName ?? MACHINE_CONFIG_NAME, pools);
    this.release = openShiftRelease(props.version);
    this.nodes = platformNodes(props.platform, this.release, props.kubeletCommand);
    this.writesPolicy = props.nodeDisruptionPolicy ?? true;
    this.keepsCrio = props.crioCredentialProvider ?? false;
  }

  /** Writes the MachineConfigs, preceded by the node disruption policy if one is needed. */
  carry(sink: IManifestSink<Construct>, setup: NodeSetup): void {
    const files = filesWithFlags(setup, this.nodes);
    const unlisted = unlistedPaths(
      files.map(({ path }) => path),
      this.release,
    );
    if (this.writesPolicy && unlisted.length > 0) {
      const chart = sink.chart("node-disruption-policy", { order: 30, comment: POLICY_COMMENT });
      new NodeDisruptionPolicy(chart, "kubelet", { paths: unlisted });
    }
    const reboots = !this.writesPolicy && unlisted.length > 0;
    const effect = reboots ? REBOOTS : unlisted.length > 0 ? RESTARTS_BY_POLICY : RESTARTS;
    const comment = [
      `A change ${effect}`,
      ...this.commandComment(),
      ...this.crioComment(),
      ...readableFiles(files),
    ];
    const pools = [...this.machineConfigNames.keys()].join(", ");
    const chart = sink.chart("machine-configs", {
      order: 40,
      comment,
      effect: `nodes of ${pools}, OpenShift ${this.release.version}: a change ${effect}`,
    });
    for (const [machineRole, name] of this.machineConfigNames)
      new MachineConfig(chart, machineRole, { name, machineRole, files });
  }

  private commandComment(): readonly string[] {
    return this.nodes.flags === "command" ? outdatedCommand(this.release.version) : [];
  }

  private crioComment(): readonly string[] {
    if (!this.release.crioCredentialProvider || this.keepsCrio) return [];
    const beaten = [...this.machineConfigNames].flatMap(
      ([pool, name]) => winningGeneratedName(name, pool) ?? [],
    );
    return beaten.length > 0 ? lostToCrio(beaten) : CRIO_LOST;
  }
}

const POLICY_COMMENT: readonly string[] = [
  "MachineConfiguration/cluster is a singleton that others may own: kubectl apply --server-side merges by path.",
  "Apply before the machine configs and wait until the object's status.nodeDisruptionPolicyStatus lists the paths,",
  "or changes of those files drain and reboot the nodes.",
];

function outdatedCommand(version: string): readonly string[] {
  return [
    `Contains the kubelet's whole command line of OpenShift ${version}. Before an upgrade, compare it with the new release's`,
    "(systemctl cat kubelet.service on a node without this file): the release's changes to it do not reach these nodes.",
  ];
}

const CRIO_LOST: readonly string[] = [
  "Overrides what a CRIOCredentialProviderConfig with matchImages writes to the same file;",
  "state crioCredentialProvider on the cluster to keep that provider.",
];

function lostToCrio(beaten: readonly string[]): readonly string[] {
  return [
    `Sorts before ${beaten.join(", ")}: if the CRIOCredentialProviderConfig gets matchImages, the operator's`,
    "file wins and pulls silently lose their service account tokens.",
  ];
}

/** What a change of the files does to the nodes. */
const REBOOTS =
  "drains and reboots each node of the pools: no node disruption policy names all of these files.";
const RESTARTS = "restarts the kubelet on each node of the pools, without drain or reboot.";
const RESTARTS_BY_POLICY =
  "restarts the kubelet on each node of the pools, without drain or reboot once the node disruption policy is applied.";

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
   * Name of the ConfigMaps; `<nodePool>` is replaced by the NodePool's name, so that each NodePool rolls out
   * separately. A name without it makes all NodePools share one ConfigMap.
   *
   * @defaultValue "<nodePool>-kubelet-credential-provider"
   */
  readonly configMapName?: string;
  /**
   * Name of the MachineConfig in the ConfigMap.
   *
   * @defaultValue "99-kubelet-credential-provider"
   */
  readonly machineConfigName?: string;
}

const NODE_POOL_CARRIER_PROPS: ObjectKind<NodePoolCarrierProps> = object({
  version: example(text, '"4.22"'),
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
 * The ConfigMaps belong to the management cluster, RBAC and service accounts to the hosted one. Node disruption
 * policies have no effect on hosted clusters: a change replaces the nodes, or with `InPlace` drains and reboots them.
 */
export class NodePoolCarrier implements INodeCarrier<Construct> {
  /** Names of the ConfigMaps, in the order of the given NodePools. */
  readonly configMapNames: readonly string[];
  private readonly nodes: PlatformNodes;
  private readonly namespace: string;
  private readonly machineConfigName: string;

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

  /** Writes the ConfigMaps that contain the MachineConfig. */
  carry(sink: IManifestSink<Construct>, setup: NodeSetup): void {
    const files = filesWithFlags(setup, this.nodes);
    const chart = sink.chart("node-pool-config", {
      order: 50,
      appliesTo: "management-cluster",
      comment: [...placeComment(this.configMapNames), ...readableFiles(files)],
      effect:
        "a change rolls out the NodePools that list the ConfigMaps: new nodes, or with upgrade type InPlace a drain and reboot.",
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

/**
 * Comment lines that show reviewers what the encoded files of a MachineConfig contain.
 *
 * A file with late values is only named, because its text does not exist before `bind`.
 */
export function readableFiles(files: readonly NodeFile[]): readonly string[] {
  return files.flatMap(({ path, mode, content }) => {
    const head = `${path} (mode 0${mode.toString(8)})`;
    if (isLate(content)) return [`${head}: filled in by \`bind\``];
    const lines = content.replace(/\n$/, "").split("\n");
    return [`${head}:`, ...lines.map((line) => (line === "" ? "" : `  ${line}`))];
  });
}
