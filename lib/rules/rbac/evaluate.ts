/*
 * RBAC as kube-apiserver evaluates it (kubernetes:pkg/registry/rbac/validation/rule.go,
 * pkg/apis/rbac/v1/evaluation_helpers.go): every comparison is exact, `*` stands for all and for nothing less.
 */

import {
  type PolicyRule,
  type RbacBinding,
  type RbacRole,
  type RbacSubject,
  readBinding,
  readRole,
} from "./rbac-objects";
import { selectorMatches } from "./label-selector";

/** A request for a resource, as the authorizer sees it. */
export interface RbacRequest {
  /** User name; a service account is `system:serviceaccount:<namespace>:<name>`. */
  readonly user: string;
  /** All groups of the user, the automatic ones included. */
  readonly groups: readonly string[];
  /** For example `get`. */
  readonly verb: string;
  /** `""` is the core group. */
  readonly apiGroup: string;
  /** Plural name, for example `serviceaccounts`. */
  readonly resource: string;
  /**
   * For example `token`.
   *
   * @defaultValue - the resource itself
   */
  readonly subresource?: string;
  /** Name of the object; empty where the request names none. */
  readonly name: string;
  /** Namespace of the object; empty for an object of the cluster, which RoleBindings cannot grant. */
  readonly namespace: string;
}

/** Which binding and role allow a request; for explanations. */
export interface RbacGrant {
  /** The binding that names the user. */
  readonly binding: RbacBinding;
  /** The rule that covers the request. */
  readonly rule: PolicyRule;
}

/** A binding with the rules of the role that it refers to; aggregated roles already resolved. */
export interface BoundRules {
  /** The binding. */
  readonly binding: RbacBinding;
  /** Empty where the role does not exist. */
  readonly rules: readonly PolicyRule[];
}

/** Roles and bindings, read once for many requests. */
export interface RbacPolicy {
  /** By the namespace that a binding grants in; `""` for the bindings of the whole cluster. */
  readonly bound: ReadonlyMap<string, readonly BoundRules[]>;
}

/**
 * Reads parsed Roles, ClusterRoles, RoleBindings and ClusterRoleBindings; other kinds and malformed objects are
 * ignored. Of two objects of one kind, namespace and name the later one counts, as when they are applied in order.
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
    const entry = { binding, rules: rulesOf(binding, roles) };
    const sameNamespace = bound.get(binding.namespace);
    if (sameNamespace) sameNamespace.push(entry);
    else bound.set(binding.namespace, [entry]);
  }
  return { bound };
}

/** The first binding and rule that allow the request, `undefined` when nothing does. RBAC has no deny rules. */
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

/** True where RBAC alone allows the request; other authorizers are not asked. */
export function rbacAllows(policy: RbacPolicy, request: RbacRequest): boolean {
  return findRbacGrant(policy, request) !== undefined;
}

/** A RoleBinding without namespace, or to a role that does not exist, grants nothing. */
function rulesOf(binding: RbacBinding, roles: ReadonlyMap<string, RbacRole>): readonly PolicyRule[] {
  const { kind, namespace, roleKind, roleName } = binding;
  if (kind === "RoleBinding" && namespace === "") return [];
  if (roleKind === "ClusterRole") return aggregatedRules(roles.get(key("ClusterRole", "", roleName)), roles);
  const isRole = roleKind === "Role" && kind === "RoleBinding";
  return isRole ? (roles.get(key("Role", namespace, roleName))?.rules ?? []) : [];
}

/**
 * The rules of a ClusterRole after the aggregation controller has run: those of an aggregated role are replaced by
 * those of all ClusterRoles that its selectors select, which may be aggregated themselves. Roles that aggregate
 * each other gain nothing from that.
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
      rules.push(...role.rules);
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
  return namespace !== "" && user === `system:serviceaccount:${namespace}:${subject.name}`;
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
