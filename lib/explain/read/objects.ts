/*
 * The Kubernetes objects in documents, lists item by item. Objects of other APIs, and those that the API server would
 * refuse, are returned separately. If an object has several documents, no file tells which one the cluster has.
 */

import { grouped } from "../../model/grouped";
import { type Known, notKnown, same, unread } from "../../model/known";
import { type Json, at, text } from "../../model/parsed";
import { isRecord } from "../../model/record";
import { CREDENTIALS_API } from "../../rules/openshift/credentials-request";
import { words } from "../coverage/coverage";
import { withoutHeld } from "./credentials";
import type { LateReader } from "./late-text";
import { refusal } from "./refusals";
import { type SkippedDocument, type Source, sourceText } from "./source";
import type { NodePool } from "../shared/node-pools";
import { named } from "../shared/words";

/** A document on its way into the facts. */
export interface KubernetesDocument {
  readonly value: unknown;
  readonly source: Source;
  /** The first line of a file that has only this document, in YAML; empty for one of several. */
  readonly head?: string | undefined;
  readonly late: LateReader;
  /** True for objects of the management cluster, which matter only for the nodes' files. */
  readonly management: boolean;
  /** True for a manifest that a stack wrote. */
  readonly ofStack: boolean;
  /** Name of the spoke for which it is recorded; `undefined` if it is not recorded for one. */
  readonly spoke: string | undefined;
  /** Name of the cluster of its stack that it is recorded for; `undefined` if it may be for each of them. */
  readonly cluster?: string | undefined;
  /** True for a file that a stack lists for nodes. */
  readonly forNodes?: boolean;
  /**
   * The field manager of a Terraform resource that only adds annotations, and removes only its own; `undefined` for
   * other documents.
   */
  readonly annotator?: Known<string> | undefined;
  /** The field manager of a `kubernetes_manifest`. */
  readonly manager?: Known<string> | undefined;
  /** The kustomization that changes its service accounts before they are applied. */
  readonly kustomization?: Source;
  /** The pool of nodes that Terraform gives the document. */
  readonly pool?: NodePool;
  /** Why it is not known for which cluster it is, as a clause; it may be for any. */
  readonly elsewhere?: string;
}

/** Documents outside of stacks, which may be of any cluster. */
export const OF_ANY: Pick<KubernetesDocument, "management" | "ofStack" | "spoke"> = {
  management: false,
  ofStack: false,
  spoke: undefined,
};

/** An object of an API that explain reads. */
export interface KubernetesObject extends KubernetesDocument {
  readonly value: Json;
  readonly kind: string;
}

/** The objects of some documents, in the order in which they were read. */
export class Objects {
  /** Objects that are not read, and objects that would be refused. */
  readonly skipped: readonly SkippedDocument[];
  readonly #all: readonly KubernetesObject[];
  readonly #byKind: ReadonlyMap<string, readonly KubernetesObject[]>;

  constructor(all: readonly KubernetesObject[], skipped: readonly SkippedDocument[]) {
    this.#all = all;
    this.skipped = skipped;
    this.#byKind = grouped(all, ({ kind }) => kind);
  }

  of(...kinds: readonly string[]): readonly KubernetesObject[] {
    const [kind = "", ...more] = kinds;
    if (more.length === 0) return this.#byKind.get(kind) ?? [];
    return this.#all.filter((object) => kinds.includes(object.kind));
  }

  /** The documents of each object of a kind, by `namespace/name`. */
  byKey(kind: string): readonly (readonly [key: string, documents: readonly KubernetesObject[]])[] {
    return [...grouped(this.of(kind), ({ value }) => keyOf(value))];
  }

  and(others: readonly KubernetesObject[] | Objects): Objects {
    if (others instanceof Objects)
      return new Objects([...this.#all, ...others.#all], [...this.skipped, ...others.skipped]);
    return others.length === 0 ? this : new Objects([...this.#all, ...others], this.skipped);
  }

  /** The objects of the cluster itself, without those of its management cluster. */
  get ofCluster(): Objects {
    const clusterObjects = this.#all.filter(({ management }) => !management);
    return clusterObjects.length === this.#all.length ? this : new Objects(clusterObjects, this.skipped);
  }
}

/** What a NodePool of Karpenter is called here; HyperShift has another kind of that name. */
export const KARPENTER_POOL = "KarpenterNodePool";

/** The kinds of each API, without a version if any is read; the same kind in another group is a different kind. */
const KINDS_BY_API: Readonly<Record<string, string>> = {
  [CREDENTIALS_API]: "CredentialsRequest",
  "admissionregistration.k8s.io/v1": "MutatingWebhookConfiguration",
  "apiserver.config.k8s.io/": "AuthenticationConfiguration",
  "apps.openshift.io/v1": "DeploymentConfig",
  "apps/v1": "DaemonSet Deployment ReplicaSet StatefulSet",
  "batch/v1": "CronJob Job",
  "config.openshift.io/": "ClusterImagePolicy ImagePolicy",
  "config.openshift.io/v1": "Authentication FeatureGate Image ImageDigestMirrorSet ImageTagMirrorSet",
  "hypershift.openshift.io/v1beta1": "HostedCluster NodePool",
  "karpenter.k8s.aws/": "EC2NodeClass",
  "karpenter.sh/": "KarpenterNodePool",
  "kubelet.config.k8s.io/": "CredentialProviderConfig",
  "kubelet.config.k8s.io/v1beta1": "KubeletConfiguration",
  "kueue.x-k8s.io/": "MultiKueueCluster",
  "machineconfiguration.openshift.io/v1": "KubeletConfig MachineConfig MachineConfigPool",
  "multicluster.x-k8s.io/": "ClusterProfile",
  "operator.openshift.io/v1": "KubeAPIServer",
  "operator.openshift.io/v1alpha1": "ImageContentSourcePolicy",
  "rbac.authorization.k8s.io/v1": "ClusterRole ClusterRoleBinding Role RoleBinding",
  v1: "ConfigMap Node Pod ReplicationController Secret ServiceAccount",
};
const APIS = new Map(
  Object.entries(KINDS_BY_API).flatMap(([api, kinds]) => words(kinds).map((kind) => [kind, api] as const)),
);

/** Source: kubernetes.io/docs/reference/using-api, "API versioning". */
const VERSION = /^v[1-9]\d*(?:(?:alpha|beta)[1-9]\d*)?$/;
/** Configuration files in the form of objects: no API server accepts them, and they need no name. */
const FILES = words("AuthenticationConfiguration CredentialProviderConfig KubeletConfiguration");
/** Kubernetes' own groups; no supported API server serves their older versions. */
const OWN_GROUPS = /^(?:v1$|(?:apps|batch|rbac\.authorization\.k8s\.io)\/)/;
/** Kinds without a namespace. */
const OF_CLUSTER =
  /^(?:Authentication|EC2NodeClass|Cluster(?:ImagePolicy|Role|RoleBinding)|FeatureGate|Image(?:ContentSourcePolicy|DigestMirrorSet|TagMirrorSet)?|KubeAPIServer|KarpenterNodePool|KubeletConfig|MachineConfig(?:Pool)?|MultiKueueCluster|MutatingWebhookConfiguration|Node)$/;

/** True for a document with an object, or a list of them. */
export function isKubernetesDocument(value: unknown): boolean {
  return isRecord(value) && typeof value["kind"] === "string" && value["apiVersion"] !== undefined;
}

function kindOf(value: unknown): string {
  const kind = text(at(value, "kind"));
  return kind === "NodePool" && text(at(value, "apiVersion")).startsWith("karpenter.sh/")
    ? KARPENTER_POOL
    : kind;
}

/** `namespace/name`; without a namespace, `default` is used. */
export function keyOf(value: unknown): string {
  return `${text(at(value, "metadata", "namespace")) || "default"}/${text(at(value, "metadata", "name"))}`;
}

/** `ServiceAccount shop/web`, `ClusterRole deployer`. */
export function titleOf(value: unknown, kind: string): string {
  if (!OF_CLUSTER.test(kind)) return `${kind} ${keyOf(value)}`;
  return `${kind === KARPENTER_POOL ? "NodePool" : kind} ${text(at(value, "metadata", "name"))}`;
}

/** Of documents that are no lists. */
export function objectsOf(documents: readonly KubernetesDocument[]): Objects {
  const objects: KubernetesObject[] = [];
  const skipped: SkippedDocument[] = [];
  const unread: KubernetesDocument[] = [];
  for (const document of documents) {
    const { value, source, elsewhere } = document;
    const kind = kindOf(value);
    if (elsewhere !== undefined) {
      skipped.push(withUnread({ source, reason: elsewhere }, [document]));
      continue;
    }
    if (!isRecord(value) || isUnread(value, kind)) {
      unread.push(document);
      continue;
    }
    const problem = problemOf(value, kind);
    if (problem === undefined) objects.push(withoutHeld({ ...document, value, kind }));
    else skipped.push({ source, reason: problem, refused: titleOf(value, kind) });
  }
  return new Objects(objects, [...skipped, ...unreadOnes(unread)]);
}

/** True for a kind that is not read, for the same kind of another API, and for patches except of service accounts. */
function isUnread(value: Json, kind: string): boolean {
  const api = APIS.get(kind);
  if (api === undefined || (value["$patch"] !== undefined && kind !== "ServiceAccount")) return true;
  const version = text(value["apiVersion"]);
  if (api.endsWith("/") ? version.startsWith(api) : version === api) return false;
  return !OWN_GROUPS.test(api) || groupOf(version) !== groupOf(api);
}

function groupOf(apiVersion: string): string {
  return apiVersion.includes("/") ? (apiVersion.split("/")[0] ?? "") : "";
}

function problemOf(value: Json, kind: string): string | undefined {
  if (FILES.includes(kind)) return undefined;
  const api = APIS.get(kind) ?? "";
  const version = text(value["apiVersion"]);
  const isServed = api.endsWith("/") ? VERSION.test(version.slice(api.length)) : version === api;
  const problem = isServed
    ? refusal(value, kind)
    : `apiVersion is ${version}, but the kind is served as ${api}${api.endsWith("/") ? "<version>" : ""}`;
  return problem && `the API server refuses it: ${problem}`;
}

/** The objects that are not read, counted by file and kind, since there may be thousands. */
function unreadOnes(documents: readonly KubernetesDocument[]): readonly SkippedDocument[] {
  const title = ({ value }: KubernetesDocument): string => {
    const patch = at(value, "$patch") === undefined ? "" : " with $patch";
    const kind = text(at(value, "kind"));
    // An item of a list that is not an object has none.
    return kind === ""
      ? " in a list without kind"
      : ` of ${text(at(value, "apiVersion"))} ${kind}${patch}, a kind that is not read`;
  };
  const groups = grouped(documents, (each) => JSON.stringify([each.source.file, title(each)]));
  return [...groups].map(([key, group]) => {
    const { length } = group;
    const [file = "", kind = ""] = JSON.parse(key) as readonly string[];
    const reason = `${length} ${length === 1 ? "object" : "objects"}${kind}`;
    return withUnread({ source: { file, path: "" }, reason }, group);
  });
}

function withUnread(skipped: SkippedDocument, objects: readonly KubernetesDocument[]): SkippedDocument {
  UNREAD.set(skipped, objects);
  return skipped;
}

const UNREAD = new WeakMap<SkippedDocument, readonly KubernetesDocument[]>();

/** The objects that are not read behind an entry of the list of what is not judged, which shows none of them. */
export function unreadIn(skipped: SkippedDocument): readonly KubernetesDocument[] {
  return UNREAD.get(skipped) ?? [];
}

/** The value on which all documents of an object agree, else a contested one. */
export function agreed<T extends string | undefined>(
  what: string,
  documents: readonly KubernetesObject[],
  read: (document: KubernetesObject) => Known<T>,
): Known<T> {
  const values = documents.map(read);
  // A value that is known to be absent is `undefined` at run time.
  if (values.length === 0) return unread(`nothing says ${what}`);
  const first = values[0] as Known<T>;
  const isOne = values.every((other) => same<string | undefined>(first, other) === "yes");
  return isOne ? first : contested(what, documents);
}

/** A value on which documents contradict each other. It is not shown, since it may be secret. */
export function contested(
  what: string,
  documents: readonly Pick<KubernetesDocument, "source">[],
): Known<never> {
  const where = named([...new Set(documents.map(({ source }) => sourceText(source)))]);
  return notKnown({ kind: "contested", what: `documents contradict each other about ${what} (${where})` });
}
