/*
 * What the API server refuses: a refused object does not exist, whatever it contains. One table serves hubs and spokes.
 * For texts with placeholders only the type is judged, since their values are not known yet.
 *
 * Sources: kubernetes:staging/src/k8s.io/apimachinery/pkg/api/validation (metadata), pkg/apis/core/validation,
 * pkg/apis/rbac/validation; fields of the wrong type are refused where the object is decoded.
 */

import { PLACEHOLDER_START } from "../../artefact/placeholder";
import { propertyPath } from "../../model/property-path";
import { isDnsLabel, isDnsSubdomain } from "../../model/kubernetes-name";
import { type Json, at, list, record, text } from "../../model/parsed";
import { isRecord } from "../../model/record";
import { NEWEST_KUBERNETES } from "../../rules/kubelet/feature-gates";
import { qualifiedNameProblems } from "../../rules/kubelet/qualified-name";
import { CONTAINERS, WORKLOAD_KINDS, podSpecPath } from "../../rules/pod-specs";
import { words } from "../coverage/coverage";

/** Why an object is refused, as a clause that begins with the field; `undefined` if no rule refuses it. */
type Rule = (object: Json, kind: string) => string | undefined;

const RBAC_GROUP = "rbac.authorization.k8s.io";
export const ROLES: readonly string[] = ["Role", "ClusterRole"];
export const BINDINGS: readonly string[] = ["RoleBinding", "ClusterRoleBinding"];
export const RBAC: readonly string[] = [...ROLES, ...BINDINGS];

/** The rules by kind; the first one that refuses is reported. */
const RULES: readonly (readonly [kinds: readonly string[] | "all", rule: Rule])[] = [
  ["all", nameProblem],
  ["all", ({ metadata }) => mapProblem(metadata, "annotations", annotationProblem)],
  ["all", ({ metadata }) => mapProblem(metadata, "labels", labelProblem)],
  [
    "all",
    ({ metadata }) => sizeProblem("metadata.annotations", [at(metadata, "annotations")], 256 * KIBIBYTE),
  ],
  [ROLES, (object, kind) => firstOf(object, ["rules"], (rule) => ruleProblem(record(rule), kind))],
  [["ClusterRole"], aggregationProblem],
  [BINDINGS, roleRefProblem],
  [BINDINGS, (object, kind) => firstOf(object, ["subjects"], (each) => subjectProblem(record(each), kind))],
  [["Secret"], (object) => mapProblem(object, "data", base64Problem)],
  [["Secret"], (object) => mapProblem(object, "stringData")],
  [["ConfigMap"], (object) => mapProblem(object, "data")],
  [["Secret", "ConfigMap"], dataKeyProblem],
  [
    ["Secret", "ConfigMap"],
    ({ data, stringData }) => sizeProblem("data", [data, stringData], 1024 * KIBIBYTE),
  ],
  [["ServiceAccount"], (object) => firstOf(object, ["imagePullSecrets"], namedProblem)],
  [["ServiceAccount"], (object) => automountProblem(object, [])],
  [WORKLOAD_KINDS, podProblem],
];

/** Why the API server refuses an object, as a clause; `undefined` if no rule refuses it. */
export function refusal(object: Json, kind: string): string | undefined {
  for (const [kinds, rule] of RULES) {
    const problem = kinds === "all" || kinds.includes(kind) ? rule(object, kind) : undefined;
    if (problem !== undefined) return problem;
  }
  return undefined;
}

const KIBIBYTE = 1024;
const LABEL_VALUE = /^(?:[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?)?$/;
const LABEL_VALUE_MAX = 63;
const DATA_KEY = /^[-._a-zA-Z0-9]{1,253}$/;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

function nameProblem({ metadata }: Json, kind: string): string | undefined {
  if (!isRecord(metadata)) return "metadata is not a mapping";
  const { name, namespace, generateName } = metadata;
  const isGenerated = typeof generateName === "string" && generateName !== "" && MADE_OFTEN.includes(kind);
  if ((name ?? "") === "") return isGenerated ? undefined : "metadata.name is missing";
  if (!(RBAC.includes(kind) ? isPathSegment(name) : isDnsSubdomain(name)))
    return `metadata.name ${JSON.stringify(name)} is not a valid name`;
  return (namespace ?? "") === "" || isDnsLabel(namespace)
    ? undefined
    : `metadata.namespace ${JSON.stringify(namespace)} is not a valid name`;
}

/** Kinds that each `kubectl create` may create anew, with `generateName`. */
const MADE_OFTEN: readonly string[] = [...WORKLOAD_KINDS, ...BINDINGS];

function isPathSegment(name: unknown): boolean {
  return typeof name === "string" && name !== "." && name !== ".." && !/[/%]/.test(name);
}

type Check = (value: string, key: string) => string | undefined;

/** What is wrong with a mapping of texts; null counts as an empty text. */
function mapProblem(holder: unknown, field: string, check: Check = () => undefined): string | undefined {
  const map = at(holder, field);
  const place = field === "labels" || field === "annotations" ? ["metadata", field] : [field];
  if (map === undefined || map === null) return undefined;
  if (!isRecord(map)) return `${propertyPath(place)} is not a mapping`;
  for (const key of Object.keys(map)) {
    const value = map[key];
    if (value === null) continue;
    const problem = typeof value === "string" ? check(value, key) : `is ${typeName(value)}, not a string`;
    if (problem !== undefined) return `${propertyPath([...place, key])} ${problem}`;
  }
  return undefined;
}

function typeName(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "a mapping" : `a ${typeof value}`;
}

function annotationProblem(_value: string, key: string): string | undefined {
  return isQualified(key.toLowerCase()) ? undefined : "has an invalid key";
}

function labelProblem(value: string, key: string): string | undefined {
  if (!isQualified(key)) return "has an invalid key";
  const isValue = value.length <= LABEL_VALUE_MAX && LABEL_VALUE.test(value);
  return isValue || value.includes(PLACEHOLDER_START) ? undefined : "is not a valid label value";
}

/** Remembered, since thousands of objects share a handful of keys. */
const QUALIFIED = new Map<string, boolean>();
const KEYS_KEPT = 1000;

function isQualified(key: string): boolean {
  const before = QUALIFIED.get(key);
  if (before !== undefined) return before;
  if (QUALIFIED.size >= KEYS_KEPT) QUALIFIED.clear();
  const isValid = qualifiedNameProblems(key, NEWEST_KUBERNETES).length === 0;
  QUALIFIED.set(key, isValid);
  return isValid;
}

function sizeProblem(field: string, maps: readonly unknown[], most: number): string | undefined {
  let size = 0;
  for (const map of maps)
    if (isRecord(map))
      for (const key of Object.keys(map)) size += Buffer.byteLength(key) + Buffer.byteLength(text(map[key]));
  return size > most ? `${field} has more than ${most} bytes` : undefined;
}

function base64Problem(value: string): string | undefined {
  const isBase64 = value.includes(PLACEHOLDER_START) || BASE64.test(value.replace(/[\r\n]/g, ""));
  return isBase64 ? undefined : "is not base64";
}

function dataKeyProblem(object: Json): string | undefined {
  const keys = ["data", "stringData", "binaryData"].flatMap((field) => Object.keys(record(object[field])));
  const wrong = keys.find((key) => !DATA_KEY.test(key) || /^\.\.?$|^\.\./.test(key));
  return wrong === undefined ? undefined : `${propertyPath(["data", wrong])} has an invalid key`;
}

/** The first problem among the items of a list, prefixed with the item's path. */
function firstOf(
  holder: unknown,
  path: readonly string[],
  check: (item: unknown) => string | undefined,
): string | undefined {
  const items = at(holder, ...path);
  if (items === undefined || items === null) return undefined;
  if (!Array.isArray(items)) return `${propertyPath(path)} is not a list`;
  for (const [place, item] of items.entries()) {
    const problem = isRecord(item) ? check(item) : "is not a mapping";
    // The problem may be nested further inside.
    const joint = problem?.includes("] ") === true ? "." : " ";
    if (problem !== undefined) return propertyPath([...path, place]) + joint + problem;
  }
  return undefined;
}

const LISTS_OF_RULE: readonly string[] = words("verbs apiGroups resources resourceNames nonResourceURLs");

function ruleProblem(rule: Json, kind: string): string | undefined {
  const wrong = LISTS_OF_RULE.find((field) => !isTexts(rule[field]));
  if (wrong !== undefined) return `does not have a list of strings as ${wrong}`;
  const has = (field: string): boolean => list(rule[field]).length > 0;
  if (!has("verbs")) return "has no verbs";
  if (has("nonResourceURLs")) {
    if (kind === "Role") return "has nonResourceURLs, which only a ClusterRole can grant";
    return has("apiGroups") || has("resources") || has("resourceNames")
      ? "has both resources and nonResourceURLs"
      : undefined;
  }
  if (!has("apiGroups")) return "has no apiGroups";
  return has("resources") ? undefined : "has no resources";
}

function isTexts(value: unknown): boolean {
  return (
    (value ?? null) === null || (Array.isArray(value) && value.every((item) => typeof item === "string"))
  );
}

function aggregationProblem({ aggregationRule }: Json): string | undefined {
  return (aggregationRule ?? null) === null || list(at(aggregationRule, "clusterRoleSelectors")).length > 0
    ? undefined
    : "aggregationRule has no clusterRoleSelectors";
}

function roleRefProblem({ roleRef }: Json, kind: string): string | undefined {
  const { apiGroup, kind: role, name } = record(roleRef);
  if (!isDefault(apiGroup, RBAC_GROUP)) return `roleRef.apiGroup is not ${RBAC_GROUP}`;
  if (!ROLES.includes(text(role)) || (kind === "ClusterRoleBinding" && role === "Role"))
    return `roleRef.kind ${JSON.stringify(role)} is not a kind that a ${kind} can bind`;
  return text(name) !== "" && isPathSegment(name) ? undefined : "roleRef.name is not a valid name";
}

function subjectProblem({ kind, apiGroup, name, namespace }: Json, binding: string): string | undefined {
  if (text(name) === "") return "has no name";
  if (kind === "User" || kind === "Group")
    return isDefault(apiGroup, RBAC_GROUP) ? undefined : `has an apiGroup other than ${RBAC_GROUP}`;
  if (kind !== "ServiceAccount") return `has the kind ${JSON.stringify(kind)}, which cannot be a subject`;
  if (!isDefault(apiGroup, "")) return "is a ServiceAccount with an apiGroup";
  if (!isDnsSubdomain(name) && !text(name).includes(PLACEHOLDER_START)) return "has an invalid name";
  return binding === "ClusterRoleBinding" && text(namespace) === "" ? "has no namespace" : undefined;
}

/** The API server fills in an empty group. */
function isDefault(value: unknown, group: string): boolean {
  return value === undefined || value === null || value === "" || value === group;
}

function namedProblem(item: unknown): string | undefined {
  const name = at(item, "name");
  return name === undefined || name === null || typeof name === "string"
    ? undefined
    : "has a name that is not a string";
}

/** Whoever quotes it in a template gets a text, which the API server does not decode. */
function automountProblem(holder: unknown, path: readonly string[]): string | undefined {
  const field = "automountServiceAccountToken";
  const value = at(holder, field) ?? false;
  return typeof value === "boolean" || text(value).includes(PLACEHOLDER_START)
    ? undefined
    : `${propertyPath([...path, field])} is ${typeName(value)}, not a boolean`;
}

function podProblem(object: Json, kind: string): string | undefined {
  const path = podSpecPath(kind) ?? [];
  const spec = at(object, ...path);
  if (spec === undefined || spec === null) return undefined;
  if (!isRecord(spec)) return `${propertyPath(path)} is not a mapping`;
  const account = spec["serviceAccountName"];
  if (account !== undefined && account !== null && account !== "" && !isDnsSubdomain(account))
    return `${propertyPath([...path, "serviceAccountName"])} is not a valid name`;
  const within = (field: string, check: (item: unknown) => string | undefined): string | undefined =>
    firstOf(object, [...path, field], check);
  const containers = CONTAINERS.flatMap((field) => list(spec[field]));
  const pair =
    pairProblem("volumes", "name", list(spec["volumes"])) ?? pairProblem("containers", "name", containers);
  return (
    automountProblem(spec, path) ??
    within("volumes", volumeProblem) ??
    within("imagePullSecrets", namedProblem) ??
    CONTAINERS.map((field) => within(field, containerProblem)).find((problem) => problem !== undefined) ??
    (pair && `${propertyPath(path)} ${pair}`)
  );
}

/** Whether two items of lists have one key, which is compared as it is written, also if it is a path. */
function pairProblem(what: string, key: string, items: readonly unknown[]): string | undefined {
  const seen = new Set<string>();
  const keys = items.map((item) => text(at(item, key)));
  const shared = keys.find((each) => each !== "" && seen.size === seen.add(each).size);
  return shared && `has two ${what} with the ${key} ${shared}`;
}

/** Of two projected tokens at one path the last one counts. */
function volumeProblem(volume: unknown): string | undefined {
  const sources = list(at(volume, "projected", "sources")).flatMap((source) => Object.values(record(source)));
  const files = sources.flatMap((source) => list(at(source, "items")));
  const odd = files.every(isRecord)
    ? pairProblem("files", "path", files)
    : "lists a file that is not a mapping";
  return namedProblem(volume) ?? odd;
}

const TEXTS_OF_CONTAINER: readonly string[] = ["name", "image", "imagePullPolicy"];
const PULL_POLICIES: readonly string[] = ["", "Always", "IfNotPresent", "Never"];

function containerProblem(container: unknown): string | undefined {
  const odd = TEXTS_OF_CONTAINER.find((field) => !isTexts([at(container, field) ?? ""]));
  if (odd !== undefined) return `has ${odd} that is not a string`;
  const policy = text(at(container, "imagePullPolicy"));
  if (!PULL_POLICIES.includes(policy) && !policy.includes(PLACEHOLDER_START))
    return `has the imagePullPolicy ${policy}`;
  const unlisted = ["command", "args"].find((field) => !isTexts(at(container, field)));
  if (unlisted !== undefined) return `does not have a list of strings as ${unlisted}`;
  const variable = firstOf(container, ["env"], (each) => {
    const value = at(each, "value") ?? "";
    return typeof value === "string" ? undefined : `has ${typeName(value)} as its value, not a string`;
  });
  const mount = variable ?? firstOf(container, ["volumeMounts"], namedProblem);
  return mount ?? pairProblem("volumeMounts", "mountPath", list(at(container, "volumeMounts")));
}
