/*
 * What changed between the CredentialsRequests of two releases. No field of any cloud is named here: a list of texts
 * is a set, and entries of a list of objects are told apart by all that is no list of texts in them, so that an IAM
 * statement is its effect, resource and condition, and its actions are compared as a set.
 */

import { fail } from "../../errors";
import { isRecord } from "../../model/record";
import { requestLabel } from "../../model/request-label";
import type { SourcedDocument } from "../../model/sourced-document";
import { type RequestHeader, requestHeader } from "./credentials-request";
import { requestDocuments } from "./credentials-request-selection";

/** One request of one release. */
export interface NamedRequest {
  /** `metadata.name`. */
  readonly name: string;
  /** `spec.providerSpec.kind`. */
  readonly providerKind: string;
}

/** What was added to, or removed from, one place of a request. */
export interface ValueChange {
  /** The place: `serviceAccountNames`, `providerSpec.permissions`, `providerSpec.statementEntries{…}.action`. */
  readonly path: string;
  /** Values that only the newer release has, sorted; texts as they are, everything else as JSON. */
  readonly added: readonly string[];
  /** Values that only the older release has, sorted. */
  readonly removed: readonly string[];
}

/** A request that both releases have, with differences. */
export interface ChangedRequest extends NamedRequest {
  /** By path. */
  readonly changes: readonly ValueChange[];
}

/** The differences of two releases' requests, each list sorted by kind and name. */
export interface CredentialsRequestsDiff {
  /** Requests that only the newer release has, with all that they ask for. */
  readonly added: readonly ChangedRequest[];
  /** Requests that only the older release has, with all that they asked for. */
  readonly removed: readonly ChangedRequest[];
  /** Requests that differ: annotations, Secret, service accounts, token path, permissions. */
  readonly changed: readonly ChangedRequest[];
}

type Values = ReadonlyMap<string, ReadonlySet<string>>;
type Requests = ReadonlyMap<string, { readonly header: RequestHeader; readonly values: Values }>;

/**
 * Compares the CredentialsRequests among the documents of two releases, of every cloud, also those that a filter would
 * leave out; documents of other kinds are not compared.
 *
 * Throws `credentials-request-twice`, `credentials-request-invalid` and `credentials-requests-list`.
 */
export function credentialsRequestsDiff(
  before: readonly SourcedDocument[],
  after: readonly SourcedDocument[],
): CredentialsRequestsDiff {
  const [older, newer] = [requestsOf(before), requestsOf(after)];
  const changes = [...new Set([...older.keys(), ...newer.keys()])].sort().flatMap((key) => {
    const [was, is] = [older.get(key), newer.get(key)];
    const header = (is ?? was)?.header;
    if (!header) return [];
    const { name, providerKind } = header;
    const request = { name, providerKind, changes: valueChanges(was?.values, is?.values) };
    return [{ request, list: was === undefined ? "added" : is === undefined ? "removed" : "changed" }];
  });
  const of = (name: string): readonly ChangedRequest[] =>
    changes.filter(({ list }) => list === name).map(({ request }) => request);
  return {
    added: of("added"),
    removed: of("removed"),
    changed: of("changed").filter((request) => request.changes.length > 0),
  };
}

function requestsOf(documents: readonly SourcedDocument[]): Requests {
  if (!Array.isArray(documents) || !Array.from(documents, isRecord).every(Boolean))
    return fail("credentials-requests-list", typeof documents);
  const requests = new Map<string, { header: RequestHeader; values: Values }>();
  for (const { value, source } of requestDocuments(documents)) {
    const header = requestHeader(value, source);
    const key = `${header.providerKind} ${header.name}`;
    const first = requests.get(key);
    if (first)
      fail("credentials-request-twice", header.name, requestLabel(first.header), requestLabel(header));
    const spec = isRecord(value) ? withoutHeader(value["spec"]) : undefined;
    requests.set(key, { header, values: valuesOf(header, spec) });
  }
  return requests;
}

/** The kind names the request already, and with it goes the version of its API. */
function withoutHeader(spec: unknown): unknown {
  if (!isRecord(spec) || !isRecord(spec["providerSpec"])) return spec;
  const { apiVersion: _, kind: __, ...providerSpec } = spec["providerSpec"];
  return { ...spec, providerSpec };
}

function valuesOf({ annotations }: RequestHeader, spec: unknown): Values {
  const values = new Map<string, Set<string>>();
  collect(values, "annotations", annotations);
  for (const [key, value] of Object.entries(isRecord(spec) ? spec : {})) collect(values, key, value);
  return values;
}

function collect(values: Map<string, Set<string>>, path: string, value: unknown): void {
  if (value === undefined || value === null) return;
  if (isRecord(value)) {
    for (const [key, member] of Object.entries(value))
      collect(values, /^\w+$/.test(key) ? `${path}.${key}` : `${path}[${JSON.stringify(key)}]`, member);
  } else if (Array.isArray(value)) {
    for (const entry of value) collectEntry(values, path, entry);
  } else {
    put(values, path, value);
  }
}

function collectEntry(values: Map<string, Set<string>>, path: string, entry: unknown): void {
  const lists = isRecord(entry) ? Object.entries(entry).filter(([, member]) => isTextList(member)) : [];
  if (!isRecord(entry) || lists.length === 0) {
    put(values, path, entry);
    return;
  }
  const rest = Object.fromEntries(
    Object.entries(entry).filter(([, member]) => !isTextList(member) && !isNothing(member)),
  );
  for (const [key, list] of lists) collect(values, `${path}${canonical(rest)}.${key}`, list);
}

function isTextList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((entry) => typeof entry === "string");
}

/** An empty condition is none. */
function isNothing(value: unknown): boolean {
  return value === undefined || value === null || (isRecord(value) && Object.keys(value).length === 0);
}

function put(values: Map<string, Set<string>>, path: string, value: unknown): void {
  const at = values.get(path) ?? new Set<string>();
  values.set(path, at.add(typeof value === "string" ? value : canonical(value)));
}

/** JSON with sorted members and sorted lists of texts, which are sets. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) => {
    if (Array.isArray(member)) return isTextList(member) ? [...member].sort() : member;
    return isRecord(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member;
  });
}

const NOTHING: ReadonlySet<string> = new Set<string>();

function valueChanges(before: Values | undefined, after: Values | undefined): readonly ValueChange[] {
  const paths = [...new Set([...(before?.keys() ?? []), ...(after?.keys() ?? [])])].sort();
  return paths
    .map((path) => {
      const [was, is] = [before?.get(path) ?? NOTHING, after?.get(path) ?? NOTHING];
      return { path, added: only(is, was), removed: only(was, is) };
    })
    .filter(({ added, removed }) => added.length + removed.length > 0);
}

function only(values: ReadonlySet<string>, others: ReadonlySet<string>): readonly string[] {
  return [...values].filter((value) => !others.has(value)).sort();
}
