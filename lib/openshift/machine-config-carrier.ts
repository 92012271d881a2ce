import type { Construct } from "constructs";
import type { IManifestSink } from "../model/manifest-sink";
import type { INodeCarrier } from "../model/node-carrier";
import type { NodeSetup } from "../model/node-file";
import { filesWithFlags } from "../rules/openshift/kubelet-flags";
import { checkedPools, machineConfigNames, winningGeneratedName } from "../rules/openshift/machine-config";
import { unlistedPaths } from "../rules/openshift/node-disruption";
import { type OpenShiftPlatform, type PlatformNodes, platformNodes } from "../rules/openshift/platforms";
import { type OpenShiftRelease, openShiftRelease } from "../rules/openshift/versions";
import { MachineConfig } from "./machine-config";
import { NodeDisruptionPolicy } from "./node-disruption-policy";
import { readableFiles } from "./readable-files";
import { type ObjectKind, boolean, checkGiven, list, object, optional, text } from "../model/shape";

/** Which pools a {@link MachineConfigCarrier} serves, and how. */
export interface MachineConfigCarrierProps {
  /** OpenShift version, `4.22`. */
  readonly version: string;
  /** Platform of the nodes; decides where the kubelet reads. */
  readonly platform: OpenShiftPlatform;
  /** MachineConfigPools, for example `["worker"]`. A custom pool also gets what `worker` gets. */
  readonly pools: readonly string[];
  /**
   * Name of the MachineConfigs; `<pool>` stands for the pool.
   *
   * @defaultValue "99-<pool>-kubelet-credential-provider"
   */
  readonly machineConfigName?: string;
  /**
   * Whether a node disruption policy is written for paths that the release's own defaults do not name.
   *
   * @defaultValue true
   */
  readonly nodeDisruptionPolicy?: boolean;
  /**
   * Whether the carried configuration has the crio credential provider's entry; only for the comment.
   *
   * @defaultValue false
   */
  readonly crioCredentialProvider?: boolean;
}

const MACHINE_CONFIG_CARRIER_PROPS: ObjectKind<MachineConfigCarrierProps> = object({
  version: text,
  platform: text,
  pools: list(text),
  machineConfigName: optional(text),
  nodeDisruptionPolicy: optional(boolean),
  crioCredentialProvider: optional(boolean),
});

/** Name of a MachineConfig where none is stated. */
export const MACHINE_CONFIG_NAME: string = "99-<pool>-kubelet-credential-provider";

/**
 * Brings files to the nodes of a self-managed OpenShift cluster: one MachineConfig per pool, and before them the
 * node disruption policy that spares the nodes a reboot.
 */
export class MachineConfigCarrier implements INodeCarrier<Construct> {
  /** Names of the MachineConfigs by pool. */
  readonly machineConfigNames: ReadonlyMap<string, string>;
  private readonly release: OpenShiftRelease;
  private readonly nodes: PlatformNodes;
  private readonly writesPolicy: boolean;
  private readonly keepsCrio: boolean;

  /**
   * Throws `pools-missing`, `pool-invalid`, `name-taken`, `machine-config-name-invalid`, and for
   * versions and platforms what {@link openShift} throws.
   */
  constructor(props: MachineConfigCarrierProps) {
    checkGiven(new.target.name, MACHINE_CONFIG_CARRIER_PROPS, props);
    const pools = checkedPools("MachineConfigPool", props.pools);
    this.machineConfigNames = machineConfigNames(props.machineConfigName ?? MACHINE_CONFIG_NAME, pools);
    this.release = openShiftRelease(props.version);
    this.nodes = platformNodes(props.platform, this.release);
    this.writesPolicy = props.nodeDisruptionPolicy ?? true;
    this.keepsCrio = props.crioCredentialProvider ?? false;
  }

  /** Throws `kubelet-flags-fixed`, and what `MachineConfig` throws. */
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
    const comment = [rolloutComment(reboots), ...this.crioComment(), ...readableFiles(files)];
    const chart = sink.chart("machine-configs", { order: 40, comment });
    for (const [machineRole, name] of this.machineConfigNames)
      new MachineConfig(chart, machineRole, { name, machineRole, files });
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
  "Apply before the machine configs and wait until its status.nodeDisruptionPolicyStatus lists the paths,",
  "or their files drain and reboot the nodes.",
];

const CRIO_LOST: readonly string[] = [
  "Overrides what a CRIOCredentialProviderConfig with matchImages would write to the same file;",
  "state crioCredentialProvider on the cluster to keep that provider.",
];

function lostToCrio(beaten: readonly string[]): readonly string[] {
  return [
    `Sorts before ${beaten.join(", ")}: if the CRIOCredentialProviderConfig gets matchImages, the operator's`,
    "file wins and the service account tokens are gone without a word.",
  ];
}

function rolloutComment(reboots: boolean): string {
  return reboots
    ? "A change drains and reboots each node of the pools: no node disruption policy names all of these files."
    : "A change restarts the kubelet on each node of the pools, without drain or reboot.";
}
