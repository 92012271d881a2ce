/*
 * The ClusterProfile CRD, and how the API server applies it: it silently prunes unknown fields and rejects invalid
 * values. Sources: kubernetes-sigs/cluster-inventory-api:config/crd/bases (v1alpha1) and docs/api-versions.md for
 * v1alpha2 (no release yet); apiextensions-apiserver, pkg/apiserver/schema (pruning, listtype) and validation.
 */

import { fail } from "../../errors";
import { type Known, is, isAbsent, match, orElse, shown } from "../../model/known";
import {
  type Tree,
  type TreeValue,
  childOf,
  entriesOf,
  isTreeList,
  isTreeObject,
  sameTree,
  treeOf,
} from "../../model/tree";
import { serverProblem } from "./endpoint";
import { CLUSTER_PROFILE_GROUP } from "./names";
import { versionUnknown } from "../../model/problems";

/** Versions of the ClusterProfile API. */
export type ClusterProfileVersion = "v1alpha1" | "v1alpha2";

/** The versions of the API that {@link validateClusterProfile} knows. */
export const clusterProfileVersions: readonly ClusterProfileVersion[] = ["v1alpha1", "v1alpha2"];

/** A value that the API server rejects, and why. */
export interface Rejection {
  /** Path as the API server prints it: `status.accessProviders[0].cluster.server`. */
  readonly field: string;
  /** Why, in the API server's words. */
  readonly message: string;
}

/** What the API server does with a document. */
export interface SchemaResult {
  /** Paths of the fields that it drops, in document order. */
  readonly dropped: readonly string[];
  /** Why it rejects the document; empty if it stores it. */
  readonly rejected: readonly Rejection[];
}

/** What the API server does with a document whose values may not be known. */
export interface SchemaFindings {
  readonly dropped: string[];
  readonly rejected: Rejection[];
  /** Paths of values of which nothing is known; a text that is known only after apply counts as a valid one. */
  readonly open: string[];
}

/** Records what the API server does with a value at a path. */
type Schema = (value: Tree, path: string, findings: SchemaFindings) => void;
/** What is wrong with a text, in the API server's words; `undefined` if it is valid. */
type TextRule = (value: string) => string | undefined;

/** A type of values, and what is asked of those that have it. */
function typed<T extends TreeValue>(
  type: string,
  isOne: (value: TreeValue) => value is T,
  judge?: (value: T, field: string, findings: SchemaFindings) => void,
): Schema {
  return (tree, field, findings) =>
    match(
      tree,
      (value) => {
        if (isOne(value)) return judge?.(value, field, findings);
        const found =
          value === null || value === undefined ? "null" : isTreeList(value) ? "array" : typeof value;
        findings.rejected.push({ field, message: `must be of type ${type}: "${found}"` });
      },
      (why) => {
        if (type !== "string" || !("parts" in why)) findings.open.push(field);
      },
    );
}

function text(...rules: readonly TextRule[]): Schema {
  return typed("string", isText, (value, field, { rejected }) => {
    for (const rule of rules) {
      const message = rule(value);
      if (message !== undefined) rejected.push({ field, message });
    }
  });
}

const isText = (value: TreeValue): value is string => typeof value === "string";
const anyText = text();
const boolean = typed("boolean", (value) => typeof value === "boolean");
const generation = typed(
  "integer",
  (value): value is number => Number.isInteger(value),
  (value, field, { rejected }) => {
    if (value < 0) rejected.push({ field, message: "should be greater than or equal to 0" });
  },
);
const anyObject = typed("object", isTreeObject);
const texts = typed("object", isTreeObject, (value, path, findings) => {
  for (const [key, item] of entriesOf(value)) anyText(item, `${path}.${orElse(key, () => "…")}`, findings);
});

function object(fields: Readonly<Record<string, Schema>>, ...required: readonly string[]): Schema {
  return typed("object", isTreeObject, (value, path, findings) => {
    const place = (key: string): string => (path === "" ? key : `${path}.${key}`);
    const entries = entriesOf(value);
    for (const [name, item] of entries) {
      const key = orElse(name, () => undefined);
      const known = key !== undefined && Object.hasOwn(fields, key) ? fields[key] : undefined;
      if (key === undefined) findings.open.push(path);
      else if (known) known(item, place(key), findings);
      else findings.dropped.push(place(key));
    }
    for (const key of required)
      if (entries.every(([name]) => is(name, key) === "no"))
        findings.rejected.push({ field: place(key), message: "Required value" });
  });
}

/** `key` is the field that identifies the items of a list of type map. */
function list(items: Schema, key?: string, max: number = Infinity): Schema {
  return typed("array", isTreeList, (value, path, findings) => {
    if (value.length > max)
      findings.rejected.push({ field: path, message: `must have at most ${max} items` });
    value.forEach((item, index) => items(item, `${path}[${index}]`, findings));
    if (key === undefined) return;
    const keys = value.map((item) => childOf(item, key));
    keys.forEach((own, index) => {
      if (isAbsent(own) || !keys.slice(0, index).some((each) => sameTree(each, own) === "yes")) return;
      const message = `Duplicate value: {"${key}":"${shown(own as Known<string>)}"}`;
      findings.rejected.push({ field: `${path}[${index}]`, message });
    });
  });
}

function bounded(min: number, max: number): TextRule {
  return (value) => {
    if ([...value].length > max) return `may not be more than ${max} bytes`;
    return [...value].length < min ? `should be at least ${min} chars long` : undefined;
  };
}

function pattern(expression: RegExp): TextRule {
  return (value) => (expression.test(value) ? undefined : `should match '${expression.source}'`);
}

const LABEL_VALUE = /^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/;
const REASON = /^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$/;
const CONDITION_TYPE =
  /^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$/;
/** The API server's format `byte`: padded, without line breaks, not empty. */
const BASE64 = /^(?!$)(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const RFC_3339 =
  /^(\d{4})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])[Tt](?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:[Zz]|[+-]\d{2}:\d{2})$/;

/** True for an RFC 3339 time, as in a CRD's format `date-time`: a day that the month does not have is invalid. */
export function isDateTime(value: unknown): value is string {
  const [, year, month, day] = (typeof value === "string" && RFC_3339.exec(value)) || [];
  return day !== undefined && Number(day) <= new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
}

/** True for a non-empty label value. */
export function isLabelValue(value: unknown): value is string {
  return typeof value === "string" && value.length <= 63 && LABEL_VALUE.test(value);
}

const dateTime = text((value) => (isDateTime(value) ? undefined : "must be of type date-time"));

const condition = object(
  {
    type: text(bounded(0, 316), pattern(CONDITION_TYPE)),
    status: text(pattern(/^(?:True|False|Unknown)$/)),
    observedGeneration: generation,
    lastTransitionTime: dateTime,
    reason: text(bounded(1, 1024), pattern(REASON)),
    message: text(bounded(0, 32768)),
  },
  "lastTransitionTime",
  "message",
  "reason",
  "status",
  "type",
);

const property = object(
  { name: text(bounded(1, 253)), value: text(bounded(1, 1024)), lastObservedTime: dateTime },
  "name",
  "value",
);

/** Fields of ObjectMeta that manifests contain, including those that the API server sets itself. */
const metadata = object({
  name: anyText,
  generateName: anyText,
  namespace: anyText,
  labels: texts,
  annotations: texts,
  finalizers: list(anyText),
  ownerReferences: list(anyObject),
  managedFields: list(anyObject),
  uid: anyText,
  resourceVersion: anyText,
  creationTimestamp: anyText,
  generation,
});

/** v1alpha2 enforces rules that v1alpha1 only documents. */
function profile(isStrict: boolean): Schema {
  const name = isStrict ? text(bounded(1, 253)) : anyText;
  const extension = object({ name: anyText, extension: anyObject }, "extension", "name");
  const cluster = object(
    {
      "certificate-authority-data": text((value) =>
        BASE64.test(value) ? undefined : "must be of type byte",
      ),
      "disable-compression": boolean,
      "insecure-skip-tls-verify": boolean,
      "proxy-url": anyText,
      "tls-server-name": isStrict ? text(bounded(0, 253)) : anyText,
      server: isStrict ? text((value) => serverProblem(value, ["https:", "http:"])) : anyText,
      extensions: list(extension, isStrict ? "name" : undefined),
      ...(!isStrict && { "certificate-authority": anyText }),
    },
    "server",
  );
  const provider = object({ name, cluster }, ...(isStrict ? ["name", "cluster"] : ["name"]));
  const providers = list(provider, "name", isStrict ? 64 : undefined);
  const manager = isStrict ? text(bounded(1, 63), pattern(LABEL_VALUE)) : anyText;
  const status = {
    conditions: list(condition, "type"),
    version: object({ kubernetes: anyText }),
    properties: list(property, "name"),
    accessProviders: providers,
    ...(!isStrict && { credentialProviders: providers }),
  };
  const clusterManager = object({ name: manager }, "name");
  const spec = object({ displayName: anyText, clusterManager }, "clusterManager");
  return object({ apiVersion: anyText, kind: anyText, metadata, spec, status: object(status) }, "spec");
}

const SCHEMAS: Readonly<Record<ClusterProfileVersion, Schema>> = {
  v1alpha1: profile(false),
  v1alpha2: profile(true),
};

/**
 * What an API server with the CRD of that version does with a parsed ClusterProfile: which fields it drops, and why it
 * would reject it. Both are empty for a document that is stored unchanged.
 *
 * The API server drops a status that comes with the main object; this function ignores that and treats the document as
 * one of the two resources. Throws for an unknown version.
 */
export function validateClusterProfile(document: unknown, version: ClusterProfileVersion): SchemaResult {
  const { dropped, rejected } = clusterProfileFindings(treeOf(document), version);
  return { dropped, rejected };
}

/** The same for a document whose values may not be known. */
export function clusterProfileFindings(document: Tree, version: ClusterProfileVersion): SchemaFindings {
  if (!clusterProfileVersions.includes(version))
    return fail(
      "version-unknown",
      versionUnknown("ClusterProfile", version, clusterProfileVersions.join(", ")),
    );
  const findings: SchemaFindings = { dropped: [], rejected: [], open: [] };
  const wanted = { apiVersion: `${CLUSTER_PROFILE_GROUP}/${version}`, kind: "ClusterProfile" };
  for (const [field, value] of Object.entries(wanted))
    if (is(childOf(document, field) as Known<string>, value) === "no")
      findings.rejected.push({ field, message: `must be ${value}` });
  SCHEMAS[version](document, "", findings);
  return findings;
}
