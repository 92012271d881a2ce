import { App, Chart } from "cdk8s";
import type { Construct } from "constructs";
import type { ChartOptions, IManifestSink } from "../../lib/model/manifest-sink";
import type { NodeDocument } from "../../lib/model/node-document";
import type { NodeSetup } from "../../lib/model/node-file";

/** Keeps what carriers write, by chart and by setup. */
export class RecordingSink implements IManifestSink<Construct> {
  readonly setups: Map<string, NodeSetup> = new Map();
  readonly documents: Map<string, NodeDocument> = new Map();
  readonly options: Map<string, ChartOptions> = new Map();
  private readonly app = new App();

  chart(name: string, options: ChartOptions): Chart {
    this.options.set(name, options);
    return (this.app.node.tryFindChild(name) as Chart | undefined) ?? new Chart(this.app, name);
  }

  nodeSetup(name: string, setup: NodeSetup): void {
    this.setups.set(name, setup);
  }

  nodeDocument(name: string, document: NodeDocument): void {
    this.documents.set(name, document);
  }

  controlPlaneDocument(name: string, document: NodeDocument): void {
    this.documents.set(`control-plane ${name}`, document);
  }

  /** `NN-name` of the charts, in apply order. */
  get files(): readonly string[] {
    return [...this.options].map(([name, { order }]) => `${order}-${name}`).sort();
  }

  /** The manifests of one chart. */
  manifests(name: string): Manifest[] {
    return (this.app.node.findChild(name) as Chart).toJson() as Manifest[];
  }
}

/** A manifest, as far as the tests look into it. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Record<string, unknown>;
  readonly spec: Record<string, unknown>;
  readonly data: Record<string, string>;
}
