import { type TerraformProvider, TerraformStack } from "cdktf";
import type { Construct } from "constructs";
import type { DeliveredCluster, ManifestEntry } from "../artefact/workload-identity-file";
import { DefaultProvider } from "../cloud/shared/default-provider";
import { fail } from "../errors";

const DEFAULT = new DefaultProvider("kubernetes");

const PROVIDERS = "for each cluster a KubernetesProvider of @cdktf/provider-kubernetes, with an alias";

export interface GivenProviders {
  readonly provider?: TerraformProvider;
  readonly clusters?: Readonly<Record<string, TerraformProvider>>;
  readonly managementCluster?: TerraformProvider;
  readonly spokes?: Readonly<Record<string, TerraformProvider>>;
}

/** Which provider of Terraform reaches which cluster. */
export class DeliveryProviders {
  readonly #construct: Construct;
  readonly #given: GivenProviders;
  readonly #perCluster: boolean;

  /** `construct` is the delivering one. Refuses providers of other stacks, and those that no manifest can need. */
  constructor(construct: Construct, given: GivenProviders, perCluster: boolean) {
    this.#construct = construct;
    this.#given = given;
    this.#perCluster = perCluster;
    this.#checkForm();
    this.#checkStacks();
  }

  get clusters(): readonly DeliveredCluster[] {
    const { managementCluster, spokes = {}, clusters = {} } = this.#given;
    const provider = this.#only();
    return [
      ...(provider ? [{ provider: provider.fqn, appliesTo: "cluster" } as const] : []),
      ...(managementCluster
        ? [{ provider: managementCluster.fqn, appliesTo: "management-cluster" } as const]
        : []),
      ...Object.entries(spokes).map(
        ([spoke, { fqn }]) => ({ provider: fqn, appliesTo: "spoke", spoke }) as const,
      ),
      ...Object.entries(clusters).map(
        ([cluster, { fqn }]) => ({ provider: fqn, appliesTo: "cluster", cluster }) as const,
      ),
    ];
  }

  of({ appliesTo, spoke, cluster }: ManifestEntry): TerraformProvider {
    const { managementCluster, spokes = {}, clusters = {} } = this.#given;
    const named = (
      title: string,
      all: Readonly<Record<string, TerraformProvider>>,
      name: string,
      property: string,
    ): TerraformProvider =>
      (Object.hasOwn(all, name) ? all[name] : undefined) ??
      this.#refuse(`${title} ${name}`, `${property}: { "${name}": … }`);
    if (appliesTo === "management-cluster")
      return managementCluster ?? this.#refuse("the management cluster", "managementCluster");
    if (spoke !== undefined) return named("the spoke", spokes, spoke, "spokes");
    if (cluster !== undefined) return named("the cluster", clusters, cluster, "clusters");
    return this.#only() ?? this.#refuse("the cluster", "provider");
  }

  /** Refuses one provider for two clusters, and delivered files that no provider can be named for. */
  check(delivered: readonly ManifestEntry[]): void {
    const all = this.clusters.map(({ provider }) => provider);
    const twice = all.find((provider, place) => all.indexOf(provider) !== place);
    if (twice !== undefined)
      fail("delivery-conflict", {
        problem: `${this.#construct.node.path} uses the same provider for two clusters`,
        value: twice,
        allowed: PROVIDERS,
        remedy: "give each cluster its own provider",
      });
    const elsewhere = delivered.find(({ appliesTo }) => this.#perCluster && appliesTo !== "cluster");
    if (elsewhere)
      fail("delivery-unsupported", {
        problem: `${this.#construct.node.path} delivers manifests per cluster, and this file is for a management cluster or a spoke`,
        value: elsewhere.file,
        allowed: "files for the clusters themselves",
        remedy: "name the file in `files`, which leaves it to `bind`, or give the cluster its own stack",
      });
  }

  /** The provider for the stack's only cluster; the one without alias is not known to reach one of several. */
  #only(): TerraformProvider | undefined {
    return this.#perCluster ? undefined : (this.#given.provider ?? DEFAULT.of(this.#construct));
  }

  #refuse(cluster: string, property: string): never {
    return fail("delivery-missing", {
      problem: `no Terraform provider reaches ${cluster}, and ${this.#construct.node.path} delivers manifests to it`,
      allowed: "a KubernetesProvider of @cdktf/provider-kubernetes in this stack",
      remedy: `pass one as ${property}, or list its manifests in \`files\``,
    });
  }

  #checkForm(): void {
    const { provider, managementCluster, spokes, clusters } = this.#given;
    const foreign = this.#perCluster ? { provider, managementCluster, spokes } : { clusters };
    const [stated] = Object.entries(foreign).flatMap(([name, each]) => (each === undefined ? [] : [name]));
    if (stated !== undefined)
      fail("delivery-conflict", {
        problem: `${this.#construct.node.path} states a property that does not fit the manifests of the stack`,
        value: stated,
        allowed: this.#perCluster
          ? "clusters, because the stack has manifests per cluster"
          : "provider, managementCluster and spokes, because the stack's manifests are for one cluster",
        remedy: "state the providers in that form",
      });
  }

  /** Each provider must be a `kubernetes` provider in the stack of the resources. */
  #checkStacks(): void {
    const { provider, managementCluster, spokes, clusters } = this.#given;
    for (const each of [provider, managementCluster, ...Object.values({ ...spokes, ...clusters })]) {
      if (each === undefined) continue;
      const isOwn = TerraformStack.of(each) === TerraformStack.of(this.#construct);
      if (!isOwn || each.terraformResourceType !== "kubernetes")
        fail("delivery-foreign", {
          problem: `a provider that ${this.#construct.node.path} uses is in another stack, or is not a KubernetesProvider`,
          value: each.node.path,
          allowed: PROVIDERS,
          remedy: "make the provider in the stack of the resources",
        });
    }
  }
}

/** The cluster's part of the names of resources; empty for the stack's only cluster. */
export function placeOf({ spoke, cluster, appliesTo }: ManifestEntry): string {
  return spoke ?? cluster ?? (appliesTo === "management-cluster" ? "management" : "");
}
