import type { DataAzurermKubernetesCluster } from "@cdktf/provider-azurerm/lib/data-azurerm-kubernetes-cluster/index.js";
import type { KubernetesCluster } from "@cdktf/provider-azurerm/lib/kubernetes-cluster/index.js";
import type { AzurermProvider } from "@cdktf/provider-azurerm/lib/provider/index.js";
import { RoleAssignment } from "@cdktf/provider-azurerm/lib/role-assignment/index.js";
import { Annotations, Fn, Token } from "cdktf";
import { Construct } from "constructs";
import { at, fail } from "../../errors";
import type { AccessPrincipal } from "../../model/access-principal";
import type { ISpokeAccess, SpokeEntry, SpokeEntryRequest } from "../../model/fleet";
import {
  type Kind,
  type ObjectKind,
  boolean,
  checkGiven,
  either,
  list,
  object,
  optional,
  text,
} from "../../model/shape";
import type { AccessGrant } from "../../model/workloads";
import { isRoleDefinitionId } from "../../rules/azure/access";
import { guid } from "../../rules/azure/names";
import {
  type AksAssignment,
  type AksRoleGrant,
  AKS_ROLE_GRANT,
  aksAssignments,
} from "../../rules/azure/spoke";
import { waitFor } from "../shared/across-stacks";
import { PROVIDER, elementOf } from "../shared/kinds";

/** An AKS cluster described by its attributes. */
export interface ExistingAksCluster {
  /** Resource id; may be late. */
  readonly id: string;
  /** URL of the API server, with `https://`; may be late. */
  readonly server: string;
  /** PEM certificate in base64, `cluster_ca_certificate` of its kubeconfig; may be late, but not sensitive. */
  readonly certificateAuthorityData: string;
  /**
   * Whether it uses Azure RBAC; `false` together with roles is refused.
   *
   * @defaultValue - unknown; assumed to be true if roles are given
   */
  readonly azureRbacEnabled?: boolean;
}

const EXISTING_AKS_CLUSTER: ObjectKind<ExistingAksCluster> = object({
  id: text,
  server: text,
  certificateAuthorityData: text,
  azureRbacEnabled: optional(boolean),
});

/**
 * Returns the facts of a cluster that is declared, looked up, or described.
 *
 * The server is built from the cluster's domain name, which is not sensitive. The certificate is public, but part of
 * the sensitive `kube_config` with a client key: only that attribute is read from it.
 */
function aksClusterFacts({
  cluster,
  roles = [],
  privateEndpoint,
}: AksSpokeProps): Omit<ExistingAksCluster, "azureRbacEnabled"> & { readonly warning: string | undefined } {
  const needsRbac = roles.length > 0;
  if (!("kubeConfig" in cluster)) {
    const { id, server, certificateAuthorityData, azureRbacEnabled } = cluster;
    if (needsRbac && azureRbacEnabled === false) refuseWithoutRbac(id);
    return { id, server, certificateAuthorityData, warning: undefined };
  }
  const declared = "privateClusterEnabledInput" in cluster;
  if (declared) requireEntra(cluster, needsRbac);
  const privately = privateEndpoint ?? (declared && cluster.privateClusterEnabledInput === true);
  return {
    id: cluster.id,
    server: `https://${privately ? cluster.privateFqdn : cluster.fqdn}:443`,
    certificateAuthorityData: Token.asString(Fn.nonsensitive(cluster.kubeConfig.get(0).clusterCaCertificate)),
    warning: kubeConfigWarning(cluster),
  };
}

function requireEntra(cluster: KubernetesCluster, needsRbac: boolean): void {
  const entra = cluster.azureActiveDirectoryRoleBasedAccessControlInput;
  if (entra === undefined)
    return fail("azure-unsupported", {
      problem: "AKS cluster does not accept tokens of Microsoft Entra",
      value: cluster.node.path,
      allowed: "a cluster with azure_active_directory_role_based_access_control",
      remedy: "add that block to the cluster: tokens of managed identities are issued by Entra",
    });
  // In azurerm it defaults to false. A late value is an object, and passes.
  if (needsRbac && (entra.azureRbacEnabled ?? false) === false) refuseWithoutRbac(cluster.node.path);
}

function refuseWithoutRbac(cluster: string): never {
  return fail("azure-unsupported", {
    problem: "`roles` has no effect on an AKS cluster without Azure RBAC",
    value: cluster,
    allowed: "azure_rbac_enabled = true; or no roles, and RBAC on the cluster",
    remedy: "set azure_rbac_enabled, or leave `roles` out and bind the controllers' users on the cluster",
  });
}

/** What the state has of a cluster that is declared or looked up; a late setting is an object, and passes. */
export function kubeConfigWarning(
  cluster: KubernetesCluster | DataAzurermKubernetesCluster,
): string | undefined {
  if (!("localAccountDisabledInput" in cluster))
    return "data source azurerm_kubernetes_cluster copies the cluster's kube_config into the state, with a client key unless local accounts are disabled: describe the cluster literally instead, or set local_account_disabled on it";
  return (cluster.localAccountDisabledInput ?? false) === false
    ? `AKS cluster ${cluster.node.path} does not set local_account_disabled, so the state has its kube_config with the client key of an administrator: set it, so that everyone logs in with Entra (kubelogin)`
    : undefined;
}

export const AKS_CLUSTER: Kind<KubernetesCluster | DataAzurermKubernetesCluster> = elementOf(
  "a KubernetesCluster or DataAzurermKubernetesCluster",
  "azurerm_kubernetes_cluster",
);

/**
 * Declares the role assignments of a managed identity in an AKS cluster, each a child under its key. A recreated
 * identity has another object id, so Terraform replaces its assignments too.
 */
function assignRoles(
  entry: Construct,
  principal: AccessPrincipal,
  { assignments, provider }: CheckedSpoke,
): void {
  for (const { key, role, scope } of assignments)
    waitFor(
      new RoleAssignment(entry, key, {
        scope,
        ...(isRoleDefinitionId(role) ? { roleDefinitionId: role } : { roleDefinitionName: role }),
        principalId: principal.name,
        // The service principal of a new identity reaches Entra's replicas late: neither look it up, nor its type.
        principalType: "ServicePrincipal",
        skipServicePrincipalAadCheck: true,
        ...(provider && { provider }),
      }),
      principal.dependencies,
    );
}

/** Settings of {@link aksSpoke}. */
export interface AksSpokeProps {
  /** The cluster: declared, looked up, or described by its attributes. */
  readonly cluster: KubernetesCluster | DataAzurermKubernetesCluster | ExistingAksCluster;
  /**
   * Roles of each controller, for a cluster with Azure RBAC.
   *
   * @defaultValue - none; RBAC on the spoke gives rights to each controller's user, the object id of its identity
   */
  readonly roles?: readonly AksRoleGrant[];
  /**
   * Whether controllers reach the cluster at its private address; a described cluster states its address itself.
   *
   * @defaultValue - private_cluster_enabled of a declared cluster; otherwise false
   */
  readonly privateEndpoint?: boolean;
  /**
   * Terraform provider of the cluster's subscription.
   *
   * @defaultValue - the stack's default azurerm provider
   */
  readonly provider?: AzurermProvider;
}

const AKS_SPOKE_PROPS: ObjectKind<AksSpokeProps> = object({
  cluster: either(EXISTING_AKS_CLUSTER, AKS_CLUSTER),
  roles: optional(list(AKS_ROLE_GRANT)),
  privateEndpoint: optional(boolean),
  provider: optional(PROVIDER),
});

interface CheckedSpoke {
  readonly assignments: readonly AksAssignment[];
  readonly warning: string | undefined;
  readonly provider: AzurermProvider | undefined;
}

/**
 * Returns an AKS cluster as a spoke: each controller's managed identity gets Azure roles there, or RBAC of the cluster
 * gives rights to its object id.
 *
 * No role to read kubeconfigs is needed: server and certificate are in the profile. With roles, it declares in the
 * scope a construct with the spoke's name, and in that one per controller, `<namespace>_<service account>`, with its
 * role assignments.
 */
export function aksSpoke(props: AksSpokeProps): ISpokeAccess<Construct> {
  checkGiven("aksSpoke()", AKS_SPOKE_PROPS, props);
  const { roles = [], provider } = props;
  const facts = aksClusterFacts(props);
  const { server, certificateAuthorityData, warning } = facts;
  const spoke: CheckedSpoke = { assignments: aksAssignments(facts.id, roles), warning, provider };
  return {
    cloud: "azure",
    endpoint: { server, certificateAuthorityData },
    parameters: {},
    authorizes: spoke.assignments.length > 0,
    declare: (scope, request) => declareEntries(scope, request, spoke),
  };
}

function declareEntries(
  scope: Construct,
  { spoke: name, controllers }: SpokeEntryRequest,
  spoke: CheckedSpoke,
): SpokeEntry {
  const { assignments, warning } = spoke;
  const authorized = assignments.length > 0;
  const principals = at({ node: { path: `spoke ${name}` } }, () =>
    controllers.map((grant) => [grant.subject, principalOf(grant)] as const),
  );
  const parent = new Construct(scope, name);
  if (warning !== undefined) Annotations.of(parent).addWarning(warning);
  if (authorized)
    for (const [{ namespace, name: account }, principal] of principals)
      assignRoles(new Construct(parent, `${namespace}_${account}`), principal, spoke);
  return {
    users: principals.map(([subject, principal]) => ({
      subject,
      user: principal.name,
      groups: [],
      authorized,
    })),
  };
}

function principalOf({ subject, principal }: AccessGrant): AccessPrincipal {
  if (principal === undefined)
    return fail("azure-missing", {
      problem:
        "object id of the controller's identity is unknown, and AKS identifies principals only by object id",
      value: subject.key,
      allowed: "an identity of workloadIdentities(), or a grant with `principal`",
      remedy: "state the object id as `principal.name`: `az identity show --query principalId`",
    });
  const name = guid(`object id of ${subject.key}`, principal.name);
  return { name, dependencies: principal.dependencies };
}
