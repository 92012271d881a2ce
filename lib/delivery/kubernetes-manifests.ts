import { Annotations } from "@cdktf/provider-kubernetes/lib/annotations/index.js";
import { Manifest, type ManifestConfig } from "@cdktf/provider-kubernetes/lib/manifest/index.js";
import {
  Aspects,
  type ITerraformDependable,
  TerraformElement,
  type TerraformProvider,
  TerraformResource,
  TerraformStack,
} from "cdktf";
import { Construct } from "constructs";
import type { DeliveryEntry, ManifestEntry } from "../artefact/workload-identity-file";
import { DefaultProvider } from "../cloud/shared/default-provider";
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
import { ResourceNames, importId, isSharedSingleton } from "../rules/kubernetes-manifest";
import { deliverBy, documentsOf } from "../synth/delivery";
import { LateValues } from "../synth/late-values";
import type { ManifestChart, ManifestDelivery, ObjectDocument } from "../synth/manifest-files";
import { Manifests } from "../synth/manifests";
import { jsonTemplates } from "../synth/terraform-template";
import { DeliveredObjects } from "./delivered-objects";

const CONSTRUCT: Kind<Construct> = {
  title: "a construct",
  mistake: (value) => (Construct.isConstruct(value) ? undefined : wrongKind(value, "a construct")),
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
   * Manifests that stay files, for example `manifests/61-cluster-profile-status.yaml` or `spokes/shop.yaml`.
   *
   * @defaultValue - only those for OpenShift's installer, which reads files before the cluster exists
   */
  readonly files?: readonly string[];
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
}

const KUBERNETES_MANIFESTS_PROPS: ObjectKind<KubernetesManifestsProps> = object({
  of: CONSTRUCT,
  provider: optional(PROVIDER),
  managementCluster: optional(PROVIDER),
  spokes: optional(record(PROVIDER)),
  files: optional(list(text)),
  customKinds: optional(list(text)),
  adopt: optional(boolean),
});

const DEFAULT = new DefaultProvider("kubernetes");

/** Fields that others also set, so that the API server may return other values than planned. */
const SHARED_FIELDS: readonly string[] = ["metadata.annotations", "metadata.labels", "spec"];

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
  readonly #objects: DeliveredObjects;
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
    checkProviders(this, props);
    stack.addDependency(source);
    deliverBy(source, this);
    Aspects.of(this).add({ visit: (node) => (node === this && !this.#made ? this.make() : undefined) });
  }

  /** The entry in the other stack's `workload-identity.json` that names this stack. */
  get entry(): DeliveryEntry {
    const { provider = DEFAULT.of(this), managementCluster, spokes = {} } = this.#props;
    return {
      stack: TerraformStack.of(this).node.id,
      clusters: [
        ...(provider ? [{ provider: provider.fqn, appliesTo: "cluster" } as const] : []),
        ...(managementCluster
          ? [{ provider: managementCluster.fqn, appliesTo: "management-cluster" } as const]
          : []),
        ...Object.entries(spokes).map(
          ([spoke, { fqn }]) => ({ provider: fqn, appliesTo: "spoke", spoke }) as const,
        ),
      ],
    };
  }

  /** Whether it delivers the objects of a chart. */
  delivers({ file, exactName }: ManifestChart): boolean {
    return !exactName && !(this.#props.files ?? []).includes(file);
  }

  /** Returns the objects of a delivered file, with placeholders for late values. */
  objectsOf(file: string): readonly object[] {
    if (!this.#made) this.make();
    return this.#objects.of(file);
  }

  /**
   * Called by cdktf; returns nothing, but creates the resources during the preparation of `App.synth`, when references
   * to other stacks can still be added, and only once for both of its calls.
   */
  override toTerraform(): object {
    if (this.#made) this.#made = false;
    else this.make();
    return {};
  }

  private make(): void {
    for (const { node } of this.node.children) this.node.tryRemoveChild(node.id);
    this.#late.unseal();
    const documents = documentsOf(this.#source);
    this.#checkFiles(documents.charts);
    this.#checkClusters();
    const charts = documents.charts.filter((chart) => this.delivers(chart));
    at(TerraformStack.of(this), () => {
      this.#objects.read(charts, { late: this.#late, markers: documents.markers });
      const names = new ResourceNames();
      let before: ITerraformDependable[] = [];
      for (const [index, chart] of charts.entries()) {
        const made = this.#objects.of(chart.file).map((each) => this.#resource(chart, each, names, before));
        const isLast = index === charts.length - 1;
        if (made.length > 0) before = made.length === 1 || isLast ? made : [this.#gate(chart, made)];
      }
    });
    this.#made = true;
  }

  /** A single resource that the next file depends on, instead of on all objects of this file. */
  #gate({ file }: ManifestEntry, dependsOn: ITerraformDependable[]): TerraformResource {
    const id = `after_${file.replace(/^manifests\/|\.yaml$/g, "").replace(/[^\w-]+/g, "_")}`;
    // cdktf's own class for it would run terraform to find its version.
    const gate = new TerraformResource(this, id, { terraformResourceType: "terraform_data", dependsOn });
    gate.overrideLogicalId(id);
    return gate;
  }

  #resource(
    chart: ManifestChart,
    document: ObjectDocument,
    names: ResourceNames,
    dependsOn: ITerraformDependable[],
  ): TerraformResource {
    const manifest = jsonTemplates(document, (each) => this.#late.fillingOf(each)) as ObjectDocument;
    const place = chart.spoke ?? (chart.appliesTo === "management-cluster" ? "management" : "");
    const name = names.name(place, document);
    const provider = this.#provider(chart);
    // Terraform chooses the provider without an alias by itself.
    const named = provider.alias === undefined ? {} : { provider };
    const common = { ...named, ...(dependsOn.length > 0 && { dependsOn }) };
    const resource = this.#objects.isAnnotationsOnly(document)
      ? annotations(this, name, manifest, common)
      : this.#manifest(name, manifest, common);
    resource.overrideLogicalId(name);
    return resource;
  }

  #manifest(
    name: string,
    manifest: ObjectDocument,
    common: Pick<ManifestConfig, "provider" | "dependsOn">,
  ): Manifest {
    const isShared = isSharedSingleton(manifest);
    const resource = new Manifest(this, name, {
      manifest: { ...manifest },
      ...common,
      ...(isShared && {
        computedFields: [...SHARED_FIELDS],
        fieldManager: { forceConflicts: true },
        lifecycle: { preventDestroy: true },
      }),
    });
    if (isShared || this.#props.adopt === true) resource.importFrom(importId(manifest), common.provider);
    return resource;
  }

  #provider({ appliesTo, spoke }: Pick<ManifestEntry, "appliesTo" | "spoke">): TerraformProvider {
    const { provider, managementCluster, spokes = {} } = this.#props;
    if (appliesTo === "management-cluster")
      return managementCluster ?? this.#refuseProvider("the management cluster", "managementCluster");
    if (spoke !== undefined)
      return (
        (Object.hasOwn(spokes, spoke) ? spokes[spoke] : undefined) ??
        this.#refuseProvider(`the spoke ${spoke}`, `spokes: { "${spoke}": … }`)
      );
    return provider ?? DEFAULT.of(this) ?? this.#refuseProvider("the cluster", "provider");
  }

  #refuseProvider(cluster: string, property: string): never {
    return fail("delivery-missing", {
      problem: `no Terraform provider reaches ${cluster}, and ${this.node.path} delivers manifests to it`,
      allowed: "a KubernetesProvider of @cdktf/provider-kubernetes in this stack",
      remedy: `pass one as ${property}, or list its manifests in \`files\``,
    });
  }

  #checkClusters(): void {
    const all = this.entry.clusters.map(({ provider }) => provider);
    const twice = all.find((provider, place) => all.indexOf(provider) !== place);
    if (twice !== undefined)
      fail("delivery-conflict", {
        problem: `${this.node.path} uses the same provider for two clusters`,
        value: twice,
        allowed: PROVIDERS,
        remedy: "give each cluster its own provider",
      });
  }

  #checkFiles(charts: readonly ManifestEntry[]): void {
    const all = charts.map(({ file }) => file);
    const unknown = (this.#props.files ?? []).find((file) => !all.includes(file));
    if (unknown !== undefined)
      fail("delivery-unknown", {
        problem: `${this.node.path} lists a file in \`files\` that the stack does not write`,
        value: unknown,
        allowed: all.join(", ") || "none: the stack writes no manifests",
        remedy: "write the path of the file below the stack's folder",
      });
  }
}

function annotations(
  scope: Construct,
  id: string,
  { apiVersion, kind, metadata }: ObjectDocument,
  common: Pick<ManifestConfig, "provider" | "dependsOn">,
): Annotations {
  const { name, namespace, annotations: texts } = metadata as AnnotatedMetadata;
  return new Annotations(scope, id, {
    apiVersion: String(apiVersion),
    kind: String(kind),
    metadata: { name, ...(namespace !== undefined && { namespace }) },
    annotations: texts,
    ...common,
  });
}

interface AnnotatedMetadata {
  readonly name: string;
  readonly namespace?: string;
  readonly annotations: Record<string, string>;
}

const PROVIDERS = "for each cluster a KubernetesProvider of @cdktf/provider-kubernetes, with an alias";

/** Each provider must be a `kubernetes` provider in the stack of the resources. */
function checkProviders(construct: KubernetesManifests, props: KubernetesManifestsProps): void {
  const { provider, managementCluster, spokes = {} } = props;
  for (const each of [provider, managementCluster, ...Object.values(spokes)]) {
    if (each === undefined) continue;
    const isOwn = TerraformStack.of(each) === TerraformStack.of(construct);
    if (!isOwn || each.terraformResourceType !== "kubernetes")
      fail("delivery-foreign", {
        problem: `a provider that ${construct.node.path} uses is in another stack, or is not a KubernetesProvider`,
        value: each.node.path,
        allowed: PROVIDERS,
        remedy: "make the provider in the stack of the resources",
      });
  }
}
