/*
 * The charts, node files and facts of one cluster. A stack has one such group, or one per cluster, each in folders of
 * the cluster's name.
 */

import { App, Chart } from "cdk8s";
import type { Construct } from "constructs";
import { fail } from "../errors";
import { literal } from "../model/late";
import { type ChartOptions, type IManifestSink, CHART_OPTIONS } from "../model/manifest-sink";
import type { NodeDocument } from "../model/node-document";
import type { NodeSetup } from "../model/node-file";
import { checkGiven } from "../model/shape";
import type { Subject } from "../model/subject";
import type { PodFragment } from "../model/workloads";
import { type RecordedCluster, mergedRecords } from "./cluster-records";
import type { LateMarkers, LateValues } from "./late-values";
import type { ManifestChart, WrittenPod } from "./manifest-files";
import { chartKey, clusterFile, isExactName, manifestFile, podFileName } from "./manifest-name";
import {
  type WrittenNodes,
  clusterNodes,
  controlPlaneNodes,
  documentNodes,
  registryNodes,
  spokeDocument,
  spokeNodes,
} from "./node-files";
import { refuseFileName, refuseOtherOption } from "./problems";

export interface BegunChart extends ManifestChart {
  readonly order: number;
  readonly comments: string[];
  effect?: string | undefined;
}

export interface ManifestsOfStack {
  readonly late: LateValues;
  readonly markers: LateMarkers;
  /** The finished text of a file as a Terraform value, by its path below the stack's folder. */
  readonly rendered: (file: string) => string;
}

export interface ClusterContent {
  readonly charts: readonly BegunChart[];
  readonly nodes: readonly WrittenNodes[];
  readonly pods: readonly WrittenPod[];
  /** Validation errors of the cdk8s constructs. */
  readonly errors: readonly string[];
}

/** Makes the manifests of a cluster; `undefined` for those of a stack's only cluster. */
export let clusterManifests: (stack: ManifestsOfStack, cluster: string | undefined) => ClusterManifests;

export let contentOf: (manifests: ClusterManifests) => ClusterContent;

/**
 * The manifests of one cluster. In a stack whose {@link Manifests} have `perCluster`, they are in folders of the
 * cluster's name: `manifests/<cluster>/NN-name.yaml`, `nodes/<cluster>/name.yaml` and so on; otherwise `manifests/`,
 * `nodes/` and so on are the cluster's.
 *
 * `Manifests.of(stack).forCluster(name)` returns them.
 */
export class ClusterManifests implements IManifestSink<Construct> {
  /** Name of the cluster and its folders; `undefined` if the stack's manifests are all of one cluster. */
  readonly cluster: string | undefined;
  /** The late values of the stack's manifests. */
  readonly late: LateValues;
  readonly #stack: ManifestsOfStack;
  readonly #app: App;
  readonly #charts = new Map<string, BegunChart>();
  readonly #nodes = new Map<string, WrittenNodes>();
  /** The name of the chart of each file. */
  readonly #files = new Map<string, string>();
  readonly #pods = new Map<string, PodFragment>();
  #recorded: readonly RecordedCluster[] = [];

  static {
    clusterManifests = (stack, cluster) => new ClusterManifests(stack, cluster);
    contentOf = (manifests) => manifests.#content();
  }

  private constructor(stack: ManifestsOfStack, cluster: string | undefined) {
    this.#stack = stack;
    this.cluster = cluster;
    this.late = stack.late;
    // A cdk8s chart inside a cdktf tree fails because it finds no cdk8s app above it.
    this.#app = new App({ resolvers: [stack.markers] });
  }

  /**
   * Returns the cdk8s chart of one file, `manifests/NN-name.yaml` unless `exactName` is set. The same name returns the
   * same chart, and comments accumulate.
   */
  chart(name: string, options: ChartOptions): Chart {
    checkGiven(`manifest ${name}`, CHART_OPTIONS, options, "options");
    const { order, appliesTo = "cluster", comment = [], exactName = false } = options;
    const file = clusterFile(manifestFile(name, options), this.cluster);
    for (const line of comment)
      if (/[\r\n]/.test(literal(line, `comment of the manifest ${name}`)))
        fail("manifest-invalid", {
          problem: `comment of the manifest ${name} holds a line break`,
          value: line,
          allowed: "one line per entry",
          remedy: "split the comment into lines",
        });

    const key = chartKey(name, options);
    const begun = this.#charts.get(key);
    if (begun && begun.file !== file) refuseOtherOption(name, "order", file, begun.file);
    if (begun && begun.order !== order) refuseOtherOption(name, "order", order, begun.order);
    if (begun && begun.appliesTo !== appliesTo)
      refuseOtherOption(name, "appliesTo", appliesTo, begun.appliesTo);

    const entry =
      begun ??
      this.#begin(key, { file, order, appliesTo, exactName, ...(appliesTo === "spoke" && { spoke: name }) });
    entry.comments.push(...comment.filter((line) => !entry.comments.includes(line)));
    entry.effect ??= options.effect;
    return entry.chart;
  }

  /**
   * Writes node files and kubelet flags as data: `nodes/<name>.yaml` with `files` (`path`, `mode` in octal as text,
   * `content`) and `kubeletFlags`.
   */
  nodeSetup(name: string, setup: NodeSetup): void {
    this.#addNodes(name, clusterNodes(name, setup));
  }

  /**
   * Writes a document that brings files and flags to nodes, `nodes/<name>.<extension>`. A second, different document of
   * the same name is refused.
   */
  nodeDocument(name: string, document: NodeDocument): void {
    this.#addNodes(name, documentNodes(name, document));
  }

  /** Writes a document for the nodes of the cluster's own control plane, `control-plane/<name>.<extension>`. */
  controlPlaneDocument(name: string, document: NodeDocument): void {
    this.#addNodes(`control-plane ${name}`, controlPlaneNodes(name, document));
  }

  /** Writes what the owner of a registry must configure, `registries/<host>.json`; a port follows after `_`. */
  registryDocument(host: string, content: object): void {
    this.#addNodes(`registry ${host}`, registryNodes(host, content));
  }

  /**
   * Writes files for the control plane of a spoke as data: `spokes/<spoke>_control-plane.yaml` with `files`. The API
   * server reads them as its `AuthenticationConfiguration`.
   */
  spokeNodeSetup(spoke: string, setup: NodeSetup): void {
    this.#addNodes(chartKey(spoke, { appliesTo: "spoke" }), spokeNodes(spoke, setup));
  }

  /**
   * Writes documents that bring files to the control plane of a spoke: `spokes/<spoke>_control-plane.<extension>`, and
   * a second one with arguments of its API servers, `spokes/<spoke>_control-plane-config.yaml`.
   */
  spokeDocuments(spoke: string, documents: readonly NodeDocument[]): void {
    for (const [place, document] of documents.entries())
      this.#addNodes(
        `${chartKey(spoke, { appliesTo: "spoke" })} ${place}`,
        spokeDocument(spoke, document, place > 0),
      );
  }

  /** Calls what writes objects and node files, and returns how to take these back. */
  undoable(write: () => void): () => void {
    const idsOf = (chart: Chart): readonly string[] => chart.node.children.map(({ node }) => node.id);
    const before = new Map([...this.#charts.values()].map(({ chart }) => [chart, new Set(idsOf(chart))]));
    const nodes = new Set(this.#nodes.keys());
    write();
    const objects = [...this.#charts.values()].flatMap(({ chart }) =>
      idsOf(chart).flatMap((id) => (before.get(chart)?.has(id) ? [] : [{ chart, id }])),
    );
    const setups = [...this.#nodes.keys()].filter((key) => !nodes.has(key));
    return () => {
      for (const { chart, id } of objects) chart.node.tryRemoveChild(id);
      for (const key of setups) this.#nodes.delete(key);
    };
  }

  #addNodes(key: string, nodes: WrittenNodes): void {
    const taken = this.#nodes.get(key);
    if (taken && JSON.stringify(taken) !== JSON.stringify(nodes))
      fail("manifest-conflict", {
        problem: "these nodes already have a different setup",
        value: key,
        allowed: "one setup per name; repeating the same setup is fine",
        remedy: "give the second group of nodes another name",
      });
    this.#nodes.set(key, nodes);
  }

  #begin(name: string, place: Omit<BegunChart, "chart" | "comments" | "cluster">): BegunChart {
    const first = this.#files.get(place.file);
    if (first !== undefined)
      fail("manifest-conflict", {
        problem: `the manifests ${first} and ${name} would be written to one file`,
        value: place.file,
        allowed: "one manifest per file",
        remedy: "give one of them another name",
      });
    const chart = new Chart(this.#app, name);
    const entry: BegunChart = { ...place, cluster: this.cluster, comments: [], chart };
    this.#files.set(place.file, name);
    this.#charts.set(name, entry);
    return entry;
  }

  /**
   * Writes what pods of the service account need in addition to its name: `pods/<namespace>.<name>.yaml` with `labels`,
   * `env`, `volumeMounts` and `volumes`, as fields of the Kubernetes API. An empty fragment is not written.
   */
  podFragment({ key }: Subject, fragment: PodFragment): void {
    if (!isExactName(podFileName(key))) refuseFileName(podFileName(key), true);
    this.#pods.set(key, fragment);
  }

  /**
   * Adds facts of the cluster that its manifests do not show to `workload-identity.json`; facts with the same `name` are
   * merged.
   */
  record(facts: RecordedCluster): void {
    this.#recorded = mergedRecords(this.#recorded, facts);
  }

  /** The facts that have been recorded so far. */
  get recorded(): readonly RecordedCluster[] {
    return this.#recorded;
  }

  /**
   * Returns the finished text of a file as a Terraform value, see {@link Manifests.rendered}. `file` is the path below
   * the stack's folder, without the cluster's own folder: `manifests/20-service-accounts.yaml`.
   */
  rendered(file: string): string {
    return this.#stack.rendered(clusterFile(file, this.cluster));
  }

  #content(): ClusterContent {
    const { cluster } = this;
    return {
      charts: [...this.#charts.values()].sort((a, b) => a.order - b.order || (a.file < b.file ? -1 : 1)),
      nodes: sortedEntries(this.#nodes).map(([, nodes]) => ({
        ...nodes,
        file: clusterFile(nodes.file, cluster),
        cluster,
      })),
      pods: sortedEntries(this.#pods).map(([key, fragment]) => {
        const file = clusterFile(`pods/${podFileName(key)}.yaml`, cluster);
        return { key, file, fragment, cluster };
      }),
      errors: this.#app.node
        .findAll()
        .flatMap((each) => each.node.validate().map((error) => `${each.node.path}: ${error}`)),
    };
  }
}

function sortedEntries<T>(map: ReadonlyMap<string, T>): readonly (readonly [string, T])[] {
  return [...map].sort(([a], [b]) => (a < b ? -1 : 1));
}
