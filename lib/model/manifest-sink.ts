import type { NodeDocument } from "./node-document";
import type { NodeSetup } from "./node-file";
import { type ObjectKind, boolean, choice, list, number, object, optional, text } from "./shape";

/** Options of a chart's file: its place, its cluster, and comments. */
export interface ChartOptions {
  /** Number from 0 to 99 that begins the file's name with two digits; files are applied in this order. */
  readonly order: number;
  /**
   * Whether the file is named `manifests/<name>.yaml` without digits, for a reader that needs exactly this name, such
   * as OpenShift's installer. The name may then have dots and up to 250 characters; `order` still decides when it is
   * applied.
   *
   * @defaultValue false
   */
  readonly exactName?: boolean;
  /**
   * The cluster that the objects belong to: the cluster itself, the management cluster that hosts its control plane
   * (HyperShift), or a spoke of the fleet. The file of a spoke is `spokes/<name>.yaml`, named after the spoke, so that
   * it is not applied to the hub together with `manifests/`.
   *
   * @defaultValue "cluster"
   */
  readonly appliesTo?: "cluster" | "management-cluster" | "spoke";
  /**
   * Lines for the person who applies the file, without `#`.
   *
   * @defaultValue - no comment
   */
  readonly comment?: readonly string[];
  /**
   * A sentence about what applying the file does to the cluster's nodes; shown in the summary of the synth.
   *
   * @defaultValue - no comment
   */
  readonly effect?: string;
}

/** Collects manifests: each chart becomes one file in the stack's folder, by default below `manifests/`. */
export interface IManifestSink<Scope> {
  /** Returns the scope for the objects of one file; the same name returns the same scope. */
  chart(name: string, options: ChartOptions): Scope;
  /** Writes node files and kubelet flags as data: `nodes/<name>.yaml`. */
  nodeSetup(name: string, setup: NodeSetup): void;
  /** Writes a document that brings files and flags to nodes: `nodes/<name>.<extension>`. */
  nodeDocument(name: string, document: NodeDocument): void;
  /** Writes a document for the nodes of the control plane: `control-plane/<name>.<extension>`. */
  controlPlaneDocument(name: string, document: NodeDocument): void;
}

export const CHART_OPTIONS: ObjectKind<ChartOptions> = object({
  order: number,
  exactName: optional(boolean),
  appliesTo: optional(choice(["cluster", "management-cluster", "spoke"])),
  comment: optional(list(text)),
  effect: optional(text),
});
