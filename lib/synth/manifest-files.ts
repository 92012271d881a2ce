import type { StatedFacts } from "../model/stated-facts";
import { ApiObject, type Chart } from "cdk8s";
import type { PodFragment } from "../model/workloads";
import { UNBOUND_COMMENT } from "./bind/bound-files";
import { PLACEHOLDER_START } from "../artefact/placeholder";
import {
  WORKLOAD_IDENTITY_FILE,
  WORKLOAD_IDENTITY_VERSION,
  type ManifestEntry,
  type WorkloadIdentityFile,
} from "../artefact/workload-identity-file";
import { yamlText } from "./bind/yaml-text";
import type { LateMarkers } from "./late-markers";
import { podFileName } from "./manifest-name";
import { type WrittenNodes, nodesDocument } from "./node-files";
import type { LateValues } from "./late-values";
import { refuseSameObjects } from "./object-owners";
import { type PlacingContext, placedDocument, placedObject } from "./placed-object";

/** One chart and its place among the files. */
export interface ManifestChart extends ManifestEntry {
  /** The objects. */
  readonly chart: Chart;
  /** Lines for the reader, without `#`. */
  readonly comments: readonly string[];
}

/** All that a stack's folder gets besides its Terraform configuration. */
export interface StackDocuments {
  /** The stack's id. */
  readonly stack: string;
  /** The charts in the order of their files. */
  readonly charts: readonly ManifestChart[];
  /** Node files by name. */
  readonly nodes: ReadonlyMap<string, WrittenNodes>;
  /** What pods need, by the `namespace/name` of their service account. */
  readonly pods: ReadonlyMap<string, PodFragment>;
  /** Facts of clusters. */
  readonly clusters: readonly Readonly<Record<string, unknown>>[];
  /** Facts that no artefact shows; `undefined` where none are stated. */
  readonly stated: StatedFacts | undefined;
  /** The stack's late values. */
  readonly late: LateValues;
  /** Late objects that went through cdk8s. */
  readonly markers: LateMarkers;
}

/** Finds every late value of the documents, which declares its output, and renders nothing. */
export function declareLateValues(documents: StackDocuments): void {
  for (const chart of documents.charts) placedObjects(chart, documents);
  for (const nodes of documents.nodes.values()) placedNodes(nodes, documents);
  placedClusters(documents);
}

/**
 * The texts of all files, by path below the stack's folder; charts without objects have no file.
 *
 * Same documents, same bytes.
 */
export function stackFiles(documents: StackDocuments): Map<string, string> {
  const files = new Map<string, string>();
  const manifests: ManifestEntry[] = [];
  const written = documents.charts.map((chart) => ({ chart, objects: placedObjects(chart, documents) }));
  refuseSameObjects(written);
  for (const { chart, objects } of written) {
    if (objects.length === 0) continue;
    const comments = [...placeComments(chart, documents), ...chart.comments];
    files.set(chart.file, withHeader(comments, objects.map(yamlText).join("---\n")));
    manifests.push(entryOf(chart));
  }
  const nodes = [...documents.nodes].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, each]) => each);
  for (const each of nodes)
    files.set(each.file, withHeader(each.comment, yamlText(placedNodes(each, documents))));
  const pods = podFiles(documents);
  for (const [file, text] of pods) files.set(file, text);
  const clusters = placedClusters(documents);
  const { placeholders, rules } = documents.late;
  const identity: WorkloadIdentityFile = {
    version: WORKLOAD_IDENTITY_VERSION,
    stack: documents.stack,
    clusters,
    manifests,
    nodes: nodes.map(({ file, spoke }) => ({ file, ...(spoke !== undefined && { spoke }) })),
    ...(pods.length > 0 && { pods: pods.map(([file]) => ({ file })) }),
    ...(rules.length > 0 && { rules }),
    ...(documents.stated && { stated: documents.stated }),
    placeholders,
  };
  const empty =
    files.size === 0 && clusters.length === 0 && !documents.stated && Object.keys(placeholders).length === 0;
  if (!empty) files.set(WORKLOAD_IDENTITY_FILE, `${JSON.stringify(identity, null, 2)}\n`);
  return files;
}

function entryOf({ file, appliesTo, spoke }: ManifestChart): ManifestEntry {
  return { file, appliesTo, ...(spoke !== undefined && { spoke }) };
}

/** Text of what pods need by file, sorted; what is empty is left out. */
function podFiles(documents: StackDocuments): readonly (readonly [file: string, text: string])[] {
  return [...documents.pods]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([key, { labels, env, volumeMounts, volumes }]) => {
      const parts = Object.entries({ labels, env, volumeMounts, volumes });
      const stated = parts.filter(([, part]) => Object.keys(part).length > 0);
      if (stated.length === 0) return [];
      const file = `pods/${podFileName(key)}.yaml`;
      const fragment = placedDocument(Object.fromEntries(stated), context(file, documents));
      return [[file, withHeader(podComment(key), yamlText(fragment))] as const];
    });
}

function podComment(key: string): readonly string[] {
  const [namespace, name] = key.split("/");
  return [
    `For the templates of pods of the namespace ${namespace} with \`serviceAccountName: ${name}\`; not applied by itself.`,
    "Labels and volumes are of the pod; env and volumeMounts are of each container that uses the cloud.",
    "Pods that run already keep what they have; a webhook changes pods only while they are created.",
  ];
}

/** Where a stack writes for two clusters, each file says for which. */
function placeComments({ appliesTo, spoke }: ManifestChart, { charts }: StackDocuments): readonly string[] {
  if (spoke !== undefined) return [`Belongs to the spoke ${spoke}, not to the hub.`];
  const two = charts.some((chart) => chart.appliesTo === "management-cluster");
  return two && appliesTo === "cluster"
    ? ["Belongs to the hosted cluster, not to its management cluster."]
    : [];
}

function withHeader(comments: readonly string[], text: string): string {
  const lines = comments.map((line) => `# ${line}`.trimEnd() + "\n").join("");
  return lines + (text.includes(PLACEHOLDER_START) ? UNBOUND_COMMENT : "") + text;
}

function context(file: string, { late, markers }: StackDocuments): PlacingContext {
  return { late, markers, file };
}

function placedObjects({ chart, file }: ManifestChart, documents: StackDocuments): readonly object[] {
  const placing = context(file, documents);
  return objectsOf(chart).map((object) => placedObject(object, placing));
}

/** As declared; after what they depend on where somebody said so. */
function objectsOf(chart: Chart): readonly Readonly<Record<string, unknown>>[] {
  const constructs = chart.node.findAll();
  // `toJson` of a chart walks the whole app once per chart, which only dependencies need.
  if (constructs.some(({ node }) => node.dependencies.length > 0)) return chart.toJson();
  return constructs.filter(ApiObject.isApiObject).map((object): Record<string, unknown> => object.toJson());
}

function placedNodes(nodes: WrittenNodes, documents: StackDocuments): object {
  return placedDocument(nodesDocument(nodes), context(nodes.file, documents));
}

function placedClusters(documents: StackDocuments): Readonly<Record<string, unknown>>[] {
  const placing = context(WORKLOAD_IDENTITY_FILE, documents);
  return documents.clusters.map((facts) => placedDocument(facts, placing) as Record<string, unknown>);
}
