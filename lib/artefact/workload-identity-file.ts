import { record } from "../model/parsed";
import { isRecord } from "../model/record";
import type { Encoding } from "../model/late";
import type { StatedFacts } from "../model/stated-facts";
import { type FinishedRule, isFinishedRule } from "./finished-rule";
import { jsonObject } from "./parsed-documents";
import { refuseFile } from "./problems";

/** Name of the file beside `cdk.tf.json`. */
export const WORKLOAD_IDENTITY_FILE = "workload-identity.json";

/** Version of the shape below for a stack of one cluster; a reader refuses any other. */
export const WORKLOAD_IDENTITY_VERSION = 2;

/** Version for a stack with folders per cluster: every file belongs to the cluster that it names. */
export const PER_CLUSTER_VERSION = 3;

/** A placeholder that a Terraform output fills. */
export interface OutputPlaceholder {
  readonly output: string;
  /** The output's construct path from the root of the app, as `cdktf deploy --outputs-file` nests it. */
  readonly path: readonly string[];
  /** The Terraform expression that the output holds, `${…}` included. */
  readonly expression: string;
}

/** A placeholder that stands for a text that is encoded after its own placeholders are filled. */
export interface EncodedPlaceholder {
  readonly encoding: Encoding;
  /** The text before encoding, with placeholders. */
  readonly text: string;
}

/** A file and the cluster that it belongs to. */
export interface FileEntry {
  /** Path below the stack's folder, `pods/shop.web.yaml`. */
  readonly file: string;
  /**
   * Name of the cluster in whose folder it is, `manifests/<cluster>/20-service-accounts.yaml`; if absent, that of
   * the stack's only cluster.
   */
  readonly cluster?: string | undefined;
}

/** One file with Kubernetes objects. */
export interface ManifestEntry extends FileEntry {
  /** The cluster that the objects belong to. */
  readonly appliesTo: "cluster" | "management-cluster" | "spoke";
  /** Name of the spoke that the objects belong to; if absent, they belong to no spoke. */
  readonly spoke?: string;
}

/** One file with node files and flags. */
export interface NodesEntry extends FileEntry {
  /** Name of the spoke whose control plane gets the files; if absent, they are for nodes of the cluster itself. */
  readonly spoke?: string;
  /** Form of the file, such as `cloud-init`; if absent, files and flags as data. */
  readonly form?: string;
}

/** Which cluster a Terraform provider of the delivering stack reaches. */
export interface DeliveredCluster {
  /** Key of the provider's configuration, `kubernetes` or `kubernetes.<alias>`. */
  readonly provider: string;
  readonly appliesTo: ManifestEntry["appliesTo"];
  /** Name of the spoke; if absent, it is not a spoke. */
  readonly spoke?: string;
  /** Name of the cluster in whose folder its manifests would be; if absent, that of the stack's only cluster. */
  readonly cluster?: string;
}

/** Where a stack's objects are if in no file: in resources of the Terraform provider `kubernetes` of another stack. */
export interface DeliveryEntry {
  /** Id of the stack that has the resources. */
  readonly stack: string;
  readonly clusters: readonly DeliveredCluster[];
}

/** `workload-identity.json`: what a stack's manifests do not say themselves. */
export interface WorkloadIdentityFile {
  readonly version: typeof WORKLOAD_IDENTITY_VERSION | typeof PER_CLUSTER_VERSION;
  readonly stack: string;
  /** Facts of the clusters, in the form their distributions give. */
  readonly clusters: readonly Readonly<Record<string, unknown>>[];
  /** Files with Kubernetes objects, in the order in which they are applied. */
  readonly manifests: readonly ManifestEntry[];
  /** Files with node files and kubelet flags. */
  readonly nodes: readonly NodesEntry[];
  /** Files for the cluster's own control plane; none if absent. */
  readonly controlPlane?: readonly FileEntry[];
  /** Files that say what pods of a service account need; none if absent. */
  readonly pods?: readonly FileEntry[];
  /** Files for the owners of registries; none if absent. */
  readonly registries?: readonly FileEntry[];
  /** Texts with placeholders that `bind` checks before it writes anything; none if absent. */
  readonly rules?: readonly FinishedRule[];
  /** Stated facts by cloud, in the form of a facts file; none if absent. */
  readonly stated?: StatedFacts;
  /** Where the objects are that are in no file; if absent, all are in files. */
  readonly delivery?: DeliveryEntry;
  /** What fills each placeholder, by the placeholder's full text. */
  readonly placeholders: Readonly<Record<string, OutputPlaceholder | EncodedPlaceholder>>;
}

type Place = ManifestEntry["appliesTo"];
const PLACES: readonly unknown[] = ["cluster", "management-cluster", "spoke"] satisfies Place[];

// A path that leaves the stack's folder must be neither read nor written.
const STACK = /^[^./\\][^/\\]*$/;
const FILE =
  /^(?:(?:manifests|pods|spokes)\/(?:[a-z0-9-]+\/)?[A-Za-z0-9][A-Za-z0-9._-]*\.(?:yaml|ign|bu)|(?:nodes|control-plane)\/(?:[a-z0-9-]+\/)?[a-z0-9][a-z0-9-]*\.[a-z][a-z0-9]{0,9}|registries\/(?:[a-z0-9-]+\/)?[a-z0-9][a-z0-9._-]*\.json)$/;

export function readWorkloadIdentity(text: string, file: string): WorkloadIdentityFile {
  const document = jsonObject(text, (reason) => refuseFile(file, reason));
  const { version, stack, clusters, delivery, placeholders } = document;
  const { manifests, nodes, controlPlane = [], pods = [], registries = [], rules = [] } = document;
  if (version !== WORKLOAD_IDENTITY_VERSION && version !== PER_CLUSTER_VERSION)
    return refuseFile(
      file,
      `has version ${JSON.stringify(version)}, not ${WORKLOAD_IDENTITY_VERSION} or ${PER_CLUSTER_VERSION}`,
    );
  if (!Array.isArray(clusters) || !clusters.every(isRecord)) return refuseFile(file, "has no valid clusters");
  const names = version === PER_CLUSTER_VERSION ? clusters.map(({ name }) => name) : [undefined];
  const isOne = (entry: unknown): boolean => isFileEntry(entry, names);
  const files =
    [manifests, nodes, controlPlane, pods, registries].every(
      (list) => Array.isArray(list) && list.every(isOne),
    ) && (manifests as readonly ManifestEntry[]).every(({ appliesTo }) => PLACES.includes(appliesTo));
  if (typeof stack !== "string" || !STACK.test(stack) || !files)
    return refuseFile(file, "has no valid stack, manifests, nodes, pods or registries");
  if (!isRecord(placeholders) || !Object.values(placeholders).every(isPlaceholderEntry))
    return refuseFile(file, "has no valid placeholders");
  if (!Array.isArray(rules) || !rules.every(isFinishedRule))
    return refuseFile(file, "has rules that this version does not know");
  if (delivery !== undefined && !isDelivery(delivery, names))
    return refuseFile(file, "has no valid delivery");
  return document as unknown as WorkloadIdentityFile;
}

function isDelivery(delivery: unknown, names: readonly unknown[]): boolean {
  const { stack, clusters } = record(delivery);
  return (
    typeof stack === "string" &&
    Array.isArray(clusters) &&
    clusters.every(
      (each) =>
        isRecord(each) &&
        typeof each["provider"] === "string" &&
        PLACES.includes(each["appliesTo"]) &&
        names.includes(each["cluster"]) &&
        ["string", "undefined"].includes(typeof each["spoke"]),
    )
  );
}

/** `names` are those of the clusters that have folders; `undefined` is the one without. */
function isFileEntry(entry: unknown, names: readonly unknown[]): boolean {
  if (!isRecord(entry) || !["string", "undefined"].includes(typeof entry["spoke"])) return false;
  const { file, cluster } = entry;
  if (typeof file !== "string" || !FILE.test(file) || !names.includes(cluster)) return false;
  const [, folder, name] = file.split("/");
  return cluster === (name === undefined ? undefined : folder);
}

function isPlaceholderEntry(entry: unknown): boolean {
  if (!isRecord(entry)) return false;
  const { output, path, expression, encoding, text } = entry;
  if (encoding === undefined)
    return (
      [output, expression].every((part) => typeof part === "string") &&
      Array.isArray(path) &&
      path.every((part) => typeof part === "string")
    );
  return (encoding === "data-url" || encoding === "base64") && typeof text === "string";
}
