import { PLACEHOLDER_START } from "../artefact/placeholder";
import { objectTitle, propertyPath } from "../model/property-path";
import {
  type DeliveryEntry,
  type FileEntry,
  type ManifestEntry,
  type NodesEntry,
  PER_CLUSTER_VERSION,
  WORKLOAD_IDENTITY_FILE,
  WORKLOAD_IDENTITY_VERSION,
  type WorkloadIdentityFile,
} from "../artefact/workload-identity-file";
import { fail } from "../errors";
import { isDnsLabel } from "../model/kubernetes-name";
import { type LateText, isLate } from "../model/late";
import { syntaxOf } from "../model/node-document";
import { at as within } from "../model/parsed";
import { isRecord } from "../model/record";
import type { StatedFacts } from "../model/stated-facts";
import type { PodFragment } from "../model/workloads";
import { UNBOUND_COMMENT } from "./bind/bound-files";
import { yamlText } from "./bind/yaml";
import { type LateMarkers, type LateValues, isLateObject } from "./late-values";
import { namespaceFile } from "./manifest-name";
import type { WrittenNodes } from "./node-files";
import { refuseLateIdentity, refuseLateKey, refuseLateKind } from "./problems";
import { ApiObject, type Chart } from "cdk8s";
import type { Construct } from "constructs";

/** A Kubernetes object in the form in which it is written. */
export type ObjectDocument = Readonly<Record<string, unknown>>;

export interface ManifestChart extends ManifestEntry {
  readonly chart: Chart;
  /** Lines for the reader, without `#`. */
  readonly comments: readonly string[];
  /** Whether the reader needs exactly this file name, as OpenShift's installer does. */
  readonly exactName: boolean;
}

export interface WrittenPod extends FileEntry {
  /** `namespace/name` of the service account. */
  readonly key: string;
  readonly fragment: PodFragment;
}

/** A construct that delivers charts of a stack in place of files. */
export interface ManifestDelivery extends Construct {
  /** Its entry in the stack's `workload-identity.json`. */
  readonly entry: DeliveryEntry;
  /** The namespaces that must exist before its objects, sorted; known once they are read. */
  readonly namespaces: readonly string[];
  delivers(chart: ManifestChart): boolean;
  objectsOf(file: string): readonly object[];
}

/** Everything in a stack's folder except the Terraform configuration. */
export interface StackDocuments {
  readonly stack: string;
  /** The charts in the order of their files. */
  readonly charts: readonly ManifestChart[];
  /** Node files, in the order of their names. */
  readonly nodes: readonly WrittenNodes[];
  /** What pods need, in the order of their service accounts. */
  readonly pods: readonly WrittenPod[];
  /** Whether each cluster has folders of its own. */
  readonly perCluster: boolean;
  /** Whether the objects of each namespace are in separate files. */
  readonly perNamespace: boolean;
  readonly clusters: readonly Readonly<Record<string, unknown>>[];
  /** Facts that no artefact shows; `undefined` if none are stated. */
  readonly stated: StatedFacts | undefined;
  readonly late: LateValues;
  readonly markers: LateMarkers;
  /** What delivers the objects of some charts; `undefined` if all are written to files. */
  readonly delivery: ManifestDelivery | undefined;
}

/** Visits every late value of the documents, which declares its output, without rendering anything. */
export function declareLateValues(documents: StackDocuments): void {
  for (const chart of documents.charts)
    if (!documents.delivery?.delivers(chart)) placedObjects(chart, documents);
  for (const nodes of documents.nodes) placedNodes(nodes, documents);
  placedClusters(documents);
}

/**
 * Returns the texts of all files, by path below the stack's folder; a chart without objects has no file.
 *
 * The same documents give the same bytes.
 */
export function stackFiles(documents: StackDocuments): Map<string, string> {
  const written = manifestTexts(documents);
  const manifests = written.map(([entry]) => entry);
  const files = new Map(written.map(([{ file }, text]) => [file, text]));
  const { nodes, perCluster } = documents;
  for (const each of nodes) files.set(each.file, nodesText(each, documents));
  const pods = podFiles(documents);
  for (const [{ file }, text] of pods) files.set(file, text);
  const clusters = placedClusters(documents);
  const { placeholders, rules } = documents.late;
  const identity: WorkloadIdentityFile = {
    version: perCluster ? PER_CLUSTER_VERSION : WORKLOAD_IDENTITY_VERSION,
    stack: documents.stack,
    clusters,
    manifests,
    nodes: nodes.filter(({ controlPlane, registry }) => !controlPlane && !registry).map(nodesEntry),
    ...(nodes.some(({ controlPlane }) => controlPlane) && {
      controlPlane: nodes.filter(({ controlPlane }) => controlPlane).map(fileEntry),
    }),
    ...(nodes.some(({ registry }) => registry) && {
      registries: nodes.filter(({ registry }) => registry).map(fileEntry),
    }),
    ...(pods.length > 0 && { pods: pods.map(([each]) => fileEntry(each)) }),
    ...(rules.length > 0 && { rules }),
    ...(documents.stated && { stated: documents.stated }),
    ...(documents.delivery && { delivery: documents.delivery.entry }),
    placeholders,
  };
  const isStated = documents.stated !== undefined || documents.delivery !== undefined;
  const empty =
    files.size === 0 && clusters.length === 0 && !isStated && Object.keys(placeholders).length === 0;
  if (!empty) files.set(WORKLOAD_IDENTITY_FILE, `${JSON.stringify(identity, null, 2)}\n`);
  return files;
}

/** The manifests that are written to files, in the order in which they are applied. */
function manifestTexts(documents: StackDocuments): readonly (readonly [ManifestEntry, text: string])[] {
  const { delivery, perNamespace } = documents;
  const written = documents.charts.flatMap((chart) => {
    const isDelivered = delivery?.delivers(chart) ?? false;
    const objects = isDelivered ? (delivery?.objectsOf(chart.file) ?? []) : placedObjects(chart, documents);
    const files = byFile(chart.file, objects, perNamespace && !isDelivered);
    return files.map(([file, own]) => ({ chart: { ...chart, file }, objects: own, isDelivered }));
  });
  refuseSameObjects(written);
  return written
    .filter(({ isDelivered }) => !isDelivered)
    .map(({ chart, objects }) => {
      const comments = [...placeComments(chart, documents), ...chart.comments];
      return [entryOf(chart), withHeader(comments, objects.map(yamlText).join("---\n"))] as const;
    });
}

function entryOf({ appliesTo, spoke, ...entry }: ManifestChart): ManifestEntry {
  return { ...fileEntry(entry), appliesTo, ...(spoke !== undefined && { spoke }) };
}

function nodesEntry({ spoke, document: { form }, ...entry }: WrittenNodes): NodesEntry {
  return { ...fileEntry(entry), ...(spoke !== undefined && { spoke }), ...(form !== "files" && { form }) };
}

function fileEntry({ file, cluster }: FileEntry): FileEntry {
  return { file, ...(cluster !== undefined && { cluster }) };
}

/** The texts of pod fragments by file, sorted; empty fields and fragments are left out. */
function podFiles(documents: StackDocuments): readonly (readonly [pod: WrittenPod, text: string])[] {
  return documents.pods.flatMap((pod) => {
    const { labels, annotations = {}, env, volumeMounts, volumes } = pod.fragment;
    const parts = Object.entries({ labels, annotations, env, volumeMounts, volumes });
    const stated = parts.filter(([, part]) => Object.keys(part).length > 0);
    if (stated.length === 0) return [];
    const fragment = placedDocument(Object.fromEntries(stated), context(pod.file, documents));
    const ofPod =
      Object.keys(annotations).length > 0 ? "Labels, annotations and volumes" : "Labels and volumes";
    return [[pod, withHeader(podComment(pod.key, ofPod), yamlText(fragment))] as const];
  });
}

function podComment(key: string, ofPod: string): readonly string[] {
  const [namespace, name] = key.split("/");
  return [
    `Add this to pod templates in namespace ${namespace} with \`serviceAccountName: ${name}\`; it is not applied by itself.`,
    `${ofPod} belong to the pod; env and volumeMounts to each container that uses the cloud.`,
    "Restart running pods: a webhook changes pods only while they are created.",
  ];
}

/** If a stack writes for two clusters, each file says for which one it is. */
function placeComments(
  { appliesTo, spoke, cluster }: ManifestChart,
  { charts }: StackDocuments,
): readonly string[] {
  if (spoke !== undefined) return [`Belongs to the spoke ${spoke}, not to the hub.`];
  const two = charts.some((chart) => chart.appliesTo === "management-cluster" && chart.cluster === cluster);
  return two && appliesTo === "cluster"
    ? ["Belongs to the hosted cluster, not to its management cluster."]
    : [];
}

function withHeader(comments: readonly string[], text: string): string {
  const lines = comments.map((line) => `# ${line}`.trimEnd() + "\n").join("");
  return lines + (text.includes(PLACEHOLDER_START) ? UNBOUND_COMMENT : "") + text;
}

function context(file: string, { late, markers }: PlacingSource): PlacingContext {
  return { late, markers, file };
}

type PlacingSource = Pick<StackDocuments, "late" | "markers">;

/** The objects of a chart in their order, edited by `edit`, then with placeholders for late values. */
export function placedObjects(
  { chart, file }: ManifestChart,
  documents: PlacingSource,
  edit: (object: ObjectDocument) => ObjectDocument = (object) => object,
): readonly ObjectDocument[] {
  const placing = context(file, documents);
  return objectsOf(chart).map((object) => placedObject(edit(object), placing));
}

/** The objects of a chart by their file, in the order of the files. */
function byFile(
  file: string,
  objects: readonly object[],
  perNamespace: boolean,
): readonly (readonly [file: string, objects: readonly object[]])[] {
  if (!perNamespace) return objects.length === 0 ? [] : [[file, objects]];
  const files = new Map<string, object[]>();
  for (const object of objects) {
    const path = fileOf(object as ObjectDocument, file);
    const others = files.get(path);
    if (others) others.push(object);
    else files.set(path, [object]);
  }
  return [...files].sort(([a], [b]) => (a < b ? -1 : 1));
}

function fileOf({ metadata }: ObjectDocument, file: string): string {
  const namespace = isRecord(metadata) ? metadata["namespace"] : undefined;
  return typeof namespace === "string" && isDnsLabel(namespace) ? namespaceFile(file, namespace) : file;
}

/** In the order of declaration, unless a dependency demands another. */
function objectsOf(chart: Chart): readonly ObjectDocument[] {
  const constructs = chart.node.findAll();
  // A chart's `toJson` walks the whole app, which is only needed for dependencies.
  if (constructs.some(({ node }) => node.dependencies.length > 0)) return chart.toJson();
  return constructs.filter(ApiObject.isApiObject).map((object): Record<string, unknown> => object.toJson());
}

/** The objects of a chart, each with nothing but its kind, namespace and name. */
export function identitiesIn({ chart }: ManifestChart): readonly ObjectDocument[] {
  return chart.node.findAll().filter(ApiObject.isApiObject).map(identityOf);
}

export function identityOf({ apiVersion, kind, name, metadata }: ApiObject): ObjectDocument {
  return { apiVersion, kind, metadata: { name, namespace: metadata.namespace } };
}

function placedNodes(
  { file, document: { content } }: WrittenNodes,
  documents: StackDocuments,
): readonly object[] | string {
  const placing = context(file, documents);
  return Array.isArray(content)
    ? content.map((each: object) => placedDocument(each, placing))
    : documents.late.text(content as string | LateText, () => file);
}

function nodesText(nodes: WrittenNodes, documents: StackDocuments): string {
  const { head, comment = [] } = nodes.document;
  const placed = placedNodes(nodes, documents);
  if (typeof placed === "string") return placed;
  if (syntaxOf(nodes.file) === "json") return `${JSON.stringify(placed[0], null, 2)}\n`;
  const text = withHeader(comment, placed.map(yamlText).join("---\n"));
  return head === undefined ? text : `${head}\n${text}`;
}

function placedClusters(documents: StackDocuments): Readonly<Record<string, unknown>>[] {
  const placing = context(WORKLOAD_IDENTITY_FILE, documents);
  return documents.clusters.map((facts) => placedDocument(facts, placing) as Record<string, unknown>);
}

interface PlacingContext {
  readonly late: LateValues;
  readonly markers: LateMarkers;
  readonly file: string;
}

/** Fields that say which object a manifest is. */
const IDENTITY: readonly (readonly string[])[] = [
  ["apiVersion"],
  ["kind"],
  ["metadata", "name"],
  ["metadata", "namespace"],
];

/** The customary order of metadata; other keys follow in the object's own order. */
const METADATA_ORDER: readonly string[] = ["name", "generateName", "namespace", "labels", "annotations"];

/**
 * A copy of a Kubernetes object with placeholders for late values, metadata in its customary order.
 */
function placedObject(object: ObjectDocument, context: PlacingContext): ObjectDocument {
  const metadata = isRecord(object["metadata"]) ? object["metadata"] : {};
  const title = objectTitle(object["kind"], metadata["namespace"], metadata["name"]);
  for (const path of IDENTITY) {
    if (isLate(within(object, ...path))) refuseLateIdentity(`${context.file}: ${propertyPath(path)}`);
  }
  const ordered = object["metadata"] === undefined ? object : { ...object, metadata: inOrder(metadata) };
  return placed(ordered, context, title, []) as ObjectDocument;
}

function placedDocument(document: object, context: PlacingContext): object {
  return placed(document, context, "", []) as object;
}

function inOrder(metadata: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const known = METADATA_ORDER.filter((key) => key in metadata);
  return Object.fromEntries([...known, ...Object.keys(metadata)].map((key) => [key, metadata[key]]));
}

/** `path` is the current position; one list serves the whole walk, because only errors need its text. */
function placed(value: unknown, context: PlacingContext, title: string, path: (string | number)[]): unknown {
  const where = (): string => `${context.file}: ${title}${propertyPath(path)}`;
  if (typeof value === "string") return context.late.text(context.markers.objectOf(value), where);
  if (isLateObject(value)) return context.late.text(value, where);
  if (typeof value === "number") return isLate(value) ? refuseLateKind(where(), "number") : value;
  if (Array.isArray(value)) {
    return value.map((entry: unknown, place) => inside(entry, context, title, path, place));
  }
  if (!isRecord(value)) return value;
  const copy: Record<string, unknown> = {};
  for (const [key, entry] of Object.entries(value)) {
    if (key.includes("&{TfToken[")) return refuseLateKind(where(), "map");
    if (key.includes("TfToken[")) return refuseLateKey(where(), key);
    copy[key] = inside(entry, context, title, path, key);
  }
  return copy;
}

function inside(
  entry: unknown,
  context: PlacingContext,
  title: string,
  path: (string | number)[],
  key: string | number,
): unknown {
  path.push(key);
  const result = placed(entry, context, title, path);
  path.pop();
  return result;
}

/** Kinds that are always written as a whole, so that the object applied last would replace the other. */
const WHOLE: readonly unknown[] = ["ConfigMap", "Secret"];

/** Refuses two Secrets or two ConfigMaps with one name in one cluster. */
function refuseSameObjects(
  files: readonly { readonly chart: ManifestChart; readonly objects: readonly object[] }[],
): void {
  const owners = new Map<string, string>();
  for (const { chart, objects } of files)
    for (const object of objects) {
      const { apiVersion, kind, metadata } = object as Readonly<Record<string, unknown>>;
      if (apiVersion !== "v1" || !WHOLE.includes(kind) || !isRecord(metadata)) continue;
      const title = objectTitle(kind, metadata["namespace"], metadata["name"]).replace(/: $/, "");
      const key = JSON.stringify([chart.cluster, chart.appliesTo, chart.spoke, title]);
      const first = owners.get(key);
      if (first !== undefined)
        fail("manifest-conflict", {
          problem: `${title} is written twice, to ${first} and to ${chart.file}, and whichever is applied last would replace the other`,
          allowed: "each Secret and ConfigMap once per cluster",
          remedy: "put all its keys into one, or give one of them another name",
        });
      owners.set(key, chart.file);
    }
}
