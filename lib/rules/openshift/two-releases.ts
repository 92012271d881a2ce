/*
 * The CredentialsRequests of two releases: what changed between them, and both merged for the time of an upgrade.
 *
 * Does not depend on any cloud's fields. A list of texts is a set; objects in a list are identified by everything in
 * them that is not a list of strings, so an IAM statement is identified by effect, resource and condition.
 */

import { fail } from "../../errors";
import type { CredentialsRequest } from "../../model/credentials-request";
import { isRecord } from "../../model/record";
import { requestLabel } from "../../model/request-label";
import { checkGiven } from "../../model/shape";
import type { SourcedDocument } from "../../model/sourced-document";
import { compareVersions, minorOf, parseVersion } from "../../model/version";
import { type RequestHeader, refuseSameNames, requestHeader } from "./credentials-request";
import {
  type CredentialsRequestSelection,
  CREDENTIALS_REQUEST_SELECTION,
  bySecret,
  requestDocuments,
} from "./credentials-request-selection";

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
  /** Values that only the newer release has, sorted; texts unchanged, everything else as JSON. */
  readonly added: readonly string[];
  /** Values that only the older release has, sorted. */
  readonly removed: readonly string[];
}

/** A request that both releases have, with differences. */
export interface ChangedRequest extends NamedRequest {
  /** The changes, sorted by path. */
  readonly changes: readonly ValueChange[];
}

/** The differences of two releases' requests, each list sorted by kind and name. */
export interface CredentialsRequestsDiff {
  /** Requests that only the newer release has, with everything that they request. */
  readonly added: readonly ChangedRequest[];
  /** Requests that only the older release has, with everything that they requested. */
  readonly removed: readonly ChangedRequest[];
  /** Requests that differ: annotations, Secret, service accounts, token path, permissions. */
  readonly changed: readonly ChangedRequest[];
}

type Values = ReadonlyMap<string, ReadonlySet<string>>;
/** A header of a request that has a `spec`. */
type Header = RequestHeader & { readonly providerKind: string };
type Requests = ReadonlyMap<string, { readonly header: Header; readonly values: Values }>;

/**
 * Compares the CredentialsRequests in the documents of two releases, for every cloud, including those that a filter
 * would skip; ignores documents of other kinds.
 */
export function credentialsRequestsDiff(
  before: readonly SourcedDocument[],
  after: readonly SourcedDocument[],
): CredentialsRequestsDiff {
  const [older, newer] = [requestsOf(before), requestsOf(after)];
  const diff = { added: [], removed: [], changed: [] } as Record<
    keyof CredentialsRequestsDiff,
    ChangedRequest[]
  >;
  for (const key of [...new Set([...older.keys(), ...newer.keys()])].sort()) {
    const [was, is] = [older.get(key), newer.get(key)];
    const header = (is ?? was)?.header;
    if (!header) continue;
    const { name, providerKind } = header;
    const changes = valueChanges(was?.values, is?.values);
    const list = was === undefined ? "added" : is === undefined ? "removed" : "changed";
    if (list !== "changed" || changes.length > 0) diff[list].push({ name, providerKind, changes });
  }
  return diff;
}

function requestsOf(documents: readonly SourcedDocument[]): Requests {
  const requests = new Map<string, { header: Header; values: Values }>();
  for (const { value, source } of requestDocuments(documents)) {
    const { providerKind, ...header } = requestHeader(value, source);
    // It only names an object to delete.
    if (providerKind === undefined) continue;
    const key = `${providerKind} ${header.name}`;
    const first = requests.get(key);
    if (first) refuseSameNames([first.header, header]);
    const values = new Map<string, Set<string>>();
    collect(values, "annotations", header.annotations);
    const spec = isRecord(value) ? withoutHeader(value["spec"]) : undefined;
    for (const [field, member] of Object.entries(isRecord(spec) ? spec : {})) collect(values, field, member);
    requests.set(key, { header: { ...header, providerKind }, values });
  }
  return requests;
}

/** Drops the kind, which already identifies the request, and the version of its API with it. */
function withoutHeader(spec: unknown): unknown {
  if (!isRecord(spec) || !isRecord(spec["providerSpec"])) return spec;
  const { apiVersion: _, kind: __, ...providerSpec } = spec["providerSpec"];
  return { ...spec, providerSpec };
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
  if (!isRecord(entry) || lists.length === 0) return put(values, path, entry);
  const rest = Object.fromEntries(
    Object.entries(entry).filter(([, member]) => !isTextList(member) && !isNothing(member)),
  );
  for (const [key, list] of lists) collect(values, `${path}${canonical(rest)}.${key}`, list);
}

function isTextList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((entry) => typeof entry === "string");
}

/** Treats an empty condition as absent. */
function isNothing(value: unknown): boolean {
  return value === undefined || value === null || (isRecord(value) && Object.keys(value).length === 0);
}

function put(values: Map<string, Set<string>>, path: string, value: unknown): void {
  const at = values.get(path) ?? new Set<string>();
  values.set(path, at.add(typeof value === "string" ? value : canonical(value)));
}

/** JSON with sorted members and sorted lists of texts, so that equal values have equal texts; `""` for nothing. */
function canonical(value: unknown): string {
  const text = JSON.stringify(value, (_, member: unknown) => {
    if (isTextList(member)) return [...member].sort();
    return isRecord(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member;
  }) as string | undefined;
  return text ?? "";
}

function valueChanges(before: Values | undefined, after: Values | undefined): readonly ValueChange[] {
  const paths = [...new Set([...(before?.keys() ?? []), ...(after?.keys() ?? [])])].sort();
  return paths
    .map((path) => ({
      path,
      added: only(after?.get(path), before?.get(path)),
      removed: only(before?.get(path), after?.get(path)),
    }))
    .filter(({ added, removed }) => added.length + removed.length > 0);
}

function only(values: Iterable<string> = [], others?: ReadonlySet<string>): readonly string[] {
  return [...values].filter((value) => others?.has(value) !== true).sort();
}

/**
 * The requests of the running release and of the next one, merged for the time of an upgrade, in which components of
 * both run side by side. Each request has the service accounts and permissions of both; requests that only one of them
 * has are kept.
 *
 * AWS statements that differ only in their actions become one with the actions of both. `skipped` is that of the next
 * release, without requests that the running one has. Throws if two requests of the same name differ in their Secret,
 * their token path, or a setting that is not a list.
 */
export function joinedCredentialsRequests(
  running: CredentialsRequestSelection,
  next: CredentialsRequestSelection,
): CredentialsRequestSelection {
  checkGiven("joinedCredentialsRequests()", CREDENTIALS_REQUEST_SELECTION, running, "running");
  checkGiven("joinedCredentialsRequests()", CREDENTIALS_REQUEST_SELECTION, next, "next");
  const byKey = new Map(running.requests.map((request) => [keyOf(request), request]));
  for (const request of next.requests) {
    const key = keyOf(request);
    const before = byKey.get(key);
    byKey.delete(key);
    byKey.set(key, before ? joined(before, request) : request);
  }
  const requests = [...byKey.values()];
  refuseSameNames(requests);
  const names = new Set(requests.map(({ name }) => name));
  return {
    requests: requests.sort(bySecret),
    skipped: next.skipped.filter(({ name }) => !names.has(name)),
  };
}

function keyOf({ providerKind, name }: CredentialsRequest): string {
  return `${providerKind} ${name}`;
}

function joined(before: CredentialsRequest, after: CredentialsRequest): CredentialsRequest {
  assertSame(before, after, "secret", before.secret, after.secret);
  assertSame(before, after, "cloudTokenPath", before.cloudTokenPath, after.cloudTokenPath);
  const subjects = new Map([...before.subjects, ...after.subjects].map((subject) => [subject.key, subject]));
  const [was, is] = [before.providerSpec, after.providerSpec];
  const fields = [...new Set([...Object.keys(was), ...Object.keys(is)])];
  const providerSpec = fields.map((field) => {
    const [old, current] = [was[field] ?? undefined, is[field] ?? undefined];
    if (old === undefined || current === undefined) return [field, current ?? old];
    if (Array.isArray(old) && Array.isArray(current)) return [field, joinedEntries(old, current)];
    assertSame(before, after, `providerSpec.${field}`, old, current);
    return [field, current];
  });
  return {
    ...after,
    subjects: [...subjects.values()].sort((a, b) => (a.name < b.name ? -1 : 1)),
    providerSpec: Object.fromEntries(providerSpec) as CredentialsRequest["providerSpec"],
  };
}

function assertSame(
  before: CredentialsRequest,
  after: CredentialsRequest,
  field: string,
  was: unknown,
  is: unknown,
): void {
  if (canonical(was) === canonical(is)) return;
  fail("openshift-mismatch", {
    problem: `${requestLabel(after)} has a different ${field} than ${requestLabel(before)}, so one identity cannot serve both releases`,
    value: is,
    allowed: JSON.stringify(was) ?? "nothing",
    remedy:
      "use the requests of the running release until the upgrade, and those of the next release right after it",
  });
}

/**
 * The entries of both lists without duplicates, in their order.
 *
 * Two objects that differ in exactly one list of texts become one object with the texts of both. Such an entry allows
 * nothing that neither did; that would not hold if a second list were merged too.
 */
function joinedEntries(before: readonly unknown[], after: readonly unknown[]): readonly unknown[] {
  const entries = new Map<string, unknown>();
  for (const entry of [...before, ...after]) {
    const lists = isRecord(entry) ? Object.entries(entry).filter(([, member]) => isTextList(member)) : [];
    const [[list = "", texts] = []] = lists;
    if (!isRecord(entry) || lists.length !== 1 || !isTextList(texts)) {
      entries.set(canonical(entry), entry);
      continue;
    }
    const key = `${list} ${canonical({ ...entry, [list]: [] })}`;
    const known = entries.get(key);
    const old = isRecord(known) ? known[list] : undefined;
    entries.set(key, { ...entry, [list]: [...new Set([...(isTextList(old) ? old : []), ...texts])] });
  }
  return [...entries.values()];
}

/*
 * Service accounts of OpenShift's components that were renamed between releases. Source: the CredentialsRequests of
 * openshift/cluster-capi-operator and openshift/azure-disk-csi-driver-operator at their release branches.
 */

/** One row: the names that a component's service account has had, oldest first. */
interface Renaming {
  readonly namespace: string;
  readonly names: readonly string[];
  readonly history: string;
}

const RENAMINGS: readonly Renaming[] = [
  {
    namespace: "openshift-cluster-api",
    names: ["cluster-capi-operator", "capi-controllers", "capa-controller-manager"],
    history:
      "the service account of openshift-cluster-api is cluster-capi-operator up to 4.21, capi-controllers from 4.22, and on AWS capa-controller-manager from 4.23",
  },
];

/** A sentence about a service account's earlier and later names; `undefined` if it was never renamed. */
export function renamedServiceAccount(namespace: string, name: string): string | undefined {
  return RENAMINGS.find((row) => row.namespace === namespace && row.names.includes(name))?.history;
}

/**
 * Annotation of `CloudCredential/cluster`, with which an administrator confirms that an upgrade's credentials exist.
 *
 * Source: openshift/cloud-credential-operator, condition `MissingUpgradeableAnnotation`.
 */
export const UPGRADEABLE_TO = "cloudcredential.openshift.io/upgradeable-to";

/**
 * The annotation's value, `4.23.0`. The operator compares only major and minor, and requires a version greater than the
 * cluster's.
 */
export function upgradeableTo(version: string, clusterVersion?: string): string {
  const { major, minor, patch = 0 } = parseVersion("version to upgrade to", version);
  if (
    clusterVersion !== undefined &&
    compareVersions(`${major}.${minor}`, minorOf("version of the cluster", clusterVersion)) <= 0
  )
    return fail("openshift-invalid", {
      problem: `the version to upgrade to is not newer in major.minor than the cluster's ${clusterVersion}`,
      value: version,
      allowed: `a major.minor greater than that of ${clusterVersion}`,
      remedy: "state the version to which you upgrade the cluster",
    });
  return `${major}.${minor}.${patch}`;
}
