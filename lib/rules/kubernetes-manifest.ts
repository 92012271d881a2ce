/*
 * What the Terraform resource `kubernetes_manifest` supports, and how such a resource is named.
 *
 * Source: hashicorp/terraform-provider-kubernetes, manifest/provider: validate.go (keys, namespace), plan.go (asks the
 * API for the kind), apply.go (does not create an object that exists), resource.go (removes status), import.go (ids).
 */

import { at } from "../model/parsed";
import { isRecord } from "../model/record";
import { stableHash } from "./names";
import { withCanonicalQuantities } from "./quantity";

/** A problem, as the parts of an error. */
export interface ManifestProblem {
  /** Whether the object is not supported at all, is too large, or requires a statement by the user. */
  readonly kind: "unsupported" | "limit" | "missing";
  readonly problem: string;
  readonly value: unknown;
  readonly allowed: string;
  readonly remedy: string;
}

type Document = Readonly<Record<string, unknown>>;

/** etcd refuses larger requests, `--max-request-bytes`. Source: etcd.io/docs/latest/dev-guide/limit. */
const REQUEST_MAX = 1_572_864;

/** Groups that every API server serves itself. Source: kubernetes/kubernetes, staging/src/k8s.io/api. */
const GROUPS = `admissionregistration.k8s.io apiextensions.k8s.io apiregistration.k8s.io apps autoscaling batch
  certificates.k8s.io coordination.k8s.io discovery.k8s.io events.k8s.io flowcontrol.apiserver.k8s.io
  networking.k8s.io node.k8s.io policy rbac.authorization.k8s.io resource.k8s.io scheduling.k8s.io
  storage.k8s.io`;
const BUILT_IN: readonly string[] = ["", ...GROUPS.split(/\s+/)];
/** Served by OpenShift and HyperShift; on other clusters the library writes none of these. */
const OPENSHIFT = /(?:^|\.)openshift\.io$/;

/** `ClusterProfile.multicluster.x-k8s.io`, as `kubectl` accepts kinds; without group for the core group. */
export function kindName({ apiVersion, kind }: Document): string {
  const group = groupOf(apiVersion);
  return group === "" ? String(kind) : `${String(kind)}.${group}`;
}

/** The kind that a CustomResourceDefinition adds; `undefined` for any other object. */
export function definedKind({ apiVersion, kind, spec }: Document): string | undefined {
  if (kind !== "CustomResourceDefinition" || groupOf(apiVersion) !== "apiextensions.k8s.io") return undefined;
  const { group, names } = isRecord(spec) ? spec : {};
  return isRecord(names) ? `${String(names["kind"])}.${String(group)}` : undefined;
}

function groupOf(apiVersion: unknown): string {
  const parts = String(apiVersion).split("/");
  return parts.length > 1 ? (parts[0] ?? "") : "";
}

/** Why `kubernetes_manifest` does not support an object; `title` is, for example, `ClusterProfile argocd/shop`. */
export function manifestProblem(
  object: Document,
  title: string,
  customKinds: readonly string[],
): ManifestProblem | undefined {
  const metadata = isRecord(object["metadata"]) ? object["metadata"] : {};
  const kind = String(object["kind"]);
  if (typeof metadata["name"] !== "string")
    return unsupported(`${title} has no name`, metadata["generateName"], "metadata.name", NAME);
  if (Array.isArray(object["items"]))
    return unsupported(
      `${title} is a list`,
      kind,
      "one object per document",
      "write its items as separate documents",
    );
  if (object["status"] !== undefined)
    return unsupported(
      `${title} has a status, which Terraform's kubernetes_manifest drops`,
      "status",
      "objects without status",
      STATUS,
    );
  const group = groupOf(object["apiVersion"]);
  const name = kindName(object);
  if (!BUILT_IN.includes(group) && !OPENSHIFT.test(group) && !customKinds.includes(name))
    return {
      kind: "missing",
      problem: `${title} has a custom kind, and Terraform cannot plan it before the cluster has the CustomResourceDefinition`,
      value: name,
      allowed: `kinds of Kubernetes and OpenShift${customKinds.length > 0 ? `, ${customKinds.join(", ")}` : ""}`,
      remedy: `install the definition first, by another deploy, and state customKinds: ["${name}"]`,
    };
  const size = Buffer.byteLength(JSON.stringify(object));
  return size <= REQUEST_MAX
    ? undefined
    : {
        kind: "limit",
        problem: `${title} is larger than etcd takes`,
        value: `${size} bytes`,
        allowed: `at most ${REQUEST_MAX} bytes of JSON`,
        remedy: "split it into several objects",
      };
}

const NAME = "set metadata.name: server-side apply needs a fixed name";
const STATUS =
  "leave its file to `bind` with `files`, or have a Job write the status (`statusWriter` of a fleet)";

function unsupported(problem: string, value: unknown, allowed: string, remedy: string): ManifestProblem {
  return { kind: "unsupported", problem, value, allowed, remedy };
}

/**
 * Objects that a cluster creates itself and others configure too: `cluster` of OpenShift's configuration APIs.
 * Source: openshift/api, config/v1 and operator/v1.
 */
export function isSharedSingleton(object: Document): boolean {
  const { metadata } = object;
  return (
    isRecord(metadata) &&
    metadata["name"] === "cluster" &&
    /^(?:config|operator)\.openshift\.io\//.test(String(object["apiVersion"]))
  );
}

/**
 * The shared objects that this library itself may write as a whole, so that a stack that no longer declares one must
 * not delete it.
 */
export const OWN_SINGLETONS: readonly Document[] = [
  {
    apiVersion: "operator.openshift.io/v1",
    kind: "MachineConfiguration",
    metadata: { name: "cluster" },
  },
];

/** Namespaces of every cluster. Source: kubernetes.io/docs/concepts/overview/working-with-objects/namespaces. */
const NAMESPACES: readonly unknown[] = ["default", "kube-node-lease", "kube-public", "kube-system"];

/** The namespaces that objects need and that neither they nor every cluster has, sorted. */
export function neededNamespaces(objects: readonly Document[]): readonly string[] {
  const declared = objects
    .filter((each) => kindName(each) === "Namespace")
    .map((each) => at(each, "metadata", "name"));
  const there = new Set([undefined, ...NAMESPACES, ...declared]);
  const names = objects.map((each) => at(each, "metadata", "namespace"));
  return [...new Set(names.filter((name) => !there.has(name)).map(String))].sort();
}

/** True for an account that kube-controller-manager makes in each namespace, and that can only be annotated. */
export function isDefaultAccount(object: Document): boolean {
  return kindName(object) === "ServiceAccount" && at(object, "metadata", "name") === "default";
}

/**
 * An object with its quantities as the API server returns them: `kubernetes_manifest` fails if a value differs from
 * the planned one. Fields of custom kinds are kept as they are written.
 */
export function asReturned<T extends Document>(object: T): T {
  const { spec } = object;
  if (!isRecord(spec) || !BUILT_IN.includes(groupOf(object["apiVersion"]))) return object;
  return { ...object, spec: withCanonicalQuantities(spec) };
}

/** Fields that the provider itself takes for computed if none are stated. Source: manifest/provider/plan.go. */
const COMPUTED: readonly string[] = ["metadata.annotations", "metadata.labels"];

/**
 * Fields of an object to which others add, so that the API server may return other values than planned; `undefined`
 * for the provider's default. A Job's pod template gets labels with the Job's name and uid (kubernetes/kubernetes,
 * pkg/registry/batch/job/strategy.go).
 */
export function computedFields(object: Document): readonly string[] | undefined {
  if (isSharedSingleton(object)) return ["metadata", "spec"];
  return kindName(object) === "Job.batch" ? [...COMPUTED, "spec.template.metadata.labels"] : undefined;
}

/** The id with which Terraform imports an object. */
export function importId({ apiVersion, kind, metadata }: Document): string {
  const { namespace, name } = isRecord(metadata) ? metadata : {};
  const parts = { apiVersion, kind, ...(namespace !== undefined && { namespace }), name };
  return Object.entries(parts)
    .map(([key, value]) => `${key}=${String(value)}`)
    .join(",");
}

/**
 * Readable names of Terraform resources, `serviceaccount_shop_web`, prefixed by `place`. If a name is taken, a hash of
 * the object's identity is appended.
 */
export class ResourceNames {
  readonly #taken = new Set<string>();

  name(place: string, object: Document): string {
    const { namespace, name } = isRecord(object["metadata"]) ? object["metadata"] : {};
    const parts = [place, String(object["kind"]).toLowerCase(), namespace ?? "", name].map(String);
    const plain = parts
      .filter((part) => part !== "")
      .join("_")
      .replace(/[^\w-]+/g, "_");
    const free = this.#taken.has(plain)
      ? `${plain}_${stableHash([String(object["apiVersion"]), ...parts])}`
      : plain;
    this.#taken.add(free);
    return free;
  }
}
