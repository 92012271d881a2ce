/*
 * What the Terraform resource `kubernetes_manifest` can carry, and how it is named.
 *
 * Source: hashicorp/terraform-provider-kubernetes, manifest/provider: validate.go (keys, namespace), plan.go (the API is
 * asked for the kind), apply.go (an object that exists is not created), resource.go (status is removed), import.go (ids).
 */

import { isRecord } from "../model/record";
import { stableHash } from "./names";

/** What is wrong, as the parts of an error. */
export interface ManifestProblem {
  /** Whether the object cannot be carried at all, is too large, or needs a statement. */
  readonly kind: "unsupported" | "limit" | "missing";
  readonly problem: string;
  readonly value: unknown;
  readonly allowed: string;
  readonly remedy: string;
}

type Document = Readonly<Record<string, unknown>>;

/** etcd refuses larger requests, `--max-request-bytes`. Source: etcd.io/docs/latest/dev-guide/limit. */
const REQUEST_MAX = 1_572_864;

/** Groups that every API server serves by itself. Source: kubernetes/kubernetes, staging/src/k8s.io/api. */
const BUILT_IN: readonly string[] = [
  "",
  "admissionregistration.k8s.io",
  "apiextensions.k8s.io",
  "apiregistration.k8s.io",
  "apps",
  "autoscaling",
  "batch",
  "certificates.k8s.io",
  "coordination.k8s.io",
  "discovery.k8s.io",
  "events.k8s.io",
  "flowcontrol.apiserver.k8s.io",
  "networking.k8s.io",
  "node.k8s.io",
  "policy",
  "rbac.authorization.k8s.io",
  "resource.k8s.io",
  "scheduling.k8s.io",
  "storage.k8s.io",
];
/** Served by OpenShift and by HyperShift, without which the library writes none of them. */
const OPENSHIFT = /(?:^|\.)openshift\.io$/;

/** `ClusterProfile.multicluster.x-k8s.io`, as `kubectl` takes kinds; without group for Kubernetes' first ones. */
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

/** Why `kubernetes_manifest` cannot carry an object; `title` is `ClusterProfile argocd/shop`. */
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
    return unsupported(`${title} is a list`, kind, "one object per document", "write its items one by one");
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
      problem: `${title} is of a custom kind, and Terraform cannot plan it before the CustomResourceDefinition is in the cluster`,
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
        remedy: "spread it over several objects",
      };
}

const NAME = "give it a fixed name: server-side apply needs one";
const STATUS =
  "leave its file to `bind` with `files`, or have a Job write the status (`statusWriter` of a fleet)";

function unsupported(problem: string, value: unknown, allowed: string, remedy: string): ManifestProblem {
  return { kind: "unsupported", problem, value, allowed, remedy };
}

/**
 * Objects that a cluster makes itself and that others configure as well: `cluster` of OpenShift's configuration APIs.
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

/** The id by which Terraform imports an object. */
export function importId({ apiVersion, kind, metadata }: Document): string {
  const { namespace, name } = isRecord(metadata) ? metadata : {};
  const parts = { apiVersion, kind, ...(namespace !== undefined && { namespace }), name };
  return Object.entries(parts)
    .map(([key, value]) => `${key}=${String(value)}`)
    .join(",");
}

/**
 * Names of resources, `serviceaccount_shop_web`, as people name them; `place` comes before it. A name that is taken gets
 * a hash of what the object is.
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
