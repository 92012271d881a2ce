import type { IManifestSink } from "./manifest-sink";
import type { NodeSetup } from "./node-file";
import { type Kind, like, method } from "./shape";

/** Places on nodes that a way of making them prescribes. */
export interface NodePlaces {
  /** Where the CredentialProviderConfig is. */
  readonly configPath: string;
  /** Where the plugins are. */
  readonly pluginDirectory: string;
  /**
   * Whether a second name of a plugin can be put there.
   *
   * @defaultValue true
   */
  readonly pluginDirectoryWritable?: boolean;
}

/** A way of bringing files and flags to nodes: a MachineConfig, cloud-init, a Talos machine configuration, plain data. */
export interface INodeCarrier<Scope> {
  /**
   * Where the files are; `kubernetes()` takes these places where it is given none.
   *
   * @defaultValue - those of the cluster's facts
   */
  readonly places?: NodePlaces;
  /**
   * Whether the nodes write the CredentialProviderConfig anew, so that its bytes are not those of the setup.
   *
   * @defaultValue false
   */
  readonly rewritesConfig?: boolean;
  /**
   * Facts that `explain` needs to read the nodes, for the cluster's record: `{ microShift: "5.0" }`.
   *
   * @defaultValue - none
   */
  readonly recorded?: Readonly<Record<string, unknown>>;
  /**
   * Throws where nodes that are made this way cannot run a kubelet of that minor, or not with service account tokens.
   *
   * @param kubelet - `1.35`
   */
  checkKubelet?(kubelet: string): void;
  /** Writes the setup in its own form. */
  carry(sink: IManifestSink<Scope>, setup: NodeSetup): void;
}

/** Hands files and flags over as data, `nodes/<name>.yaml`. */
export function asData(name: string): INodeCarrier<unknown> {
  return { carry: (sink, setup) => sink.nodeSetup(name, setup) };
}

/** The kind of an {@link INodeCarrier}. */
export const NODE_CARRIER: Kind<INodeCarrier<never>> = like(
  "a carrier of node files, such as rke2() or new MachineConfigCarrier(…)",
  { carry: method },
);
