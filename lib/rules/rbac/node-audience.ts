import { rbacAllows, readRbac } from "./evaluate";

/** The verb that the API server asks RBAC for; the audience stands in the place of the resource. */
export const TOKEN_AUDIENCE_VERB = "request-serviceaccounts-token-audience";

/** Groups of a node's user: that of its certificate, and the one that every authenticated user is in. */
export const DEFAULT_NODE_GROUPS: readonly string[] = ["system:nodes", "system:authenticated"];

/** A question about the RBAC part of the audience check. */
export interface NodeMayRequestAudienceOptions {
  /** Parsed Roles, ClusterRoles, RoleBindings and ClusterRoleBindings; other kinds are ignored. */
  readonly objects: readonly unknown[];
  /** The audience, compared exactly. */
  readonly audience: string;
  /** Namespace of the service account. */
  readonly namespace: string;
  /** Name of the service account. */
  readonly serviceAccount: string;
  /** Name of the node; its user is `system:node:<name>`. */
  readonly node: string;
  /**
   * Groups of the node's user.
   *
   * @defaultValue `["system:nodes", "system:authenticated"]`
   */
  readonly nodeGroups?: readonly string[];
}

/**
 * True where RBAC lets the node request a token of the service account for an audience that the pod does not
 * reference itself. The subject is the node, never the service account.
 *
 * Source: kubernetes:plugin/pkg/admission/noderestriction/admission.go, 1.33 and newer. Never throws.
 */
export function nodeMayRequestAudience(options: NodeMayRequestAudienceOptions): boolean {
  const {
    objects,
    audience,
    namespace,
    serviceAccount,
    node,
    nodeGroups = DEFAULT_NODE_GROUPS,
  } = options ?? {};
  // A caller without types may hand over anything; what says nothing grants nothing.
  const texts = [audience, namespace, serviceAccount, node];
  if (!Array.isArray(objects) || !Array.isArray(nodeGroups) || texts.some((text) => typeof text !== "string"))
    return false;
  return rbacAllows(readRbac(objects), {
    user: `system:node:${node}`,
    groups: nodeGroups,
    verb: TOKEN_AUDIENCE_VERB,
    apiGroup: "",
    resource: audience,
    name: serviceAccount,
    namespace,
  });
}
