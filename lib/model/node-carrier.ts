import type { IManifestSink } from "./manifest-sink";
import type { NodeDocument } from "./node-document";
import type { NodeFile, NodeSetup } from "./node-file";
import { type Kind, made, method } from "./shape";

/** Paths on nodes that a tool for setting up nodes prescribes. */
export interface NodePlaces {
  /** Path of the CredentialProviderConfig. */
  readonly configPath: string;
  /** Directory of the plugins. */
  readonly pluginDirectory: string;
  /**
   * Whether a second executable name of a plugin can be added there.
   *
   * @defaultValue true
   */
  readonly pluginDirectoryWritable?: boolean;
}

/** A way of bringing files and flags to nodes: a MachineConfig, cloud-init, a Talos machine configuration, plain data. */
export interface INodeCarrier<Scope> {
  /**
   * Paths on the nodes; `kubernetes()` uses them if it gets no paths itself.
   *
   * @defaultValue - the paths of the cluster's facts
   */
  readonly places?: NodePlaces;
  /**
   * Whether the nodes rewrite the CredentialProviderConfig, so that its bytes differ from those of the setup.
   *
   * @defaultValue false
   */
  readonly rewritesConfig?: boolean;
  /**
   * Facts for the cluster's record that `explain` needs to read the nodes, for example `{ microShift: "5.0" }`.
   *
   * @defaultValue - none
   */
  readonly recorded?: Readonly<Record<string, unknown>>;
  /**
   * Throws if nodes that are set up this way cannot run a kubelet of this minor version with service account tokens.
   *
   * @param kubelet - `1.35`
   */
  checkKubelet?(kubelet: string): void;
  /** Writes the setup in the carrier's form. */
  carry(sink: IManifestSink<Scope>, setup: NodeSetup): void;
  /**
   * Writes the issuers of the API servers in the form that the control plane reads; the first signs.
   *
   * Absent where the distribution, or whoever runs the control plane, sets them otherwise.
   */
  carryIssuers?(sink: IManifestSink<Scope>, issuers: readonly string[]): void;
  /**
   * The documents that bring an AuthenticationConfiguration to API servers and name its path in their arguments: the
   * one with the file first, then the one with the arguments, if they are elsewhere.
   *
   * Absent where the distribution has no such file, or takes it in another way.
   */
  authentication?(file: NodeFile): readonly NodeDocument[];
}

/** Returns a carrier that writes files and flags as data, `nodes/<name>.yaml`. */
export function asData(name: string): INodeCarrier<unknown> {
  return { carry: (sink, setup) => sink.nodeSetup(name, setup) };
}

export const NODE_CARRIER: Kind<INodeCarrier<never>> = made(
  "a carrier of node files, such as rke2() or new MachineConfigCarrier(…)",
  "rke2()",
  { carry: method },
);
