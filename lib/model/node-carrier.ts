import type { IManifestSink } from "./manifest-sink";
import type { NodeSetup } from "./node-file";
import { type Kind, like, method } from "./shape";

/** A way of bringing files and flags to nodes: a MachineConfig, a NodePool's ConfigMap, plain data. */
export interface INodeCarrier<Scope> {
  /** Writes the setup in its own form. */
  carry(sink: IManifestSink<Scope>, setup: NodeSetup): void;
}

/** Hands files and flags over as data, `nodes/<name>.yaml`. */
export function asData(name: string): INodeCarrier<unknown> {
  return { carry: (sink, setup) => sink.nodeSetup(name, setup) };
}

/** The kind of an {@link INodeCarrier}. */
export const NODE_CARRIER: Kind<INodeCarrier<never>> = like(
  "a carrier of node files, such as new MachineConfigCarrier(…)",
  { carry: method },
);
