/*
 * RBAC as kube-apiserver evaluates it (kubernetes:pkg/registry/rbac/validation/rule.go,
 * pkg/apis/rbac/v1/evaluation_helpers.go): every comparison is exact, and `*` matches everything but is not a glob.
 */

import { push } from "../../model/grouped";
import { serviceAccountUser } from "../../model/namespaced-name";
import {
  type PolicyRule,
  type RbacBinding,
  type RbacRole,
  type RbacSubject,
  readBinding,
  readRole,
  selectorMatches,
} from "./rbac-objects";

/** A request for a resource, as the authorizer sees it. */
export interface RbacRequest {
  /** User name; a service account is `system:serviceaccount:<namespace>:<name>`. */
  readonly user: string;
  readonly groups: readonly string[];
  readonly verb: string;
  /** API group; `""` is the core group. */
  readonly apiGroup: string;
  readonly resource: string;
  /**
   * Subresource, for example `token`.
   *
   * @defaultValue - the resource itself
   */
  readonly subresource?: string;
  /** Name of the object; empty if the request names none. */
  readonly name: string;
  /** Namespace of the object; empty for a cluster-scoped object, to which RoleBindings cannot grant access. */
  readonly namespace: string;
}

/** The binding and the role that allow a request, for explanations. */
export interface RbacGrant {
  readonly binding: RbacBinding;
  readonly rule: PolicyRule;
}

/** A binding with the rules of its role; aggregated roles are already resolved. */
interface BoundRules {
  readonly binding: RbacBinding;
  /** Empty if the role does not exist. */
  readonly rules: readonly PolicyRule[];
}

/** Roles and bindings, indexed once for many requests. */
export interface RbacPolicy {
  /** Bindings by the namespace in which they grant; `""` for those that apply to the whole cluster. */
  readonly bound: ReadonlyMap<string, readonly BoundRules[]>;
}

/**
 * Reads parsed Roles, ClusterRoles, RoleBindings and ClusterRoleBindings; other kinds and malformed objects are
 * ignored. If two objects have the same kind, namespace and name, the later one wins, as if applied in order.
 */
export function readRbac(objects: readonly unknown[]): RbacPolicy {
  const roles = new Map<string, RbacRole>();
  const bindings = new Map<string, RbacBinding>();
  for (const [index, object] of objects.entries()) {
    const role = readRole(object);
    const binding = readBinding(object);
    if (role) roles.set(key(role.kind, role.namespace, role.name), role);
    if (binding) bindings.set(key(binding.kind, binding.namespace, binding.name || index), binding);
  }
  const bound = new Map<string, BoundRules[]>();
  for (const binding of bindings.values()) {
    push(bound, binding.namespace, { binding, rules: rulesOf(binding, roles) });
  }
  return { bound };
}

/** The first binding and rule that allow the request; `undefined` if none does. RBAC has no deny rules. */
export function findRbacGrant(policy: RbacPolicy, request: RbacRequest): RbacGrant | undefined {
  const { namespace } = request;
  return grantIn("", policy, request) ?? (namespace === "" ? undefined : grantIn(namespace, policy, request));
}

function grantIn(namespace: string, { bound }: RbacPolicy, request: RbacRequest): RbacGrant | undefined {
  for (const { binding, rules } of bound.get(namespace) ?? []) {
    if (!binding.subjects.some((subject) => isSubject(subject, binding, request))) continue;
    const rule = rules.find((candidate) => ruleAllows(candidate, request));
    if (rule) return { binding, rule };
  }
  return undefined;
}

/** True if RBAC alone allows the request; other authorizers are not consulted. */
export function rbacAllows(policy: RbacPolicy, request: RbacRequest): boolean {
  return findRbacGrant(policy, request) !== undefined;
}

/** A RoleBinding without a namespace, or to a role that does not exist, grants nothing. */
function rulesOf(binding: RbacBinding, roles: ReadonlyMap<string, RbacRole>): readonly PolicyRule[] {
  const { kind, namespace, roleKind, roleName } = binding;
  if (kind === "RoleBinding" && namespace === "") return [];
  if (roleKind === "ClusterRole") return aggregatedRules(roles.get(key("ClusterRole", "", roleName)), roles);
  const isRole = roleKind === "Role" && kind === "RoleBinding";
  return isRole ? (roles.get(key("Role", namespace, roleName))?.rules ?? []) : [];
}

/**
 * The rules of a ClusterRole after the aggregation controller has run: an aggregated role's rules are replaced by
 * those of all ClusterRoles that its selectors match, which may themselves be aggregated. Cycles of aggregated roles
 * add no rules.
 */
function aggregatedRules(
  root: RbacRole | undefined,
  roles: ReadonlyMap<string, RbacRole>,
): readonly PolicyRule[] {
  const pending = root ? [root] : [];
  const seen = new Set<RbacRole>(pending);
  const rules: PolicyRule[] = [];
  for (let role = pending.pop(); role; role = pending.pop()) {
    const { aggregates } = role;
    if (!aggregates) {
      for (const rule of role.rules) rules.push(rule);
      continue;
    }
    for (const other of roles.values()) {
      const selected =
        other.kind === "ClusterRole" &&
        aggregates.some((selector) => selectorMatches(selector, other.labels));
      if (!selected || seen.has(other)) continue;
      seen.add(other);
      pending.push(other);
    }
  }
  return rules;
}

function isSubject(subject: RbacSubject, binding: RbacBinding, { user, groups }: RbacRequest): boolean {
  if (subject.kind === "User") return subject.name === user;
  if (subject.kind === "Group") return groups.includes(subject.name);
  const namespace = subject.namespace || binding.namespace;
  return namespace !== "" && user === serviceAccountUser({ namespace, name: subject.name });
}

function ruleAllows(rule: PolicyRule, request: RbacRequest): boolean {
  const { verb, apiGroup, resource, subresource = "", name } = request;
  const combined = subresource === "" ? resource : `${resource}/${subresource}`;
  return (
    includesOrAll(rule.verbs, verb) &&
    includesOrAll(rule.apiGroups, apiGroup) &&
    (includesOrAll(rule.resources, combined) ||
      (subresource !== "" && rule.resources.includes(`*/${subresource}`))) &&
    (rule.resourceNames.length === 0 || rule.resourceNames.includes(name))
  );
}

function includesOrAll(list: readonly string[], value: string): boolean {
  return list.includes("*") || list.includes(value);
}

function key(...parts: readonly (string | number)[]): string {
  return JSON.stringify(parts);
}

/** The verb for which the API server asks RBAC; the audience is passed as the resource. */
export const TOKEN_AUDIENCE_VERB = "request-serviceaccounts-token-audience";

/** Groups of a node's user: the one in its certificate, and the one that contains every authenticated user. */
export const DEFAULT_NODE_GROUPS: readonly string[] = ["system:nodes", "system:authenticated"];

/** The inputs of {@link nodeMayRequestAudience}. */
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
 * True if RBAC allows the node to request a token of the service account for an audience that the pod itself does not
 * reference. The RBAC subject is the node, never the service account.
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
  // Callers without types may pass anything; an invalid value grants nothing.
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

/*
 * Roles and bindings of several folders. Files of a folder are applied in order; the folders' order is unknown.
 */

export interface PlacedObject {
  readonly value: unknown;
  readonly folder: string;
}

/**
 * The resulting policies for the orders in which folders may be applied, first that of the objects. There is only one
 * unless folders declare the same object differently: then each of those folders comes last once.
 */
export function readRbacInAnyOrder(objects: readonly PlacedObject[]): readonly [RbacPolicy, ...RbacPolicy[]] {
  const contested = contestedFolders(objects);
  const policy = readRbac(objects.map(({ value }) => value));
  if (contested.size === 0) return [policy];
  const folders = [...new Set(objects.map(({ folder }) => folder))];
  const statedOrder = folders.join("\n");
  const orders = new Map(
    [...contested].flatMap((last) => {
      const others = folders.filter((folder) => folder !== last);
      return [others, others.toReversed()].map((first) => [[...first, last].join("\n"), [...first, last]]);
    }),
  );
  orders.delete(statedOrder);
  return [policy, ...[...orders.values()].map((order) => readRbac(inOrder(objects, order)))];
}

function inOrder(objects: readonly PlacedObject[], folders: readonly string[]): readonly unknown[] {
  const byFolder = new Map<string, unknown[]>(folders.map((folder) => [folder, []]));
  for (const { value, folder } of objects) byFolder.get(folder)?.push(value);
  return [...byFolder.values()].flat();
}

/** The folders that declare an object that another folder declares differently. */
function contestedFolders(objects: readonly PlacedObject[]): ReadonlySet<string> {
  const first = new Map<string, PlacedObject>();
  const contested = new Set<string>();
  for (const object of objects) {
    const named = readRole(object.value) ?? readBinding(object.value);
    if (!named || named.name === "") continue;
    const key = JSON.stringify([named.kind, named.namespace, named.name]);
    const other = first.get(key) ?? object;
    first.set(key, other);
    if (other.folder === object.folder || isAlike(other, object)) continue;
    contested.add(other.folder).add(object.folder);
  }
  return contested;
}

function isAlike(one: PlacedObject, other: PlacedObject): boolean {
  return JSON.stringify(one.value) === JSON.stringify(other.value);
}
