/*
 * Permissions of a principal within an AKS cluster. Source: learn.microsoft.com, "Use Microsoft Entra ID and Azure RBAC
 * for Kubernetes authorization" for the roles and for the scope of a namespace; "Azure built-in roles".
 */

import { fail } from "../../errors";
import { namespaceName } from "../../model/kubernetes-name";
import { isLate } from "../../model/late";
import { type ObjectKind, example, list, object, optional, text } from "../../model/shape";
import { parseClusterId } from "./names";
import { accessRoles, isRoleDefinitionId } from "./access";

/**
 * Built-in roles for the Kubernetes API. All except the cluster admin's cover only Kubernetes' built-in kinds: for
 * custom resources use that one, or your own role.
 */
export type AksRoleName =
  | "Azure Kubernetes Service RBAC Admin"
  | "Azure Kubernetes Service RBAC Cluster Admin"
  | "Azure Kubernetes Service RBAC Reader"
  | "Azure Kubernetes Service RBAC Writer";

/** A role within a cluster, and where it applies. */
export interface AksRoleGrant {
  /** One of {@link AksRoleName}, or id of a role definition with data actions; a late value counts as an id. */
  readonly role: string;
  /**
   * Namespaces in which it applies.
   *
   * @defaultValue - the whole cluster
   */
  readonly namespaces?: readonly string[];
}

export const AKS_ROLE_GRANT: ObjectKind<AksRoleGrant> = object({
  role: example(text, '"Azure Kubernetes Service RBAC Reader"'),
  namespaces: optional(list(text)),
});

/** A role assignment to declare. */
export interface AksAssignment {
  /** Identifies it among its principal's; stable when others are added: `Writer_shop`, `ClusterAdmin`. */
  readonly key: string;
  /** Name of a built-in role, or id of a role definition. */
  readonly role: string;
  /** Resource id of the cluster, or of a namespace in it; late if the cluster's is. */
  readonly scope: string;
}

const PREFIX = "Azure Kubernetes Service RBAC ";
const ROLES: readonly AksRoleName[] = [
  `${PREFIX}Admin`,
  `${PREFIX}Cluster Admin`,
  `${PREFIX}Reader`,
  `${PREFIX}Writer`,
];

/** The assignments for one principal without duplicates, literal ones sorted by key. */
export function aksAssignments(clusterId: string, grants: readonly AksRoleGrant[]): readonly AksAssignment[] {
  if (!isLate(clusterId)) parseClusterId(clusterId);
  const known = new Map<string, AksAssignment>();
  for (const [index, { role, namespaces }] of grants.entries()) {
    const name = roleKey(role, index);
    if (namespaces?.length === 0)
      fail("azure-missing", {
        problem: "the role is limited to an empty list of namespaces",
        value: role,
        allowed: "at least one namespace; without `namespaces` the role applies in the whole cluster",
        remedy: "name the namespaces, or remove the role",
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

/** Late values are never read, so they are distinguished by position. */
function roleKey(role: string, index: number): string {
  if (isLate(role)) return `Role${index}`;
  if (typeof role === "string" && isRoleDefinitionId(role)) return role.slice(role.lastIndexOf("/") + 1);
  const knownRole = ROLES.find((known) => known === role);
  return knownRole === undefined
    ? fail("azure-unknown", {
        problem: "the role is not known to allow anything within an AKS cluster",
        value: role,
        allowed: `${ROLES.join(", ")}, or the id of your own role definition with dataActions`,
        remedy:
          "use an RBAC role; Azure Kubernetes Service Cluster User Role and similar roles only provide kubeconfig files",
      })
    : knownRole.slice(PREFIX.length).replace(" ", "");
}
