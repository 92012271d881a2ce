import { statedFacts } from "../model/stated-facts";
import { App, Chart } from "cdk8s";
import {
  Aspects,
  type ISynthesisSession,
  Lazy,
  TerraformElement,
  TerraformLocal,
  TerraformStack,
} from "cdktf";
import type { Construct } from "constructs";
import { join } from "node:path";
import { WORKLOAD_IDENTITY_FILE } from "../artefact/workload-identity-file";
import { at, fail } from "../errors";
import { literal } from "../model/late";
import { type ChartOptions, type IManifestSink, CHART_OPTIONS } from "../model/manifest-sink";
import type { NodeDocument } from "../model/node-document";
import type { NodeSetup } from "../model/node-file";
import type { Subject } from "../model/subject";
import type { PodFragment } from "../model/workloads";
import { type RecordedCluster, mergedRecords } from "./cluster-records";
import { deliveryOf, offerDocuments } from "./delivery";
import { LateMarkers, LateValues } from "./late-values";
import { type ManifestChart, type StackDocuments, declareLateValues, stackFiles } from "./manifest-files";
import { hasOtherStacks } from "./other-stacks";
import { chartKey, isExactName, manifestFile, podFileName } from "./manifest-name";
import {
  type WrittenNodes,
  clusterNodes,
  controlPlaneNodes,
  documentNodes,
  registryNodes,
  spokeNodes,
} from "./node-files";
import { renderedFile } from "./rendered-file";
import { writeStackFolder } from "./stack-folder";
import { lateValuesIn, summarize, summarizeAtEnd } from "./summary";
import { type ObjectKind, boolean, checkGiven, object, optional } from "../model/shape";
import { refuseFileName, refuseOtherOption } from "./problems";
import { assertOneCore } from "./one-core";

const DEFAULT_ID = "Manifests";

/** cdktf's hook for constructs that write files at synth. `TerraformAsset` uses it, but cdktf does not export it. */
const CUSTOM_SYNTHESIS = Symbol.for("cdktf/customSynthesis");

const perStack = new WeakMap<TerraformStack, Manifests>();

/** Settings of a stack's {@link Manifests}. */
export interface ManifestsProps {
  /**
   * Splits each `manifests/NN-name.yaml` by namespace, so that each team can own its files: `NN-name_shop.yaml` has the
   * objects of the namespace `shop`, and `NN-name.yaml`, which is applied before it, those without a namespace. Files
   * of spokes, and files that need an exact name, are not split.
   *
   * @defaultValue false
   */
  readonly perNamespace?: boolean;
}

const MANIFESTS_PROPS: ObjectKind<ManifestsProps> = object({ perNamespace: optional(boolean) });

interface BegunChart extends ManifestChart {
  readonly order: number;
  readonly comments: string[];
  effect?: string | undefined;
}

/**
 * Kubernetes manifests beside the Terraform configuration of one stack.
 *
 * `app.synth()` writes to the stack's folder `manifests/NN-name.yaml` per chart, `nodes/name.yaml` per node setup,
 * `spokes/name.yaml` per spoke of a fleet, `registries/host.json` per registry that decides by the token itself, `pods/namespace.name.yaml` per service account whose pods need more than its
 * name, and `workload-identity.json`. It writes all or nothing, and removes the files of an earlier synth. A value that
 * Terraform knows only after apply becomes a placeholder with its own Terraform output, which `bind` fills in.
 *
 * A stack has one Manifests: use {@link Manifests.of}, or create it first if it needs settings.
 */
export class Manifests extends TerraformElement implements IManifestSink<Construct> {
  /** The late values of the manifests; the Terraform outputs are children of this construct. */
  readonly late: LateValues;
  readonly #stack: TerraformStack;
  readonly #markers = new LateMarkers();
  readonly #app: App;
  readonly #charts = new Map<string, BegunChart>();
  readonly #nodes = new Map<string, WrittenNodes>();
  /** The name of the chart of each file. */
  readonly #files = new Map<string, string>();
  readonly #pods = new Map<string, PodFragment>();
  readonly #rendered = new Map<string, string>();
  /** Texts of all files, for files that Terraform renders; `undefined` once late values may have changed. */
  #texts: ReadonlyMap<string, string> | undefined;
  readonly #perNamespace: boolean;
  #clusters: readonly RecordedCluster[] = [];
  /** True while the declared outputs are up to date for the next rendering of the Terraform configuration. */
  #declared = false;
  /** True between cdktf's preparation and the writing of the files, which declares the outputs itself. */
  #prepared = false;

  constructor(scope: Construct, id: string, props: ManifestsProps = {}) {
    super(scope, id);
    checkGiven(`manifests ${id}`, MANIFESTS_PROPS, props);
    this.#perNamespace = props.perNamespace ?? false;
    this.#stack = TerraformStack.of(this);
    assertOneCore(this);
    const first = perStack.get(this.#stack);
    if (first)
      fail("manifest-conflict", {
        problem: `a second Manifests in one stack, at ${this.node.path}, would overwrite the files of the first`,
        allowed: `one per stack, here ${first.node.path}`,
        remedy:
          "use Manifests.of(stack); if it needs settings, create it before the constructs that write manifests",
      });
    perStack.set(this.#stack, this);
    this.late = new LateValues(this);
    // A cdk8s chart inside a cdktf tree fails because it finds no cdk8s app above it.
    this.#app = new App({ resolvers: [this.#markers] });

    Aspects.of(this).add({
      visit: (node) => (node === this && !this.#prepared ? this.declare() : undefined),
    });
    this.node.addValidation({ validate: () => this.chartErrors() });
    offerDocuments(this.#stack, () => this.documents());
    summarizeAtEnd(this);
    Object.defineProperty(this, CUSTOM_SYNTHESIS, {
      value: { onSynthesize: (session: ISynthesisSession): void => this.write(session) },
    });
  }

  /** Returns the manifests of the construct's stack, which are created on first use. */
  static of(construct: Construct): Manifests {
    const stack = TerraformStack.of(construct);
    return perStack.get(stack) ?? new Manifests(stack, DEFAULT_ID);
  }

  /**
   * Returns the cdk8s chart of one file, `manifests/NN-name.yaml` unless `exactName` is set. The same name returns the
   * same chart, and comments accumulate.
   */
  chart(name: string, options: ChartOptions): Chart {
    checkGiven(`manifest ${name}`, CHART_OPTIONS, options, "options");
    const { order, appliesTo = "cluster", comment = [], exactName = false } = options;
    const file = manifestFile(name, options);
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

  #begin(name: string, place: Omit<BegunChart, "chart" | "comments">): BegunChart {
    const first = this.#files.get(place.file);
    if (first !== undefined)
      fail("manifest-conflict", {
        problem: `the manifests ${first} and ${name} would be written to one file`,
        value: place.file,
        allowed: "one manifest per file",
        remedy: "give one of them another name",
      });
    const entry: BegunChart = { ...place, comments: [], chart: new Chart(this.#app, name) };
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
   * Adds facts of a cluster that its manifests do not show to `workload-identity.json`; facts with the same `name` are
   * merged.
   */
  record(facts: RecordedCluster): void {
    this.#clusters = mergedRecords(this.#clusters, facts);
  }

  /** The facts of clusters that have been recorded so far. */
  get recorded(): readonly RecordedCluster[] {
    return this.#clusters;
  }

  /** Returns the texts of all files as `app.synth()` would write them now, by path below the stack's folder. */
  render(): ReadonlyMap<string, string> {
    this.late.unseal();
    return at(this.#stack, () => {
      const files = stackFiles(this.documents());
      this.late.checkOutputNames();
      this.#declared = true;
      return files;
    });
  }

  /**
   * Returns the finished text of a file as a Terraform value: for an output, a `local_file`, an object in a bucket, or
   * a file resource of a Git provider. Terraform fills in the late values itself, so that `bind` is not needed.
   *
   * `file` is the path below the stack's folder, for example `manifests/20-service-accounts.yaml`; the synth fails if
   * it does not write that file.
   */
  rendered(file: string): string {
    const known = this.#rendered.get(file);
    if (known !== undefined) return known;
    const id = file.replace(/\W+/g, "_");
    const content = Lazy.stringValue({ produce: () => this.#template(file) });
    const local = new TerraformLocal(this, id, content);
    local.overrideLogicalId(id);
    const value = local.asString;
    this.#rendered.set(file, value);
    return value;
  }

  #template(file: string): string {
    const files = (this.#texts ??= this.render());
    const text = files.get(file);
    if (text !== undefined)
      return renderedFile(file, text, (placeholder) => this.late.fillingOf(placeholder));
    const delivery = deliveryOf(this.#stack);
    if ([...this.#charts.values()].some((chart) => chart.file === file && delivery?.delivers(chart)))
      fail("delivery-conflict", {
        problem: `\`rendered\` is called for a file whose objects are already resources of stack ${delivery?.entry.stack}`,
        value: file,
        allowed: "each object either in a file or as a resource",
        remedy: `remove the call of \`rendered\`, or name the file in \`files\` of ${delivery?.node.path}`,
      });
    return fail("manifest-unknown", {
      problem: `stack ${this.#stack.node.id} does not write the file for which \`rendered\` was called`,
      value: file,
      allowed: [...files.keys()].filter((name) => name !== WORKLOAD_IDENTITY_FILE).join(", "),
      remedy: "name a file that the synth writes, by its path below the stack's folder",
    });
  }

  /**
   * Called by cdktf; returns nothing, but declares the outputs of late values.
   *
   * `App.synth` calls it twice: during preparation, when references to other stacks can still be added, and after the
   * files are written, to render the configuration. An app with one stack has no such references, so its objects are
   * resolved only once. `Testing.synth` calls it once, after the aspects.
   */
  override toTerraform(): object {
    if (this.#declared) this.#declared = false;
    else this.prepare();
    return {};
  }

  private prepare(): void {
    this.#prepared = true;
    this.#texts = undefined;
    this.late.unseal();
    if (hasOtherStacks(this.node.root)) this.declare();
  }

  private declare(): void {
    this.#texts = undefined;
    if (this.#declared) return;
    this.late.unseal();
    at(this.#stack, () => {
      declareLateValues(this.documents());
      this.late.checkOutputNames();
    });
    this.#declared = true;
  }

  private write({ outdir, manifest }: ISynthesisSession): void {
    this.#prepared = false;
    const folder = join(outdir, manifest.forStack(this.#stack).workingDirectory);
    const files = this.render();
    this.#texts = files;
    writeStackFolder(folder, files);
    const late = lateValuesIn(files, this.late.placeholders);
    const effects = [...this.#charts.values()].flatMap(({ file, effect }) =>
      effect === undefined ? [] : [[file, effect] as const],
    );
    const delivery = deliveryOf(this.#stack);
    summarize(this, {
      stack: this.#stack.node.id,
      folder,
      files: [...files.keys()],
      late,
      effects,
      ...(delivery && { delivering: delivery.entry.stack, namespaces: delivery.namespaces }),
    });
    this.late.seal();
  }

  private documents(): StackDocuments {
    const charts = [...this.#charts.values()].sort((a, b) => a.order - b.order || (a.file < b.file ? -1 : 1));
    return {
      stack: this.#stack.node.id,
      charts,
      nodes: this.#nodes,
      pods: this.#pods,
      perNamespace: this.#perNamespace,
      clusters: this.#clusters,
      stated: statedFacts(this.#stack),
      late: this.late,
      markers: this.#markers,
      delivery: deliveryOf(this.#stack),
    };
  }

  /** Validation errors of the cdk8s constructs, which cdktf reports together with its own. */
  private chartErrors(): string[] {
    return this.#app.node
      .findAll()
      .flatMap((construct) => construct.node.validate().map((error) => `${construct.node.path}: ${error}`));
  }
}
