/*
 * The ClusterProfile CRD as a table. Sources: kubernetes-sigs/cluster-inventory-api:
 * config/crd/bases/multicluster.x-k8s.io_clusterprofiles.yaml (v1alpha1), and its docs/api-versions.md for v1alpha2
 * (no release yet; later findings belong here).
 */

import type { Schema, ValueRule } from "./schema";
import { serverProblem } from "./server-url";

/** Versions of the API. */
export type ClusterProfileVersion = "v1alpha1" | "v1alpha2";

const NAME_MAX = 253;
const VALUE_MAX = 1024;
const LABEL_MAX = 63;
const PROVIDERS_MAX = 64;
const REASON_MAX = 1024;
const TYPE_MAX = 316;
const MESSAGE_MAX = 32768;

const LABEL_VALUE = /^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/;
const REASON = /^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$/;
const CONDITION_TYPE =
  /^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$/;
/** The API server's format `byte`: padded, without line breaks, not empty. */
const BASE64 = /^(?!$)(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const RFC_3339 =
  /^(\d{4})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])[Tt](?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:[Zz]|[+-]\d{2}:\d{2})$/;

/** True for an RFC 3339 time, as the format `date-time` of a CRD has it: a day that the month does not have is none. */
export function isDateTime(value: unknown): value is string {
  const [, year, month, day] = (typeof value === "string" && RFC_3339.exec(value)) || [];
  return day !== undefined && Number(day) <= new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
}

/** True for a value of a label that is not empty. */
export function isLabelValue(value: unknown): value is string {
  return typeof value === "string" && value.length <= LABEL_MAX && LABEL_VALUE.test(value);
}

function length(min: number, max: number): ValueRule<string> {
  return (value) => {
    if ([...value].length > max) return `may not be more than ${max} bytes`;
    return [...value].length < min ? `should be at least ${min} chars long` : undefined;
  };
}

function pattern(expression: RegExp): ValueRule<string> {
  return (value) => (expression.test(value) ? undefined : `should match '${expression.source}'`);
}

const text: Schema = { type: "string" };
const dateTime: Schema = {
  type: "string",
  rules: [(value) => (isDateTime(value) ? undefined : "must be of type date-time")],
};
const base64: Schema = {
  type: "string",
  rules: [(value) => (BASE64.test(value) ? undefined : "must be of type byte")],
};
const bounded = (min: number, max: number): Schema => ({ type: "string", rules: [length(min, max)] });

const condition: Schema = {
  type: "object",
  fields: {
    type: { type: "string", rules: [length(0, TYPE_MAX), pattern(CONDITION_TYPE)] },
    status: { type: "string", rules: [pattern(/^(?:True|False|Unknown)$/)] },
    observedGeneration: {
      type: "integer",
      rules: [(value) => (value < 0 ? "should be greater than or equal to 0" : undefined)],
    },
    lastTransitionTime: dateTime,
    reason: { type: "string", rules: [length(1, REASON_MAX), pattern(REASON)] },
    message: bounded(0, MESSAGE_MAX),
  },
  required: ["lastTransitionTime", "message", "reason", "status", "type"],
};

const extension: Schema = {
  type: "object",
  fields: { name: text, extension: { type: "anything" } },
  required: ["extension", "name"],
};

const shared: Readonly<Record<string, Schema>> = {
  "certificate-authority-data": base64,
  "disable-compression": { type: "boolean" },
  "insecure-skip-tls-verify": { type: "boolean" },
  "proxy-url": text,
};

/** `cluster` of an access provider; v1alpha2 has rules that v1alpha1 left to the reader. */
const CLUSTERS: Readonly<Record<ClusterProfileVersion, Schema>> = {
  v1alpha1: {
    type: "object",
    fields: {
      ...shared,
      "certificate-authority": text,
      "tls-server-name": text,
      server: text,
      extensions: { type: "array", items: extension },
    },
    required: ["server"],
  },
  v1alpha2: {
    type: "object",
    fields: {
      ...shared,
      "tls-server-name": bounded(0, NAME_MAX),
      server: { type: "string", rules: [(value) => serverProblem(value, ["https:", "http:"])] },
      extensions: { type: "array", items: extension, key: "name" },
    },
    required: ["server"],
  },
};

function providers(version: ClusterProfileVersion): Schema {
  const strict = version === "v1alpha2";
  const items: Schema = {
    type: "object",
    fields: { name: strict ? bounded(1, NAME_MAX) : text, cluster: CLUSTERS[version] },
    required: strict ? ["name", "cluster"] : ["name"],
  };
  return { type: "array", items, key: "name", ...(strict ? { max: PROVIDERS_MAX } : {}) };
}

/** Fields of ObjectMeta that manifests have; what the API server writes itself is among them. */
const metadata: Schema = {
  type: "object",
  fields: {
    name: text,
    generateName: text,
    namespace: text,
    labels: { type: "texts" },
    annotations: { type: "texts" },
    finalizers: { type: "array", items: text },
    ownerReferences: { type: "array", items: { type: "anything" } },
    managedFields: { type: "array", items: { type: "anything" } },
    uid: text,
    resourceVersion: text,
    creationTimestamp: text,
    generation: { type: "integer" },
  },
};

const property: Schema = {
  type: "object",
  fields: { name: bounded(1, NAME_MAX), value: bounded(1, VALUE_MAX), lastObservedTime: dateTime },
  required: ["name", "value"],
};

function profile(version: ClusterProfileVersion): Schema {
  const strict = version === "v1alpha2";
  const managerName: Schema = strict
    ? { type: "string", rules: [length(1, LABEL_MAX), pattern(LABEL_VALUE)] }
    : text;
  const status: Readonly<Record<string, Schema>> = {
    conditions: { type: "array", items: condition, key: "type" },
    version: { type: "object", fields: { kubernetes: text } },
    properties: { type: "array", items: property, key: "name" },
    accessProviders: providers(version),
    ...(strict ? {} : { credentialProviders: providers(version) }),
  };
  const clusterManager: Schema = { type: "object", fields: { name: managerName }, required: ["name"] };
  return {
    type: "object",
    fields: {
      apiVersion: text,
      kind: text,
      metadata,
      spec: { type: "object", fields: { displayName: text, clusterManager }, required: ["clusterManager"] },
      status: { type: "object", fields: status },
    },
    required: ["spec"],
  };
}

/** The schema of each version. */
export const clusterProfileSchemas: Readonly<Record<ClusterProfileVersion, Schema>> = {
  v1alpha1: profile("v1alpha1"),
  v1alpha2: profile("v1alpha2"),
};
