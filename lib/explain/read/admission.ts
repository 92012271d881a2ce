/*
 * What changes or refuses objects before the API server stores them: webhooks, admission policies, and the policies of
 * Kyverno and Gatekeeper. They are not evaluated: it is read which objects they are for.
 *
 * Sources: kubernetes/api 0.37, admissionregistration/v1; kyverno/kyverno 1.15, api/kyverno/v1 (`Rule`, `MatchResources`)
 * and api/policies.kyverno.io; open-policy-agent/gatekeeper 3.20, pkg/mutation/match and apis/mutations;
 * kyverno.io/docs/writing-policies/mutate (anchors); open-policy-agent.github.io/gatekeeper/website/docs/mutation (`location`).
 */

import { type Json, at, list, record, text, texts } from "../../model/parsed";
import { isRecord } from "../../model/record";
import { selectorMatches } from "../../rules/rbac/rbac-objects";
import { POD_IDENTITY_WEBHOOK_ROWS } from "../../rules/pod-identity-webhooks";
import { matchesPattern } from "../../rules/wildcard";
import { type Coverage, words } from "../coverage/coverage";
import { KINDS } from "../coverage/kinds";
import type { FileDocument } from "./documents";
import type { Source } from "./source";

/** An object, or a request, that a chain consists of. */
export interface Admitted {
  /** `Pod`, `ServiceAccount/token`. */
  readonly kind: string;
  readonly group: string;
  /** `undefined` for that of any. */
  readonly namespace: string | undefined;
  /** The labels of each object that it stands for; `undefined` if they are not known. */
  readonly labels: readonly Labels[] | undefined;
}

type Labels = Readonly<Record<string, string>>;

/** Something that changes or refuses objects. */
export interface Admission {
  /** `ClusterPolicy add-secrets`. */
  readonly title: string;
  /** False if it only refuses objects. */
  readonly changes: boolean;
  readonly covers: (object: Admitted) => boolean;
  readonly source: Source;
}

type Found = Pick<Admission, "changes" | "covers">;
type Covers = Admission["covers"];

/** What is known about the labels of namespaces. */
type LabelsOf = (namespace: string) => { readonly labels: Labels; readonly isWhole: boolean };

/** What is read of the other documents. */
interface Context {
  readonly labelsOf: LabelsOf;
  readonly bindings: (kind: string, policy: string) => readonly unknown[];
}

type Reader = (value: Json, context: Context) => readonly Found[];

/** By API group and kind; each template of Gatekeeper makes a kind of its own. */
const READERS: readonly (readonly [kinds: RegExp, reader: Reader])[] = [
  [/^admissionregistration\.k8s\.io\/(?:Mutating|Validating)AdmissionPolicy$/, admissionPolicy],
  [/^admissionregistration\.k8s\.io\/(?:Mutating|Validating)WebhookConfiguration$/, webhooks],
  [/^constraints\.gatekeeper\.sh\//, gatekeeper],
  [/^kyverno\.io\/(?:Cluster)?Policy$/, kyvernoPolicy],
  [/^mutations\.gatekeeper\.sh\/(?:Assign(?:Image|Metadata)?|ModifySet)$/, gatekeeper],
  [/^policies\.kyverno\.io\/(?:ImageValidating|Mutating|Validating)Policy$/, admissionPolicy],
];

/** True for the kinds that {@link readAdmission} reads. */
export function isAdmission(value: unknown): boolean {
  return readerOf(value) !== undefined || /AdmissionPolicyBinding$/.test(text(at(value, "kind")));
}

function readerOf(value: unknown): Reader | undefined {
  const [group = ""] = text(at(value, "apiVersion")).split("/");
  const key = `${group}/${text(at(value, "kind"))}`;
  return READERS.find(([kinds]) => kinds.test(key))?.[1];
}

export function readAdmission(documents: readonly FileDocument[]): readonly Admission[] {
  const read = documents.filter(({ value }) => readerOf(value) !== undefined);
  if (read.length === 0) return [];
  const ofKind = (kind: string): readonly unknown[] =>
    documents.flatMap(({ value }) => (at(value, "kind") === kind ? [value] : []));
  const labels = new Map(
    ofKind("Namespace").map((each) => [text(at(each, "metadata", "name")), labelsIn(each)]),
  );
  const context: Context = {
    labelsOf: (namespace) => {
      const own = labels.get(namespace);
      return { labels: { ...own, [NAME_LABEL]: namespace }, isWhole: own !== undefined };
    },
    bindings: (kind, policy) =>
      ofKind(`${kind}Binding`).filter((each) => at(each, "spec", "policyName") === policy),
  };
  return read.flatMap(({ value, source }) => {
    const { name, namespace } = record(at(value, "metadata"));
    const place = typeof namespace === "string" ? `${namespace}/` : "";
    const title = `${text(at(value, "kind"))} ${place}${text(name)}`;
    return (readerOf(value)?.(record(value), context) ?? []).map((each) => ({ ...each, title, source }));
  });
}

/** A label that the API server gives to every namespace. */
const NAME_LABEL = "kubernetes.io/metadata.name";

export function labelsIn(object: unknown): Labels {
  return record(at(object, "metadata", "labels")) as Labels;
}

/** Whether a selector may match labels; of labels that are not known as a whole, only those given are compared. */
function mayMatch(selector: unknown, labels: Labels, isWhole: boolean): boolean {
  if (selector === undefined || selector === null) return true;
  if (isWhole) return selectorMatches(selector, labels);
  const { matchLabels, matchExpressions } = record(selector);
  const isGiven = (key: unknown): boolean => typeof key === "string" && Object.hasOwn(labels, key);
  const given = {
    matchLabels: Object.fromEntries(Object.entries(record(matchLabels)).filter(([key]) => isGiven(key))),
    matchExpressions: list(matchExpressions).filter((each) => isGiven(at(each, "key"))),
  };
  return selectorMatches(given, labels);
}

function ofNamespace(selector: unknown, { namespace }: Admitted, { labelsOf }: Context): boolean {
  if (namespace === undefined) return true;
  const { labels, isWhole } = labelsOf(namespace);
  return mayMatch(selector, labels, isWhole);
}

function ofLabels(selector: unknown, { labels }: Admitted): boolean {
  return labels === undefined || labels.some((each) => mayMatch(selector, each, true));
}

const WRITES: readonly string[] = ["CREATE", "UPDATE", "*"];

/** Whether one of several values, or `*`, is in a list; an absent list has all. */
function has(values: unknown, wanted: readonly string[]): boolean {
  return values === undefined || values === null || texts(values).some((each) => wanted.includes(each));
}

/** Whether a rule of a webhook or an admission policy is for an object. */
function ofRule(rule: unknown, { kind, group }: Admitted): boolean {
  const [whole = "", part] = kind.split("/");
  const plural = `${whole.toLowerCase()}s`;
  const names =
    part === undefined ? ["*", "*/*", plural] : ["*/*", `${plural}/*`, `*/${part}`, `${plural}/${part}`];
  return (
    has(at(rule, "resources"), names) &&
    has(at(rule, "apiGroups"), [group, "*"]) &&
    has(at(rule, "operations"), WRITES) &&
    at(rule, "scope") !== "Cluster"
  );
}

const POD_IDENTITY = POD_IDENTITY_WEBHOOK_ROWS.flatMap(({ names }) => names);

/**
 * Webhooks that are known to change nothing that is read, by the names of their configurations or their own: they give
 * pods a token, add containers beside the others, volumes or resources, look at other objects, or execute policies that
 * are read themselves.
 */
const HARMLESS_WEBHOOKS: readonly RegExp[] = [
  new RegExp(`^(?:${POD_IDENTITY.map((name) => name.replaceAll(".", "\\.")).join("|")})$`),
  // Of EKS, AKS, GKE, and OpenShift as a service.
  /\.(?:vpc|elbv2)\.k8s\.aws$/,
  /^(?:aks|azure-policy)-/,
  /\.gke\.io$/,
  /^sre-/,
  /^network-resources-injector-config/,
  // Of service meshes, and of agents that run beside the containers.
  /\.sidecar-injector\.istio\.io$/,
  /^linkerd-proxy-injector/,
  /^vault(?:-agent-injector-cfg|\.hashicorp\.com)$/,
  /^(?:datadog-webhook|dynatrace-webhook|opentelemetry-operator-)/,
  // Of schedulers and autoscalers.
  /^(?:kueue-|vpa-webhook-config|karpenter|keda-)/,
  // Of engines whose policies are read.
  /^(?:kyverno|gatekeeper)-/,
];

function webhooks({ kind, metadata, webhooks: all }: Json, context: Context): readonly Found[] {
  const configuration = text(at(metadata, "name"));
  const others = list(all).filter(
    (each) =>
      !HARMLESS_WEBHOOKS.some((known) => known.test(configuration) || known.test(text(at(each, "name")))),
  );
  return others.map((each) => ({
    changes: kind === "MutatingWebhookConfiguration",
    covers: (object) =>
      list(at(each, "rules")).some((rule) => ofRule(rule, object)) &&
      ofNamespace(at(each, "namespaceSelector"), object, context) &&
      ofLabels(at(each, "objectSelector"), object),
  }));
}

/** Of Kubernetes, or of Kyverno, whose policies need no binding. */
function admissionPolicy({ kind, metadata, spec }: Json, context: Context): readonly Found[] {
  const changes = /^Mutating/.test(text(kind));
  const refuses = (holder: unknown): boolean => has(at(holder, "validationActions"), ["Deny"]);
  if (!changes && !refuses(spec)) return [];
  const bindings = context.bindings(text(kind), text(at(metadata, "name"))).map((each) => at(each, "spec"));
  const inForce = bindings.filter((each) => changes || refuses(each));
  const within = (match: unknown, object: Admitted): boolean => {
    const { resourceRules, excludeResourceRules, namespaceSelector, objectSelector } = record(match);
    const isExcluded = (rule: unknown): boolean =>
      ofRule(rule, object) &&
      list(at(rule, "resourceNames")).length === 0 &&
      ["CREATE", "UPDATE"].every((each) => has(at(rule, "operations"), [each, "*"]));
    return (
      (resourceRules === undefined || list(resourceRules).some((rule) => ofRule(rule, object))) &&
      !list(excludeResourceRules).some(isExcluded) &&
      ofNamespace(namespaceSelector, object, context) &&
      ofLabels(objectSelector, object)
    );
  };
  const covers: Covers = (object) =>
    within(at(spec, "matchConstraints"), object) &&
    (bindings.length === 0 || inForce.some((each) => within(at(each, "matchResources"), object)));
  return [{ changes, covers }];
}

/** Whether a pattern with wildcards matches a namespace; one that takes too long to decide may. */
function matchesAny(patterns: unknown, { namespace }: Admitted): boolean {
  return namespace === undefined || texts(patterns).some((each) => matchesPattern(each, namespace) !== false);
}

function kyvernoPolicy({ metadata, spec }: Json, context: Context): readonly Found[] {
  const namespace = at(metadata, "namespace");
  return list(at(spec, "rules")).flatMap((rule): readonly Found[] => {
    const { mutate, validate, verifyImages, match, exclude } = record(rule);
    const changes = mutate !== undefined && mayMatter(mutate);
    const checks = [validate, ...list(verifyImages)].filter((each) => each !== undefined);
    if (!changes && !checks.some((each) => isEnforced(each, spec))) return [];
    const covers: Covers = (object) =>
      (namespace === undefined || object.namespace === undefined || namespace === object.namespace) &&
      clauses(match).some((all) => all.every((each) => inClause(each, object, context))) &&
      !clauses(exclude).some((all) =>
        all.every((each) => isExcluded(each, object) && inClause(each, object, context)),
      );
    return [{ changes, covers }];
  });
}

function isEnforced(check: unknown, spec: unknown): boolean {
  const { validationFailureAction, validationFailureActionOverrides } = record(spec);
  const own = at(check, "failureAction") ?? validationFailureAction;
  return (
    /^enforce$/i.test(text(own)) || /enforce/i.test(JSON.stringify(validationFailureActionOverrides ?? ""))
  );
}

/** The clauses of which one, as a whole, must match. */
function clauses(match: unknown): readonly (readonly unknown[])[] {
  const { any, all, resources } = record(match);
  return [
    ...list(any).map((each) => [at(each, "resources")]),
    ...(all === undefined ? [] : [list(all).map((each) => at(each, "resources"))]),
    ...(resources === undefined ? [] : [[resources]]),
  ];
}

/** Only what is excluded whoever asks for it, and whatever its name and labels. */
function isExcluded(clause: unknown, { namespace }: Admitted): boolean {
  const keys = namespace === undefined ? ["kinds"] : ["kinds", "namespaces"];
  return Object.keys(record(clause)).every((key) => keys.includes(key));
}

function inClause(clause: unknown, object: Admitted, context: Context): boolean {
  const { kinds, namespaces, namespaceSelector, selector, operations } = record(clause);
  return (
    (kinds === undefined ||
      texts(kinds).some((each) => matchesPattern(kindIn(each), object.kind) !== false)) &&
    (namespaces === undefined || matchesAny(namespaces, object)) &&
    has(operations, WRITES) &&
    ofNamespace(namespaceSelector, object, context) &&
    ofLabels(selector, object)
  );
}

/** `Pod` of `v1/Pod`; `ServiceAccount/token` of `v1/ServiceAccount.token`. */
function kindIn(written: string): string {
  const [, kind = "*", part] = /(?:^|\/)([A-Z*][\w*]*)(?:[./]([a-z*]+))?$/.exec(written) ?? [];
  return part === undefined ? kind : `${kind}/${part}`;
}

/** Mutations and constraints, which have the same `match`; they see no subresources. */
function gatekeeper({ apiVersion, spec }: Json, context: Context): readonly Found[] {
  const { match, applyTo, location, enforcementAction = "deny" } = record(spec);
  const changes = !text(apiVersion).startsWith("constraints.");
  if (
    changes
      ? location !== undefined && !mayMatterAt(text(location))
      : !REFUSING.includes(text(enforcementAction))
  )
    return [];
  const { kinds, namespaces, excludedNamespaces, namespaceSelector, labelSelector, scope } = record(match);
  const ofKind = (all: unknown, groups: string, { kind, group }: Admitted): boolean =>
    all === undefined ||
    list(all).some((each) => has(at(each, "kinds"), [kind, "*"]) && has(at(each, groups), [group, "*"]));
  const covers: Covers = (object) =>
    !object.kind.includes("/") &&
    ofKind(kinds, "apiGroups", object) &&
    ofKind(applyTo, "groups", object) &&
    scope !== "Cluster" &&
    (namespaces === undefined || matchesAny(namespaces, object)) &&
    (object.namespace === undefined || !matchesAny(excludedNamespaces, object)) &&
    ofNamespace(namespaceSelector, object, context) &&
    ofLabels(labelSelector, object);
  return [{ changes, covers }];
}

const REFUSING: readonly string[] = ["deny", "scoped"];

/** Of each shape that objects with pods and service accounts have. */
const ROWS: readonly Coverage[] = ["Pod", "Deployment", "CronJob", "ServiceAccount"].flatMap(
  (kind) => KINDS[kind] ?? [],
);

/** Whether a `mutate` of Kyverno may change a field that is read. */
function mayMatter(mutate: unknown): boolean {
  const { patchStrategicMerge, patchesJson6902, ...others } = record(mutate);
  const paths = [...text(patchesJson6902).matchAll(PATH)].map(([, path = ""]) =>
    path.split("/").filter(isField),
  );
  const overlays = [patchStrategicMerge, ...paths.map(nested)].filter((each) => each !== undefined);
  return Object.keys(others).length > 0 || overlays.length === 0 || overlays.some(changesField);
}

/** Whether Gatekeeper's `spec.containers[name:*].image` is, or holds, a field that is read. */
function mayMatterAt(location: string): boolean {
  const steps = location.match(/(?:"[^"]*"|\[[^\]]*\]|[^."[\]])+/g) ?? [];
  return changesField(nested(steps.map((each) => each.replace(/\[.*/, "").replaceAll('"', ""))));
}

const PATH = /\b(?:path|from)["']?\s*:\s*["']?([^\s"',}]+)/g;

/** Not the place in a list. */
function isField(step: string): boolean {
  return !/^(?:\d+|-)?$/.test(step);
}

function nested(steps: readonly string[]): unknown {
  return steps.reduceRight<unknown>((inner, step) => ({ [step.replaceAll("~1", "/")]: inner }), null);
}

function changesField(overlay: unknown): boolean {
  return ROWS.every((row) => changesIn(overlay, row));
}

/** `+(image)`, `(name)`: what an anchor stands before, and the anchor. */
const ANCHOR = /^([+<^=X]?)\((.+)\)$/;
/** Labels and annotations by which pods and service accounts get an identity. */
const OF_IDENTITY = /amazonaws|azure|gke\.io|google|kubernetes\.io|openshift|\{\{/;

function changesIn(value: unknown, row: Coverage): boolean {
  if (Array.isArray(value)) return list(value).some((each) => changesIn(each, row));
  if (!isRecord(value)) return true;
  return Object.entries(value).some(([key, field]) => {
    const [, anchor, name = key] = ANCHOR.exec(key) ?? [];
    const isCondition = (anchor === "" || anchor === "<") && !(field instanceof Object);
    // Lists are merged by name.
    if (isCondition || name === "name") return false;
    if (name === "labels" || name === "annotations")
      return !isRecord(field) || Object.keys(field).some((label) => OF_IDENTITY.test(label));
    const inner = row.blocks?.[name];
    return inner ? changesIn(field, inner) : !words(row.harmless).includes(name);
  });
}
