import type { DataAzurermKubernetesCluster } from "@cdktf/provider-azurerm/lib/data-azurerm-kubernetes-cluster/index.js";
import type { KubernetesCluster } from "@cdktf/provider-azurerm/lib/kubernetes-cluster/index.js";
import { Fn, Token } from "cdktf";
import { fail } from "../../errors";
import { type ObjectKind, type Kind, boolean, object, optional, text } from "../../model/shape";
import { elementOf } from "../shared/kinds";

/** An AKS cluster by what is known of it. */
export interface ExistingAksCluster {
  /** Resource id; may be late. */
  readonly id: string;
  /** URL of the API server, with `https://`; may be late. */
  readonly server: string;
  /** Base64 of the PEM certificate, `cluster_ca_certificate` of its kubeconfig; may be late, must not be sensitive. */
  readonly certificateAuthorityData: string;
  /**
   * Whether it asks Azure for permissions; `false` with roles is refused.
   *
   * @defaultValue - not known, and taken for true where roles are given
   */
  readonly azureRbacEnabled?: boolean;
}

/** The kind of {@link ExistingAksCluster}. */
export const EXISTING_AKS_CLUSTER: ObjectKind<ExistingAksCluster> = object({
  id: text,
  server: text,
  certificateAuthorityData: text,
  azureRbacEnabled: optional(boolean),
});

/** What a spoke needs to know of its cluster. */
export interface AksClusterFacts {
  /** Resource id; may be late. */
  readonly id: string;
  /** URL of the API server. */
  readonly server: string;
  /** Base64 of the PEM certificate. */
  readonly certificateAuthorityData: string;
  /** Text of a warning; `undefined` where there is none. */
  readonly warning: string | undefined;
}

/** What shall hold of the cluster. */
export interface AksClusterUse {
  /** True for the address within the cluster's network; `undefined` for what the cluster itself states. */
  readonly privateEndpoint: boolean | undefined;
  /** True where roles of Azure shall count. */
  readonly azureRbac: boolean;
}

/**
 * What is known of a cluster that is declared, looked up, or described.
 *
 * The server is made of the cluster's domain name, which is not sensitive. The certificate is public, but stands in
 * the sensitive `kube_config` beside a client key: that one attribute alone is taken out of it.
 *
 * Throws `azure-aks-entra-missing` or `azure-aks-rbac-off`.
 */
export function aksClusterFacts(
  cluster: KubernetesCluster | DataAzurermKubernetesCluster | ExistingAksCluster,
  use: AksClusterUse,
): AksClusterFacts {
  if (!("kubeConfig" in cluster)) {
    const { id, server, certificateAuthorityData, azureRbacEnabled: asked } = cluster;
    if (use.azureRbac && asked === false)
      fail("azure-unsupported", {
        problem: "roles are given on an AKS cluster that does not ask Azure for permissions",
        value: id,
        allowed: "azure_rbac_enabled = true; or no roles, and RBAC on the cluster",
        remedy: "set azure_rbac_enabled, or leave `roles` out and bind the controllers' users on the cluster",
      });
    return { id, server, certificateAuthorityData, warning: undefined };
  }
  const declared = "privateClusterEnabledInput" in cluster;
  if (declared) requireEntra(cluster, use.azureRbac);
  const privately = use.privateEndpoint ?? (declared && cluster.privateClusterEnabledInput === true);
  return {
    id: cluster.id,
    server: `https://${privately ? cluster.privateFqdn : cluster.fqdn}:443`,
    certificateAuthorityData: Token.asString(Fn.nonsensitive(cluster.kubeConfig.get(0).clusterCaCertificate)),
    warning: declared ? undefined : LOOKED_UP,
  };
}

function requireEntra(cluster: KubernetesCluster, azureRbac: boolean): void {
  const entra = cluster.azureActiveDirectoryRoleBasedAccessControlInput;
  if (entra === undefined)
    return fail("azure-unsupported", {
      problem: "AKS cluster does not accept tokens of Microsoft Entra",
      value: cluster.node.path,
      allowed: "a cluster with azure_active_directory_role_based_access_control",
      remedy: "add that block to the cluster; the tokens of managed identities come from Entra",
    });
  // azurerm: false where it is left out. A late value is an object, and passes.
  if (azureRbac && (entra.azureRbacEnabled ?? false) === false)
    fail("azure-unsupported", {
      problem: "roles are given on an AKS cluster that does not ask Azure for permissions",
      value: cluster.node.path,
      allowed: "azure_rbac_enabled = true; or no roles, and RBAC on the cluster",
      remedy: "set azure_rbac_enabled, or leave `roles` out and bind the controllers' users on the cluster",
    });
}

const LOOKED_UP =
  "data source azurerm_kubernetes_cluster copies the cluster's kube_config into the state, with a client key unless local accounts are disabled: describe the cluster by id, server and certificate instead, or set local_account_disabled on it";

/** The kind of a cluster that is declared or looked up. */
export const AKS_CLUSTER: Kind<KubernetesCluster | DataAzurermKubernetesCluster> = elementOf(
  "a KubernetesCluster or DataAzurermKubernetesCluster",
  "azurerm_kubernetes_cluster",
);
