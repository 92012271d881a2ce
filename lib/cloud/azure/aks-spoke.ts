import type { DataAzurermKubernetesCluster } from "@cdktf/provider-azurerm/lib/data-azurerm-kubernetes-cluster/index.js";
import type { KubernetesCluster } from "@cdktf/provider-azurerm/lib/kubernetes-cluster/index.js";
import type { AzurermProvider } from "@cdktf/provider-azurerm/lib/provider/index.js";
import { Annotations } from "cdktf";
import { Construct } from "constructs";
import { at, fail } from "../../errors";
import type { ISpokeAccess, SpokeEntry, SpokeEntryRequest } from "../../model/fleet";
import type { AccessPrincipal } from "../../model/access-principal";
import type { AccessGrant } from "../../model/workloads";
import {
  type AksAssignment,
  type AksRoleGrant,
  AKS_ROLE_GRANT,
  aksAssignments,
} from "../../rules/azure/spoke";
import { guid } from "../../rules/azure/ids";
import {
  type ExistingAksCluster,
  AKS_CLUSTER,
  EXISTING_AKS_CLUSTER,
  aksClusterFacts,
} from "./aks-spoke-cluster";
import { AksSpokeEntry } from "./aks-spoke-entry";
import { type ObjectKind, boolean, checkGiven, either, list, object, optional } from "../../model/shape";
import { PROVIDER } from "../shared/kinds";

/** Settings of {@link aksSpoke}. */
export interface AksSpokeProps {
  /** The cluster: declared, looked up, or described by its endpoint. */
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
   * @defaultValue - what a declared cluster states as private_cluster_enabled; otherwise false
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

/** A spoke, checked. */
interface CheckedSpoke {
  readonly assignments: readonly AksAssignment[];
  readonly warning: string | undefined;
  readonly provider: AzurermProvider | undefined;
}

/**
 * An AKS cluster as a spoke: each controller's managed identity gets roles of Azure there, or is known to the
 * cluster's RBAC by its object id.
 *
 * No role for credentials files is needed: server and certificate stand in the profile. With roles, declares, in the
 * scope, a construct with the spoke's name and in it an `AksSpokeEntry` for each controller,
 * `<namespace>_<service account>`.
 *
 * Throws `azure-aks-role-unknown`, `azure-aks-namespaces-empty`, `azure-aks-entra-missing`, `azure-aks-rbac-off`,
 * `azure-role-invalid`, `azure-role-broad`, `azure-resource-id-invalid`, `namespace-invalid`; when
 * it is declared, `azure-aks-principal-missing` and `azure-guid-invalid` for controllers without an object id.
 */
export function aksSpoke(props: AksSpokeProps): ISpokeAccess<Construct> {
  checkGiven("aksSpoke()", AKS_SPOKE_PROPS, props);
  const { cluster, roles = [], privateEndpoint, provider } = props;
  const facts = aksClusterFacts(cluster, { privateEndpoint, azureRbac: roles.length > 0 });
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
  { assignments, warning, provider }: CheckedSpoke,
): SpokeEntry {
  const authorized = assignments.length > 0;
  const principals = at({ node: { path: `spoke ${name}` } }, () =>
    controllers.map((grant) => [grant.subject, principalOf(grant)] as const),
  );
  const parent = new Construct(scope, name);
  if (warning !== undefined) Annotations.of(parent).addWarning(warning);
  if (authorized)
    for (const [{ namespace, name: account }, principal] of principals)
      new AksSpokeEntry(parent, `${namespace}_${account}`, {
        principal,
        assignments,
        ...(provider && { provider }),
      });
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
        "object id of the controller's identity is not known, and AKS knows principals by nothing else",
      value: subject.key,
      allowed: "an identity made by workloadIdentities(), or a grant with `principal`",
      remedy: "give the object id as `principal.name`: `az identity show --query principalId`",
    });
  const name = guid(`object id of ${subject.key}`, principal.name);
  return { name, dependencies: principal.dependencies };
}
