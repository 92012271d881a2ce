/*
 * What a principal may do within an AKS cluster. Source: learn.microsoft.com, "Use Microsoft Entra ID and Azure RBAC
 * for Kubernetes authorization" for the roles and for the scope of a namespace; "Azure built-in roles".
 */

import { fail } from "../../errors";
import { namespaceName } from "../../model/kubernetes-name";
import { isLate } from "../../model/late";
import { type ObjectKind, list, object, optional, text } from "../../model/shape";
import { parseClusterId } from "./names";
import { accessRoles, isRoleDefinitionId } from "./access";

/**
 * Built-in roles for the Kubernetes API. All but the cluster admin's know the built-in kinds of Kubernetes alone: for
 * custom resources use that one, or your own role.
 */
export type AksRoleName =
  | "Azure Kubernetes Service RBAC Admin"
  | "Azure Kubernetes Service RBAC Cluster Admin"
  | "Azure Kubernetes Service RBAC Reader"
  | "Azure Kubernetes Service RBAC Writer";

/** A role within a cluster, and where it counts. */
export interface AksRoleGrant {
  /** One of {@link AksRoleName}, or resource id of a role definition with data actions; a late value is taken for an id. */
  readonly role: string;
  /**
   * Namespaces in which it counts.
   *
   * @defaultValue - the whole cluster
   */
  readonly namespaces?: readonly string[];
}

export const AKS_ROLE_GRANT: ObjectKind<AksRoleGrant> = object({
  role: text,
  namespaces: optional(list(text)),
});

/** A role assignment to declare. */
export interface AksAssignment {
  /** Tells it from the others of its principal, stable when others are added: `Writer_shop`, `ClusterAdmin`. */
  readonly key: string;
  /** The role. */
  readonly role: string;
  /** Resource id of the cluster, or of a namespace in it; late where the cluster's is. */
  readonly scope: string;
}

const PREFIX = "Azure Kubernetes Service RBAC ";
const ROLES: readonly AksRoleName[] = [
  `${PREFIX}Admin`,
  `${PREFIX}Cluster Admin`,
  `${PREFIX}Reader`,
  `${PREFIX}Writer`,
];

/** The assignments for one principal, sorted by key among the literal ones; what appears twice is taken once. */
export function aksAssignments(clusterId: string, grants: readonly AksRoleGrant[]): readonly AksAssignment[] {
  if (!isLate(clusterId)) parseClusterId(clusterId);
  const known = new Map<string, AksAssignment>();
  for (const [index, { role, namespaces }] of grants.entries()) {
    const name = roleKey(role, index);
    if (namespaces?.length === 0)
      fail("azure-missing", {
        problem: "role is limited to an empty list of namespaces",
        value: role,
        allowed: "at least one namespace; without `namespaces` it counts in the whole cluster",
        remedy: "name the namespaces, or leave the role out",
      });
    for (const namespace of namespaces ?? [undefined]) {
      const key = namespace === undefined ? name : `${name}_${namespaceName(namespace)}`;
      const scope = namespace === undefined ? clusterId : `${clusterId}/namespaces/${namespace}`;
      known.set(key, { key, role, scope });
    }
  }
  const assignments = [...known.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
  accessRoles(assignments.map(({ role, scope }) => ({ role, scope })));
  return assignments;
}

/** A late value is never read: those are told apart by their place. */
function roleKey(role: string, index: number): string {
  if (isLate(role)) return `Role${index}`;
  if (typeof role === "string" && isRoleDefinitionId(role)) return role.slice(role.lastIndexOf("/") + 1);
  const found = ROLES.find((known) => known === role);
  return found === undefined
    ? fail("azure-unknown", {
        problem: "role allows nothing within an AKS cluster that this library knows of",
        value: role,
        allowed: `${ROLES.join(", ")}, or the id of your own role definition with dataActions`,
        remedy:
          "use an RBAC role; Azure Kubernetes Service Cluster User Role and its like only hand out kubeconfig files",
      })
    : found.slice(PREFIX.length).replace(" ", "");
}
