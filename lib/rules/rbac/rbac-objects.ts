/*
 * Roles and bindings as the API server would store them, read from parsed manifests. Malformed objects grant nothing,
 * and nothing here throws.
 */

import { isRecord } from "../../model/record";
import { list, record, text, texts } from "../../model/parsed";

/** One rule of a role: lists of texts, compared exactly; `*` matches everything (but not in resourceNames). */
export interface PolicyRule {
  readonly verbs: readonly string[];
  /** API groups; `""` is the core group. */
  readonly apiGroups: readonly string[];
  /** Resources, with subresource as `serviceaccounts/token`; `*` + `/token` matches it for every resource. */
  readonly resources: readonly string[];
  /** Names of objects; empty for all names. */
  readonly resourceNames: readonly string[];
}

export interface RbacRole {
  readonly kind: string;
  readonly name: string;
  /** `metadata.namespace`; empty for a ClusterRole. */
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly rules: readonly PolicyRule[];
  /** Label selectors of `aggregationRule`; `undefined` for a role that is not aggregated. */
  readonly aggregates: readonly unknown[] | undefined;
}

export interface RbacSubject {
  readonly kind: string;
  readonly name: string;
  /** Namespace of a service account; empty means the namespace of the binding. */
  readonly namespace: string;
}

export interface RbacBinding {
  readonly kind: string;
  readonly name: string;
  /** `metadata.namespace`; empty for a ClusterRoleBinding. */
  readonly namespace: string;
  readonly roleKind: string;
  readonly roleName: string;
  readonly subjects: readonly RbacSubject[];
}

const GROUP = "rbac.authorization.k8s.io";

/** A Role or ClusterRole, or `undefined` for anything else. */
export function readRole(object: unknown): RbacRole | undefined {
  const kind = kindOf(object);
  const meta = record(record(object)["metadata"]);
  if ((kind !== "Role" && kind !== "ClusterRole") || text(meta["name"]) === "") return undefined;
  const { rules, aggregationRule } = record(object);
  const aggregated =
    kind === "ClusterRole" && typeof aggregationRule === "object" && aggregationRule !== null;
  return {
    kind,
    name: text(meta["name"]),
    namespace: kind === "Role" ? text(meta["namespace"]) : "",
    labels: Object.fromEntries(
      Object.entries(record(meta["labels"])).filter(
        (entry): entry is [string, string] => typeof entry[1] === "string",
      ),
    ),
    rules: list(rules).map(readRule),
    aggregates: aggregated ? list(record(aggregationRule)["clusterRoleSelectors"]) : undefined,
  };
}

function readRule(rule: unknown): PolicyRule {
  const { verbs, apiGroups, resources, resourceNames } = record(rule);
  return {
    verbs: texts(verbs),
    apiGroups: texts(apiGroups),
    resources: texts(resources),
    resourceNames: texts(resourceNames),
  };
}

/** A RoleBinding or ClusterRoleBinding, or `undefined` for anything else. */
export function readBinding(object: unknown): RbacBinding | undefined {
  const kind = kindOf(object);
  if (kind !== "RoleBinding" && kind !== "ClusterRoleBinding") return undefined;
  const meta = record(record(object)["metadata"]);
  const roleRef = record(record(object)["roleRef"]);
  if (!isDefaultedGroup(roleRef["apiGroup"], GROUP)) return undefined;
  return {
    kind,
    name: text(meta["name"]),
    namespace: kind === "RoleBinding" ? text(meta["namespace"]) : "",
    roleKind: text(roleRef["kind"]),
    roleName: text(roleRef["name"]),
    subjects: list(record(object)["subjects"]).flatMap(readSubject),
  };
}

/** The API group that the API server requires of a subject; it fills in an empty field. */
const SUBJECT_GROUPS: Readonly<Record<string, string>> = { User: GROUP, Group: GROUP, ServiceAccount: "" };

function readSubject(subject: unknown): RbacSubject[] {
  const { kind, apiGroup, name, namespace } = record(subject);
  const group = Object.hasOwn(SUBJECT_GROUPS, text(kind)) ? SUBJECT_GROUPS[text(kind)] : undefined;
  if (group === undefined || !isDefaultedGroup(apiGroup, group)) return [];
  return [{ kind: text(kind), name: text(name), namespace: text(namespace) }];
}

function isDefaultedGroup(value: unknown, group: string): boolean {
  return value === undefined || value === null || value === "" || value === group;
}

/** The kind, or empty for an object of another API group; a manifest without apiVersion is assumed to be of RBAC's. */
function kindOf(object: unknown): string {
  const { kind, apiVersion } = record(object);
  return apiVersion === undefined || text(apiVersion).startsWith(`${GROUP}/`) ? text(kind) : "";
}

type Labels = Readonly<Record<string, string>>;

/**
 * True if a Kubernetes label selector matches an object's labels; an empty selector matches everything, a malformed
 * one nothing. Never throws.
 *
 * Source: `LabelSelectorAsSelector` in apimachinery:pkg/apis/meta/v1/helpers.go.
 */
export function selectorMatches(selector: unknown, labels: Labels): boolean {
  if (!isRecord(selector)) return false;
  const { matchLabels, matchExpressions } = selector;
  return labelsMatch(matchLabels ?? {}, labels) && expressionsMatch(matchExpressions ?? [], labels);
}

function labelsMatch(wanted: unknown, labels: Labels): boolean {
  if (!isRecord(wanted)) return false;
  return Object.entries(wanted).every(([key, value]) => Object.hasOwn(labels, key) && labels[key] === value);
}

function expressionsMatch(expressions: unknown, labels: Labels): boolean {
  return (
    Array.isArray(expressions) && expressions.every((expression) => expressionMatches(expression, labels))
  );
}

type Operator = (found: string | undefined, values: readonly unknown[]) => boolean;

const OPERATORS: Readonly<Record<string, Operator>> = {
  In: (found, values) => values.length > 0 && found !== undefined && values.includes(found),
  NotIn: (found, values) => values.length > 0 && (found === undefined || !values.includes(found)),
  Exists: (found, values) => values.length === 0 && found !== undefined,
  DoesNotExist: (found, values) => values.length === 0 && found === undefined,
};

function expressionMatches(expression: unknown, labels: Labels): boolean {
  const { key, operator, values } = record(expression);
  if (typeof key !== "string" || typeof operator !== "string") return false;
  const test = Object.hasOwn(OPERATORS, operator) ? OPERATORS[operator] : undefined;
  return test?.(Object.hasOwn(labels, key) ? labels[key] : undefined, list(values)) ?? false;
}
