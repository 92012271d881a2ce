/*
 * AKS identity bindings. azurerm has no resource for them (hashicorp/terraform-provider-azurerm#31507), so they are
 * written for the Terraform provider Azure/azapi, version 2 and newer, of which no bindings are needed.
 */

import type { DataAzurermKubernetesCluster } from "@cdktf/provider-azurerm/lib/data-azurerm-kubernetes-cluster/index.js";
import type { KubernetesCluster } from "@cdktf/provider-azurerm/lib/kubernetes-cluster/index.js";
import { type TerraformProvider, TerraformResource, TerraformStack } from "cdktf";
import { Construct } from "constructs";
import { at, fail } from "../../errors";
import { isLate } from "../../model/late";
import {
  type Kind,
  type ObjectKind,
  anything,
  boolean,
  checkProps,
  either,
  example,
  list,
  made,
  object,
  optional,
  text,
} from "../../model/shape";
import { IDENTITY_BINDING, IDENTITY_BINDING_API } from "../../rules/azure/identity-binding";
import { parseClusterId } from "../../rules/azure/names";
import { PROVIDER } from "../shared/kinds";
import { PerStack } from "../shared/per-scope";
import { dependsOn } from "../shared/references";
import type { IWorkloadIdentity } from "./adopted";
import { hclText } from "./renamed-arguments";
import { AKS_CLUSTER } from "./spoke";

/** An AKS cluster: declared, looked up, or its resource id, which may be late. */
export type IdentityBindingCluster = KubernetesCluster | DataAzurermKubernetesCluster | string;

const CLUSTER: Kind<IdentityBindingCluster> = either(text, AKS_CLUSTER);

/** How the workloads of an AKS cluster get their identities by identity bindings. */
export interface WorkloadIdentityBinding {
  /** The cluster. */
  readonly cluster: IdentityBindingCluster;
  /**
   * The Terraform provider azapi, as `cdktf get` generates it.
   *
   * @defaultValue - the stack's default azapi provider, which Terraform installs from Azure/azapi
   */
  readonly provider?: TerraformProvider;
  /**
   * Whether the identities also trust the cluster's tokens: pods that were created without the annotation keep their
   * access.
   *
   * @defaultValue false
   */
  readonly federatedCredentials?: boolean;
}

export const WORKLOAD_IDENTITY_BINDING: Kind<IdentityBindingCluster | WorkloadIdentityBinding> = either(
  CLUSTER,
  object<WorkloadIdentityBinding>({
    cluster: CLUSTER,
    provider: optional(PROVIDER),
    federatedCredentials: optional(boolean),
  }),
);

export function identityBindingSettings(
  given: IdentityBindingCluster | WorkloadIdentityBinding | undefined,
): WorkloadIdentityBinding | undefined {
  const isCluster = typeof given === "string" || (given !== undefined && "kubeConfig" in given);
  return isCluster ? { cluster: given } : given;
}

/** What a declared cluster says that rules out identity bindings; a late setting is an object, and passes. */
export function clusterLimits(cluster: IdentityBindingCluster): {
  readonly withoutWebhook: boolean;
  readonly isInNetwork: boolean;
} {
  if (typeof cluster === "string" || !("workloadIdentityEnabledInput" in cluster))
    return { withoutWebhook: false, isInNetwork: false };
  const profile = cluster.apiServerAccessProfileInput;
  return {
    withoutWebhook: (cluster.workloadIdentityEnabledInput ?? false) === false,
    isInNetwork: profile?.virtualNetworkIntegrationEnabled === true,
  };
}

/** What a binding needs of an identity. */
export type BoundIdentity = Pick<IWorkloadIdentity, "resourceId" | "credentials">;

/** Properties of an {@link IdentityBinding}. */
export interface IdentityBindingProps extends Pick<WorkloadIdentityBinding, "cluster" | "provider"> {
  /** The identity. AKS adds the federated identity credential `aks-identity-binding` to it, and leaves it there. */
  readonly identity: BoundIdentity;
  /** Name of the binding in the cluster, 1 to 63 small letters and digits that begin with a letter. */
  readonly bindingName: string;
}

const IDENTITY_BINDING_PROPS: ObjectKind<IdentityBindingProps> = object({
  cluster: CLUSTER,
  provider: optional(PROVIDER),
  identity: made("an identity: new WorkloadIdentity(…)", "new WorkloadIdentity(…)", {
    resourceId: text,
    credentials: list(anything),
  }),
  bindingName: example(text, '"shopweb"'),
});

const declared = new PerStack<IdentityBinding>();

/**
 * Lets workloads of an AKS cluster use an identity, if RBAC of the cluster allows their service accounts the verb
 * `use-managed-identity`.
 *
 * Children: `Resource`.
 */
export class IdentityBinding extends Construct {
  /** The Terraform resource, of the type `azapi_resource`. */
  readonly resource: TerraformResource;

  constructor(scope: Construct, id: string, props: IdentityBindingProps) {
    checkProps(new.target.name, scope, id, IDENTITY_BINDING_PROPS, props);
    super(scope, id);
    const { identity, provider, bindingName: name } = props;
    const cluster = clusterId(props.cluster);
    at(this, () => {
      if (!isLate(cluster)) parseClusterId(cluster);
      if (!/^[a-z][a-z0-9]{0,62}$/.test(name))
        fail("azure-invalid", {
          problem: "the name of an identity binding is not valid",
          value: name,
          allowed: "1 to 63 of a-z and 0-9, beginning with a letter",
          remedy: "use a name that Azure allows",
        });
    });
    this.resource = new AzapiResource(
      this,
      {
        type: `${IDENTITY_BINDING}@${IDENTITY_BINDING_API}`,
        name,
        parent_id: cluster,
        body: { properties: { managedIdentity: { resourceId: identity.resourceId } } },
      },
      provider,
    );
    // AKS writes a credential, and Azure refuses two writes at a time on one identity.
    dependsOn(this.resource, identity.credentials.slice(-1));
    // Without it, Terraform looks for a provider hashicorp/azapi.
    if (!provider)
      TerraformStack.of(this).addOverride("terraform.required_providers.azapi.source", "Azure/azapi");
    declared.set(this, keyOf(cluster, identity), this);
  }
}

/** Declares the binding of an identity unless the stack has it, as for several service accounts of one identity. */
export function bindOnce(scope: Construct, id: string, props: IdentityBindingProps): void {
  const key = keyOf(clusterId(props.cluster), props.identity);
  if (!declared.get(scope, key)) new IdentityBinding(scope, id, props);
}

/** The cluster's name in AKS, if it is literal. */
export function nameOf(cluster: IdentityBindingCluster): string | undefined {
  if (typeof cluster === "string") return isLate(cluster) ? undefined : parseClusterId(cluster).name;
  return isLate(cluster.nameInput) ? undefined : cluster.nameInput;
}

function clusterId(cluster: IdentityBindingCluster): string {
  return typeof cluster === "string" ? cluster : cluster.id;
}

/** Azure ignores letter case in ids; a late one is equal only to itself. */
function keyOf(cluster: string, { resourceId }: BoundIdentity): string {
  return JSON.stringify([cluster, resourceId].map((id) => (isLate(id) ? id : id.toLowerCase())));
}

class AzapiResource extends TerraformResource {
  readonly #arguments: Readonly<Record<string, unknown>>;

  constructor(scope: Construct, values: Readonly<Record<string, unknown>>, provider?: TerraformProvider) {
    super(scope, "Resource", { terraformResourceType: "azapi_resource", ...(provider && { provider }) });
    this.#arguments = values;
  }

  protected override synthesizeAttributes(): Record<string, unknown> {
    return { ...this.#arguments };
  }

  protected override synthesizeHclAttributes(): Record<string, unknown> {
    const written = (value: unknown): object =>
      typeof value === "string"
        ? hclText(value)
        : { value, isBlock: false, type: "map", storageClassType: "anyMap" };
    return Object.fromEntries(Object.entries(this.#arguments).map(([name, value]) => [name, written(value)]));
  }
}
