import type { Chart } from "cdk8s";
import {
  Aspects,
  type ISynthesisSession,
  Lazy,
  TerraformElement,
  TerraformLocal,
  TerraformStack,
} from "cdktf";
import type { Construct, IConstruct } from "constructs";
import { join } from "node:path";
import { statedFacts } from "../model/stated-facts";
import { WORKLOAD_IDENTITY_FILE } from "../artefact/workload-identity-file";
import { at, fail } from "../errors";
import { clusterName } from "../model/kubernetes-name";
import type { ChartOptions, IManifestSink } from "../model/manifest-sink";
import type { NodeDocument } from "../model/node-document";
import type { NodeSetup } from "../model/node-file";
import type { Subject } from "../model/subject";
import type { PodFragment } from "../model/workloads";
import { type ClusterContent, type ClusterManifests, clusterManifests, contentOf } from "./cluster-manifests";
import type { RecordedCluster } from "./cluster-records";
import { deliveryOf, offerDocuments } from "./delivery";
import { LateMarkers, LateValues } from "./late-values";
import { type StackDocuments, declareLateValues, stackFiles } from "./manifest-files";
import { renderedFile } from "./rendered-file";
import { writeStackFolder } from "./stack-folder";
import { lateValuesIn, summarize, summarizeAtEnd } from "./summary";
import { type ObjectKind, boolean, checkGiven, object, optional } from "../model/shape";
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
  /**
   * Whether the stack has manifests for several clusters, each in folders of the cluster's name:
   * `manifests/<cluster>/NN-name.yaml`, `nodes/<cluster>/`, `control-plane/<cluster>/`, `pods/<cluster>/` and
   * `spokes/<cluster>/`.
   *
   * @defaultValue false: the manifests of the stack are for one cluster, and a construct for a second one is refused
   */
  readonly perCluster?: boolean;
}

const MANIFESTS_PROPS: ObjectKind<ManifestsProps> = object({
  perNamespace: optional(boolean),
  perCluster: optional(boolean),
});

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
  /** By the cluster's name; `undefined` if the stack has only one. */
  readonly #clusters = new Map<string | undefined, ClusterManifests>();
  readonly #rendered = new Map<string, string>();
  /** Texts of all files, for files that Terraform renders; `undefined` once late values may have changed. */
  #texts: ReadonlyMap<string, string> | undefined;
  readonly #perNamespace: boolean;
  /** Whether each cluster has folders of its own. */
  readonly perCluster: boolean;
  /** True while the declared outputs are up to date for the next rendering of the Terraform configuration. */
  #declared = false;
  /** True between cdktf's preparation and the writing of the files, which declares the outputs itself. */
  #prepared = false;

  constructor(scope: Construct, id: string, props: ManifestsProps = {}) {
    super(scope, id);
    checkGiven(`manifests ${id}`, MANIFESTS_PROPS, props);
    this.#perNamespace = props.perNamespace ?? false;
    this.perCluster = props.perCluster ?? false;
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

    Aspects.of(this).add({
      visit: (node) => (node === this && !this.#prepared ? this.declare() : undefined),
    });
    // cdktf reports them together with its own.
    this.node.addValidation({ validate: () => this.contents().flatMap(({ errors }) => errors) });
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
   * Returns the manifests of a cluster: those in its folders with `perCluster`, which are made on first use; otherwise
   * the stack's only ones.
   */
  forCluster(name: string): ClusterManifests {
    const cluster = this.perCluster ? at(this.#stack, () => clusterName(name)) : undefined;
    const known = this.#clusters.get(cluster);
    if (known) return known;
    const made = clusterManifests(
      { late: this.late, markers: this.#markers, rendered: (file) => this.rendered(file) },
      cluster,
    );
    this.#clusters.set(cluster, made);
    if (cluster !== undefined) made.record({ name });
    return made;
  }

  #only(): ClusterManifests {
    return this.perCluster
      ? fail("manifest-missing", {
          problem: `${this.node.path} has folders per cluster, and it is not stated which cluster the file is for`,
          allowed: [...this.#clusters.keys()].join(", ") || "the name of a cluster",
          remedy:
            "use Manifests.of(stack).forCluster(name), or the property `manifests` of the cluster's construct",
        })
      : this.forCluster("");
  }

  /** {@link ClusterManifests.chart} of the stack's only cluster. */
  chart(name: string, options: ChartOptions): Chart {
    return this.#only().chart(name, options);
  }

  /** {@link ClusterManifests.nodeSetup} of the stack's only cluster. */
  nodeSetup(name: string, setup: NodeSetup): void {
    this.#only().nodeSetup(name, setup);
  }

  /** {@link ClusterManifests.nodeDocument} of the stack's only cluster. */
  nodeDocument(name: string, document: NodeDocument): void {
    this.#only().nodeDocument(name, document);
  }

  /** {@link ClusterManifests.controlPlaneDocument} of the stack's only cluster. */
  controlPlaneDocument(name: string, document: NodeDocument): void {
    this.#only().controlPlaneDocument(name, document);
  }

  /** {@link ClusterManifests.spokeNodeSetup} of the stack's only cluster. */
  spokeNodeSetup(spoke: string, setup: NodeSetup): void {
    this.#only().spokeNodeSetup(spoke, setup);
  }

  /** {@link ClusterManifests.podFragment} of the stack's only cluster. */
  podFragment(subject: Subject, fragment: PodFragment): void {
    this.#only().podFragment(subject, fragment);
  }

  /**
   * Adds facts of a cluster that its manifests do not show to `workload-identity.json`; facts with the same `name` are
   * merged.
   */
  record(facts: RecordedCluster): void {
    const { name } = facts;
    (typeof name === "string" ? this.forCluster(name) : this.#only()).record(facts);
  }

  /** The facts of clusters that have been recorded so far. */
  get recorded(): readonly RecordedCluster[] {
    return this.#groups().flatMap(({ recorded }) => recorded);
  }

  /** Sorted by name. */
  #groups(): readonly ClusterManifests[] {
    const name = ({ cluster = "" }: ClusterManifests): string => cluster;
    return [...this.#clusters.values()].sort((a, b) => (name(a) < name(b) ? -1 : 1));
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
    if (this.documents().charts.some((chart) => chart.file === file && delivery?.delivers(chart)))
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
    const effects = this.contents()
      .flatMap(({ charts }) => charts)
      .flatMap(({ file, effect }) => (effect === undefined ? [] : [[file, effect] as const]));
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
    const contents = this.contents();
    return {
      stack: this.#stack.node.id,
      charts: contents.flatMap(({ charts }) => charts),
      nodes: contents.flatMap(({ nodes }) => nodes),
      pods: contents.flatMap(({ pods }) => pods),
      perNamespace: this.#perNamespace,
      perCluster: this.perCluster,
      clusters: this.recorded,
      stated: statedFacts(this.#stack),
      late: this.late,
      markers: this.#markers,
      delivery: deliveryOf(this.#stack),
    };
  }

  private contents(): readonly ClusterContent[] {
    return this.#groups().map((each) => contentOf(each));
  }
}

/** Whether an app has more than one stack; stacks are never nested. */
export function hasOtherStacks(root: IConstruct): boolean {
  let stacks = 0;
  const queue = [root];
  for (let next = queue.pop(); next !== undefined && stacks < 2; next = queue.pop()) {
    if (TerraformStack.isStack(next)) stacks++;
    else for (const child of next.node.children) queue.push(child);
  }
  return stacks > 1;
}
