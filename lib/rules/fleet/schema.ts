/*
 * What a CRD's structural schema says, as far as ClusterProfile needs it, and how the API server applies it: unknown
 * fields are pruned in silence, wrong values are rejected. Source: apiextensions-apiserver, pkg/apiserver/schema
 * (pruning, listtype) and pkg/apiserver/validation.
 */

import { isRecord } from "../../model/record";

/** Says what is wrong with a value in the API server's words, `undefined` for a good one. */
export type ValueRule<T> = (value: T) => string | undefined;

/** A value's type and rules. */
export type Schema =
  | { readonly type: "string"; readonly rules?: readonly ValueRule<string>[] }
  | { readonly type: "boolean" }
  | { readonly type: "integer"; readonly rules?: readonly ValueRule<number>[] }
  | { readonly type: "texts" }
  | { readonly type: "anything" }
  | {
      readonly type: "array";
      readonly items: Schema;
      /** Field that tells the items apart, of a list of the kind map. */
      readonly key?: string;
      readonly max?: number;
    }
  | {
      readonly type: "object";
      readonly fields: Readonly<Record<string, Schema>>;
      readonly required?: readonly string[];
    };

/** A value that the API server rejects. */
export interface Rejection {
  /** Path as the API server prints it: `status.accessProviders[0].cluster.server`. */
  readonly field: string;
  /** Why. */
  readonly message: string;
}

/** What the API server does with a document. */
export interface SchemaResult {
  /** Paths of the fields that it drops, in the order of the document. */
  readonly dropped: readonly string[];
  /** Why it refuses the document; empty when it stores it. */
  readonly rejected: readonly Rejection[];
}

interface Findings {
  readonly dropped: string[];
  readonly rejected: Rejection[];
}

type Visitor = (value: unknown, schema: Schema, path: string, findings: Findings) => void;

/** Applies the schema; never throws. */
export function applySchema(value: unknown, schema: Schema): SchemaResult {
  const findings: Findings = { dropped: [], rejected: [] };
  visit(value, schema, "", findings);
  return findings;
}

function visit(value: unknown, schema: Schema, path: string, findings: Findings): void {
  if (!hasType(value, schema)) {
    const wanted = schema.type === "anything" || schema.type === "texts" ? "object" : schema.type;
    findings.rejected.push({ field: path, message: `must be of type ${wanted}: "${jsonType(value)}"` });
    return;
  }
  VISITORS[schema.type]?.(value, schema, path, findings);
}

const VISITORS: Readonly<Partial<Record<Schema["type"], Visitor>>> = {
  string: (value, schema, path, { rejected }) => {
    if (schema.type !== "string" || typeof value !== "string") return;
    for (const rule of schema.rules ?? []) reject(rule(value), path, rejected);
  },
  integer: (value, schema, path, { rejected }) => {
    if (schema.type !== "integer" || typeof value !== "number") return;
    for (const rule of schema.rules ?? []) reject(rule(value), path, rejected);
  },
  texts: (value, _, path, { rejected }) => {
    for (const [key, text] of Object.entries(isRecord(value) ? value : {}))
      if (typeof text !== "string")
        rejected.push({ field: `${path}.${key}`, message: `must be of type string: "${jsonType(text)}"` });
  },
  array: (value, schema, path, findings) => {
    if (schema.type === "array" && Array.isArray(value)) visitList(value, schema, path, findings);
  },
  object: (value, schema, path, findings) => {
    if (schema.type === "object" && isRecord(value)) visitObject(value, schema, path, findings);
  },
};

function visitList(
  value: readonly unknown[],
  schema: Schema & { readonly type: "array" },
  path: string,
  findings: Findings,
): void {
  const { items, key, max } = schema;
  if (max !== undefined && value.length > max)
    findings.rejected.push({ field: path, message: `must have at most ${max} items` });
  value.forEach((item, index) => visit(item, items, `${path}[${index}]`, findings));
  if (key === undefined) return;
  const keys = value.map((item) => (isRecord(item) ? item[key] : undefined));
  keys.forEach((own, index) => {
    if (own !== undefined && keys.indexOf(own) < index)
      findings.rejected.push({ field: `${path}[${index}]`, message: `Duplicate value: {"${key}":"${own}"}` });
  });
}

function visitObject(
  value: Record<string, unknown>,
  schema: Schema & { readonly type: "object" },
  path: string,
  findings: Findings,
): void {
  for (const [key, item] of Object.entries(value)) {
    const field = path === "" ? key : `${path}.${key}`;
    const known = Object.hasOwn(schema.fields, key) ? schema.fields[key] : undefined;
    if (known) visit(item, known, field, findings);
    else findings.dropped.push(field);
  }
  for (const key of schema.required ?? [])
    if (!Object.hasOwn(value, key))
      findings.rejected.push({ field: path === "" ? key : `${path}.${key}`, message: "Required value" });
}

function hasType(value: unknown, { type }: Schema): boolean {
  if (type === "anything" || type === "texts" || type === "object") return isRecord(value);
  if (type === "array") return Array.isArray(value);
  return type === "integer" ? Number.isInteger(value) : typeof value === type;
}

function jsonType(value: unknown): string {
  if (value === null || value === undefined) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

function reject(message: string | undefined, field: string, rejected: Rejection[]): void {
  if (message !== undefined) rejected.push({ field, message });
}
