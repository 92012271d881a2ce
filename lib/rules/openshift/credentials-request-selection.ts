import { fail } from "../../errors";
import {
  type CredentialsRequest,
  type RequestSource,
  COMPONENT_REQUEST,
  REQUEST_SOURCE,
} from "../../model/credentials-request";
import { isRecord } from "../../model/record";
import { requestLabel } from "../../model/request-label";
import type { SourcedDocument } from "../../model/sourced-document";
import { CREDENTIALS_REQUEST, UNNAMED, credentialsRequest, requestHeader } from "./credentials-request";
import { type CredentialsRequestFilter, checkedFilter, refuseForeign, skipReason } from "./request-filter";
import { refuseSameNames } from "./request-names";
import { type ObjectKind, like, list, object, text } from "../../model/shape";

/** A document that is not for the cluster. */
export interface SkippedDocument {
  /** Name of the request; kind and name of an object of another kind. */
  readonly name: string;
  /** Where it was read. */
  readonly source: RequestSource;
  /** Why, as the end of a sentence that begins with the name. */
  readonly reason: string;
}

/** The requests of a cluster, and what was left out. */
export interface CredentialsRequestSelection {
  /** Sorted by namespace and name of the Secret, each Secret and each name of a request once; at least one. */
  readonly requests: readonly CredentialsRequest[];
  /** In the order in which they were read. */
  readonly skipped: readonly SkippedDocument[];
}

/** The kind of {@link CredentialsRequestSelection}. */
export const CREDENTIALS_REQUEST_SELECTION: ObjectKind<CredentialsRequestSelection> = object({
  requests: list(COMPONENT_REQUEST),
  skipped: list(
    like<SkippedDocument>("a document that was skipped", {
      name: text,
      reason: text,
      source: REQUEST_SOURCE,
    }),
  ),
});

/**
 * Checks the documents that are for the cluster; what is not for it is only named.
 *
 * Throws `credentials-requests-none` where none is left, `credentials-request-secret-taken`,
 * `credentials-request-twice`, `credentials-request-foreign`, `credentials-request-gate-unknown`, and what {@link credentialsRequest} throws.
 */
export function selectCredentialsRequests(
  documents: readonly SourcedDocument[],
  filter: CredentialsRequestFilter,
): CredentialsRequestSelection {
  checkedFilter(filter);
  const requests: CredentialsRequest[] = [];
  const skipped: SkippedDocument[] = [];
  for (const { value, source } of documents.flatMap(items)) {
    const left = otherKind(value, source) ?? leftOut(value, source, filter);
    if (left) skipped.push(left);
    else requests.push(credentialsRequest(value, source));
  }
  if (requests.length === 0)
    return fail(
      "credentials-requests-none",
      skipped.map(({ name, reason }) => `${name} ${reason}`),
    );
  if (filter.cloud === undefined) refuseForeign(requests);
  refuseSameNames(requests);
  return { requests: bySecret(requests), skipped };
}

/** The documents of kind CredentialsRequest; lists, as `oc get -o yaml` prints them, are taken apart. */
export function requestDocuments(documents: readonly SourcedDocument[]): readonly SourcedDocument[] {
  return documents.flatMap(items).filter(({ value, source }) => otherKind(value, source) === undefined);
}

const LISTS: readonly unknown[] = ["List", "CredentialsRequestList"];

function items(document: SourcedDocument): readonly SourcedDocument[] {
  const { value, source } = document;
  if (!isRecord(value) || !LISTS.includes(value["kind"]) || !Array.isArray(value["items"])) return [document];
  return value["items"].map((item: unknown) => ({ value: item, source }));
}

function otherKind(value: unknown, source: RequestSource): SkippedDocument | undefined {
  const where = requestLabel({ name: UNNAMED, source });
  // The value is not shown: any text is a YAML document, a private key too.
  if (!isRecord(value))
    return fail(
      "credentials-request-invalid",
      where,
      `document (${typeName(value)})`,
      undefined,
      "an object",
    );
  if (typeof value["kind"] !== "string" || value["kind"] === "")
    return fail("credentials-request-invalid", where, "kind", value["kind"], CREDENTIALS_REQUEST);
  const { kind, metadata } = value;
  if (kind === CREDENTIALS_REQUEST) return undefined;
  const name = isRecord(metadata) && typeof metadata["name"] === "string" ? ` ${metadata["name"]}` : "";
  return { name: `${kind}${name}`, source, reason: `is of kind ${kind}` };
}

function typeName(value: unknown): string {
  return Array.isArray(value) ? "a list" : value === null ? "null" : `a ${typeof value}`;
}

function leftOut(
  value: unknown,
  source: RequestSource,
  filter: CredentialsRequestFilter,
): SkippedDocument | undefined {
  const header = requestHeader(value, source);
  const reason = skipReason(header, filter);
  return reason === undefined ? undefined : { name: header.name, source, reason };
}

function bySecret(requests: readonly CredentialsRequest[]): readonly CredentialsRequest[] {
  const taken = new Map<string, CredentialsRequest>();
  for (const request of requests) {
    const key = `${request.secret.namespace}/${request.secret.name}`;
    const first = taken.get(key);
    if (first) fail("credentials-request-secret-taken", key, requestLabel(first), requestLabel(request));
    taken.set(key, request);
  }
  // `/` sorts before every character of a name but `-` and `.`, so the pair is compared, not the joined text.
  return [...requests].sort(
    ({ secret: a }, { secret: b }) => compare(a.namespace, b.namespace) || compare(a.name, b.name),
  );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
