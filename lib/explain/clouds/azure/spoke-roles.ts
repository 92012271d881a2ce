/*
 * What roles of Azure allow at the Kubernetes API of an AKS cluster: data actions on managed clusters alone count there.
 * Source: learn.microsoft.com, "Azure built-in roles for Containers".
 */

import { isLateText } from "../../facts/terraform";
import { globMatches } from "../../glob";
import type { AssignmentFact } from "./entra";
import type { RolePermissionsFact } from "./role-definitions";

const RBAC_ROLE = /^Azure Kubernetes Service RBAC (?:Cluster Admin|Admin|Reader|Writer)$/i;
/** Built-in roles that are known to allow nothing there; any other name may be that of a custom role. */
const NOTHING =
  /^(?:Owner|Contributor|Reader|User Access Administrator|Role Based Access Control Administrator|Network Contributor|Acr\w+|Azure Kubernetes Service (?:Cluster \w+|Contributor) Role|Azure Kubernetes Service Cluster Monitoring User|(?:Container Registry|Key Vault|Managed Identity|Monitoring|Storage) .+)$/i;
const OF_CLUSTERS = "microsoft.containerservice/managedclusters/";

/** Whether an assigned role allows anything there, wherever it counts; `undefined` where that is not read. */
export function allowsAtCluster({ role, permissions }: AssignmentFact): boolean | undefined {
  if (RBAC_ROLE.test(role)) return true;
  if (permissions !== undefined) return allowed(permissions);
  return role !== "" && NOTHING.test(role) ? false : undefined;
}

function allowed(permissions: readonly RolePermissionsFact[]): boolean | undefined {
  const outcomes = permissions.flatMap(({ dataActions, notDataActions }) =>
    dataActions.map((action) => {
      if (isLateText(action) || notDataActions.some(isLateText)) return undefined;
      const known = action.toLowerCase();
      const isOfClusters = known.startsWith(OF_CLUSTERS) || globMatches(known, `${OF_CLUSTERS}pods/read`);
      return isOfClusters && !notDataActions.some((each) => globMatches(each.toLowerCase(), known));
    }),
  );
  return outcomes.includes(true) || (outcomes.includes(undefined) ? undefined : false);
}
