import type { NodeDocument } from "./node-document";
import type { NodeSetup } from "./node-file";
import { type ObjectKind, boolean, choice, list, number, object, optional, text } from "./shape";

/** Where a chart's manifests belong, and what their reader should know. */
export interface ChartOptions {
  /** Two digits that begin the file's name; files are applied in this order. */
  readonly order: number;
  /**
   * Whether the file is called `manifests/<name>.yaml`, without digits, for a reader that knows it by its name, such as
   * OpenShift's installer. The name may then hold dots and be up to 250 characters long; `order` still says when it is
   * applied.
   *
   * @defaultValue false
   */
  readonly exactName?: boolean;
  /**
   * The cluster that the objects belong to: the cluster itself, the management cluster that hosts its control plane
   * (HyperShift), or a spoke of the fleet. A spoke's file is `spokes/<name>.yaml`, where `name` is that of the spoke,
   * so that it is not applied to the hub together with `manifests/`.
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
   * What applying the file does to the cluster's nodes, a sentence; the synth's summary says it.
   *
   * @defaultValue - no comment
   */
  readonly effect?: string;
}

/** Takes manifests: each chart becomes one file below `manifests/`, beside the Terraform configuration. */
export interface IManifestSink<Scope> {
  /** The scope for the objects of one file; the same name gives the same scope. */
  chart(name: string, options: ChartOptions): Scope;
  /** Writes node files and kubelet flags as data: `nodes/<name>.yaml`. */
  nodeSetup(name: string, setup: NodeSetup): void;
  /** Writes a document that brings files and flags to nodes: `nodes/<name>.<extension>`. */
  nodeDocument(name: string, document: NodeDocument): void;
}

/** The kind of {@link ChartOptions}. */
export const CHART_OPTIONS: ObjectKind<ChartOptions> = object({
  order: number,
  exactName: optional(boolean),
  appliesTo: optional(choice(["cluster", "management-cluster", "spoke"])),
  comment: optional(list(text)),
  effect: optional(text),
});
