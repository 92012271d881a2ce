import {
  App,
  Aspects,
  type ITerraformDependable,
  TerraformElement,
  type TerraformProvider,
  TerraformResource,
  TerraformStack,
} from "cdktf";
import { Construct } from "constructs";
import type { DeliveryEntry, ManifestEntry } from "../artefact/workload-identity-file";
import { PROVIDER } from "../cloud/shared/kinds";
import { at, fail } from "../errors";
import {
  type Kind,
  type ObjectKind,
  boolean,
  checkProps,
  list,
  object,
  optional,
  record,
  text,
  wrongKind,
} from "../model/shape";
import { OWN_SINGLETONS, ResourceNames, kindName } from "../rules/kubernetes-manifest";
import { deliverBy, documentsOf } from "../synth/delivery";
import { LateValues } from "../synth/late-values";
import {
  type ManifestChart,
  type ManifestDelivery,
  type ObjectDocument,
  identitiesIn,
} from "../synth/manifest-files";
import { Manifests } from "../synth/manifests";
import { jsonTemplates } from "../synth/terraform-template";
import { DeliveredObjects, hasPartialObjects } from "./delivered-objects";
import { DeliveryProviders, placeOf } from "./providers";
import {
  removedBlocks,
  type ResourceSettings,
  annotationsResource,
  declaredNamespaces,
  fieldManager,
  manifestResource,
  withAnnotations,
} from "./resources";

const CONSTRUCT: Kind<Construct> = {
  title: "a construct",
  mistake: (value) => (Construct.isConstruct(value) ? undefined : wrongKind(value, "a construct")),
};

const DEPENDABLE: Kind<ITerraformDependable> = {
  title: "a resource",
  mistake: (value) =>
    Construct.isConstruct(value) && "fqn" in value ? undefined : wrongKind(value, "a resource"),
};

/** Properties of {@link KubernetesManifests}: which manifests are delivered, and to which clusters. */
export interface KubernetesManifestsProps {
  /** The stack whose manifests are delivered, or a construct in it. */
  readonly of: Construct;
  /**
   * The `kubernetes` provider that reaches the cluster.
   *
   * @defaultValue - the stack's provider without alias
   */
  readonly provider?: TerraformProvider;
  /**
   * The providers that reach the clusters, by the cluster's name, if the stack has manifests per cluster.
   *
   * @defaultValue - none; required for each cluster of such a stack, where `provider`, `managementCluster` and `spokes`
   * are refused
   */
  readonly clusters?: Readonly<Record<string, TerraformProvider>>;
  /**
   * The provider that reaches the management cluster of a hosted cluster.
   *
   * @defaultValue - none; required if a manifest is for the management cluster
   */
  readonly managementCluster?: TerraformProvider;
  /**
   * Providers that reach the spokes, by the spoke's name.
   *
   * @defaultValue - none; required for each spoke with manifests
   */
  readonly spokes?: Readonly<Record<string, TerraformProvider>>;
  /**
   * Manifests that stay files, for example `manifests/61-cluster-profile-status.yaml` or `spokes/shop.yaml`. Objects
   * that were delivered before stay in the cluster, and Terraform forgets them.
   *
   * @defaultValue - only those for OpenShift's installer, which reads files before the cluster exists, and parts of
   * other owners' objects, `manifests/65-fleet-controller.yaml`
   */
  readonly files?: readonly string[];
  /**
   * Resources of this stack that must exist before the objects, for example their namespaces.
   *
   * @defaultValue - none: the namespaces already exist
   */
  readonly dependsOn?: readonly ITerraformDependable[];
  /**
   * Kinds whose CustomResourceDefinitions exist in the clusters before this stack is planned, for example
   * `ClusterProfile.multicluster.x-k8s.io`. Kinds of Kubernetes and OpenShift need not be listed.
   *
   * @defaultValue - none
   */
  readonly customKinds?: readonly string[];
  /**
   * Whether to import the objects because they already exist, applied from files earlier. All of them must exist;
   * remove the setting once they are in Terraform's state.
   *
   * @defaultValue false
   */
  readonly adopt?: boolean;
  /**
   * Whether to take over fields that another field manager has set to other values, such as `kubectl` when files were
   * applied earlier or an object was edited. Without it the API server refuses these objects with a conflict.
   *
   * @defaultValue false
   */
  readonly forceConflicts?: boolean;
}

const KUBERNETES_MANIFESTS_PROPS: ObjectKind<KubernetesManifestsProps> = object({
  of: CONSTRUCT,
  provider: optional(PROVIDER),
  clusters: optional(record(PROVIDER)),
  managementCluster: optional(PROVIDER),
  spokes: optional(record(PROVIDER)),
  files: optional(list(text)),
  dependsOn: optional(list(DEPENDABLE)),
  customKinds: optional(list(text)),
  adopt: optional(boolean),
  forceConflicts: optional(boolean),
});

/**
 * Delivers the manifests of another stack as `kubernetes_manifest` resources, in the order of their files; late values
 * are references to that stack.
 *
 * Terraform asks the API server while it plans, so the cluster must exist first: the resources are in a stack that
 * depends on the other one, and `cdktf deploy` with both plans one after the other.
 *
 * Node files and pod fragments stay files. The resources are created during synth, as children of this construct.
 */
export class KubernetesManifests extends TerraformElement implements ManifestDelivery {
  /** The manifests that are delivered. */
  readonly manifests: Manifests;
  readonly #source: TerraformStack;
  readonly #props: KubernetesManifestsProps;
  readonly #late: LateValues;
  readonly #providers: DeliveryProviders;
  readonly #objects: DeliveredObjects;
  readonly #settings: ResourceSettings;
  /** Addresses of resources that an earlier synth may have declared, and whose objects must stay. */
  readonly #released = new Set<string>();
  /** True while the resources are up to date for the next rendering of the Terraform configuration. */
  #made = false;

  constructor(scope: Construct, id: string, props: KubernetesManifestsProps) {
    checkProps(new.target.name, scope, id, KUBERNETES_MANIFESTS_PROPS, props);
    super(scope, id);
    const stack = TerraformStack.of(this);
    const source = TerraformStack.of(props.of);
    if (stack === source)
      fail("delivery-unsupported", {
        problem: `${this.node.path} is in the stack whose manifests it delivers, and Terraform asks the cluster's API server while it plans`,
        value: stack.node.id,
        allowed: "a separate stack, which is planned after the other one is applied",
        remedy: "make a second TerraformStack for the resources",
      });
    this.#props = props;
    this.#source = source;
    this.manifests = Manifests.of(source);
    this.#late = new LateValues(this, false);
    this.#objects = new DeliveredObjects(this.node.path, props.customKinds ?? []);
    const { adopt = false, forceConflicts = false } = props;
    this.#settings = { adopt, forceConflicts, fieldManager: fieldManager(source.node.id) };
    this.#providers = new DeliveryProviders(this, props, this.manifests.perCluster);
    checkDependencies(this, props);
    stack.addDependency(source);
    deliverBy(source, this);
    Aspects.of(this).add({ visit: (node) => (node === this && !this.#made ? this.make() : undefined) });
  }

  /** The entry in the other stack's `workload-identity.json` that names this stack. */
  get entry(): DeliveryEntry {
    return { stack: TerraformStack.of(this).node.id, clusters: this.#providers.clusters };
  }

  /** Whether it delivers the objects of a chart. */
  delivers(chart: ManifestChart): boolean {
    const { file, exactName } = chart;
    return !exactName && !(this.#props.files ?? []).includes(file) && !hasPartialObjects(chart);
  }

  /** The namespaces that must exist before this stack is deployed, without those that `dependsOn` declares; sorted. */
  get namespaces(): readonly string[] {
    const declared = declaredNamespaces(this.#props.dependsOn ?? []);
    return this.#objects.namespaces.filter((each) => !declared.includes(each));
  }

  /** Returns the objects of a delivered file, with placeholders for late values. */
  objectsOf(file: string): readonly object[] {
    if (!this.#made) this.make();
    return this.#objects.of(file);
  }

  /**
   * Called by cdktf; creates the resources during the preparation of `App.synth`, when references to other stacks can
   * still be added, and only once for both of its calls. Returns the resources that Terraform is to forget.
   */
  override toTerraform(): object {
    if (this.#made) this.#made = false;
    else this.make();
    const all = TerraformStack.of(this).node.findAll();
    const [first, ...others] = all.filter((each) => each instanceof KubernetesManifests);
    // One construct writes the blocks of all, because the others' objects are declared in the same stack.
    return first === this
      ? removedBlocks(
          this,
          [this, ...others].flatMap((each) => [...each.#released]),
        )
      : {};
  }

  private make(): void {
    for (const { node } of this.node.children) this.node.tryRemoveChild(node.id);
    refuseHcl(this);
    this.#late.unseal();
    const documents = documentsOf(this.#source);
    this.#checkFiles(documents.charts);
    const charts = documents.charts.filter(({ exactName }) => !exactName);
    const delivered = charts.filter((chart) => this.delivers(chart));
    this.#providers.check(delivered);
    this.#released.clear();
    const places = this.manifests.perCluster ? Object.keys(this.#props.clusters ?? {}) : [""];
    for (const place of places)
      for (const each of OWN_SINGLETONS) this.#release(new ResourceNames().name(place, each), each);
    at(TerraformStack.of(this), () => {
      this.#objects.read(delivered, { late: this.#late, markers: documents.markers });
      const names = new ResourceNames();
      const first: ITerraformDependable[] = [...(this.#props.dependsOn ?? [])];
      // Clusters do not wait for each other.
      const previous = new Map<string | undefined, ITerraformDependable[]>();
      for (const chart of charts) {
        if (!delivered.includes(chart)) {
          for (const each of identitiesIn(chart)) this.#release(names.name(placeOf(chart), each), each);
          continue;
        }
        const before = previous.get(chart.cluster) ?? first;
        const resources = this.#objects
          .of(chart.file)
          .flatMap((each) => this.#resources(chart, each, names, before));
        const isLast = chart === delivered.findLast(({ cluster }) => cluster === chart.cluster);
        if (resources.length > 0)
          previous.set(
            chart.cluster,
            resources.length === 1 || isLast ? resources : [this.#gate(chart, resources)],
          );
      }
    });
    this.#made = true;
  }

  /** Remembers a resource that is declared no longer, or by another type, while its object must stay. */
  #release(name: string, object: ObjectDocument): void {
    this.#released.add(`kubernetes_manifest.${name}`);
    if (["ServiceAccount", "CloudCredential.operator.openshift.io"].includes(kindName(object)))
      this.#released.add(`kubernetes_annotations.${name}`);
  }

  /** A single resource that the next file depends on, instead of on all objects of this file. */
  #gate({ file }: ManifestEntry, dependsOn: ITerraformDependable[]): TerraformResource {
    const id = `after_${file.replace(/^manifests\/|\.yaml$/g, "").replace(/[^\w-]+/g, "_")}`;
    // cdktf's own class for it would run terraform to find its version.
    const gate = new TerraformResource(this, id, { terraformResourceType: "terraform_data", dependsOn });
    gate.overrideLogicalId(id);
    return gate;
  }

  /** One resource, or two for a service account: its annotations are a resource of their own. */
  #resources(
    chart: ManifestChart,
    document: ObjectDocument,
    names: ResourceNames,
    dependsOn: ITerraformDependable[],
  ): readonly TerraformResource[] {
    const object = jsonTemplates(document, (each) => this.#late.fillingOf(each)) as ObjectDocument;
    const name = names.name(placeOf(chart), object);
    const provider = this.#providers.of(chart);
    const common = {
      // Terraform chooses the provider without an alias by itself.
      ...(provider.alias !== undefined && { provider }),
      ...(dependsOn.length > 0 && { dependsOn }),
    };
    if (!this.#objects.isAnnotationsOnly(document)) {
      const build = kindName(object) === "ServiceAccount" ? withAnnotations : manifestResource;
      return [build(this, name, object, common, this.#settings)].flat();
    }
    this.#release(name, object);
    return [annotationsResource(this, name, object, common, this.#settings)];
  }

  #checkFiles(charts: readonly ManifestEntry[]): void {
    const files = charts.map(({ file }) => file);
    const unknown = (this.#props.files ?? []).find((file) => !files.includes(file));
    if (unknown !== undefined)
      fail("delivery-unknown", {
        problem: `${this.node.path} lists a file in \`files\` that the stack does not write`,
        value: unknown,
        allowed: files.join(", ") || "none: the stack writes no manifests",
        remedy: "write the path of the file below the stack's folder",
      });
  }
}

/** The resources that objects wait for must be in the stack of the objects. */
function checkDependencies(
  construct: KubernetesManifests,
  { dependsOn = [] }: KubernetesManifestsProps,
): void {
  const stack = TerraformStack.of(construct);
  for (const each of dependsOn)
    if (Construct.isConstruct(each) && TerraformStack.of(each) !== stack)
      fail("delivery-foreign", {
        problem: `${construct.node.path} depends on a resource of another stack, for which Terraform cannot wait`,
        value: each.node.path,
        allowed: `resources of stack ${stack.node.id}`,
        remedy: "deploy the other stack first: stack.addDependency(other)",
      });
}

/** cdktf writes a list inside a manifest as `{ 0 = … }` in HCL, and no `removed` blocks. */
function refuseHcl(construct: KubernetesManifests): void {
  const { root } = construct.node;
  if (App.isApp(root) && root.hclOutput)
    fail("delivery-unsupported", {
      problem: `${construct.node.path} delivers manifests, and cdktf's HCL output turns their lists into objects`,
      value: "hclOutput",
      allowed: "Terraform in JSON, cdktf's default",
      remedy: "synthesize without hclOutput and without --hcl, or deliver files",
    });
}
