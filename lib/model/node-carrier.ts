import type { IManifestSink } from "./manifest-sink";
import type { NodeSetup } from "./node-file";

/** A way of bringing files and flags to nodes: a MachineConfig, a NodePool's ConfigMap, plain data. */
export interface INodeCarrier<Scope> {
  /** Writes the setup in its own form. */
  carry(sink: IManifestSink<Scope>, setup: NodeSetup): void;
}
