import type { ApiObject } from "cdk8s";
import { Construct } from "constructs";
import { clusterObject } from "../kubernetes/metadata";
import { type NodeFile, NODE_FILE } from "../model/node-file";
import { machineConfigManifest } from "../rules/openshift/machine-config";
import { type ObjectKind, checkProps, list, object, text } from "../model/shape";

/** What a {@link MachineConfig} writes, and to which nodes. */
export interface MachineConfigProps {
  /**
   * Name of the object, for example `99-worker-kubelet-credential-provider`.
   *
   * Of two MachineConfigs that write one file the later name in byte order wins; those of a custom pool win over
   * those of `worker`. ARO clusters with the older guardrail refuse names that end in `-kubelet` or hold `-worker-`.
   */
  readonly name: string;
  /** The MachineConfigPool: value of the label `machineconfiguration.openshift.io/role`, for example `worker`. */
  readonly machineRole: string;
  /** At least one; contents may be late. */
  readonly files: readonly NodeFile[];
}

/** The kind of {@link MachineConfigProps}. */
export const MACHINE_CONFIG_PROPS: ObjectKind<MachineConfigProps> = object({
  name: text,
  machineRole: text,
  files: list(NODE_FILE),
});

/**
 * Files on the nodes of an OpenShift pool, as an Ignition 3.2.0 configuration.
 *
 * Overrides a file that an earlier MachineConfig writes to the same path, as a whole. Applying it starts a rollout
 * of the pool, with reboots unless a node disruption policy names the paths.
 */
export class MachineConfig extends Construct {
  /** The manifest. */
  readonly resource: ApiObject;

  /**
   * Throws `machine-config-name-invalid`, `machine-config-empty`, `pool-invalid`, `node-file-invalid`,
   * `ignition-path-taken`, `ignition-path-forbidden`, or `late-value` (of anything but contents).
   */
  constructor(scope: Construct, id: string, props: MachineConfigProps) {
    checkProps(new.target.name, scope, id, MACHINE_CONFIG_PROPS, props);
    super(scope, id);
    const { apiVersion, kind, metadata, spec } = machineConfigManifest(props);
    this.resource = clusterObject(this, "Resource", { apiVersion, kind, metadata, spec });
  }
}
