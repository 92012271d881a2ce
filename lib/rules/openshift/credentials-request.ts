/*
 * Reads a CredentialsRequest strictly: a field that this library does not know would otherwise be silently missing in
 * the cloud. Source: openshift/api, cloudcredential/v1/types_credentialsrequest.go and the files of
 * the providers next to it.
 */

import { CLOUDS } from "../../model/clouds";
import { type Problem, fail } from "../../errors";
import {
  type CredentialsRequest,
  type RequestSource,
  type SecretReference,
  REQUEST_SOURCE,
} from "../../model/credentials-request";
import { isDnsLabel, isDnsSubdomain } from "../../model/kubernetes-name";
import { literal } from "../../model/late";
import { isRecord } from "../../model/record";
import { type LabelledRequest, ofRequest, requestLabel } from "../../model/request-label";
import { checkGiven } from "../../model/shape";
import { Subject } from "../../model/subject";

/** API group and version of requests and of their provider parts. */
export const CREDENTIALS_API = "cloudcredential.openshift.io/v1";

/** Used in messages for a request whose name is not known. */
export const UNNAMED = "(without name)";

export const CREDENTIALS_REQUEST = "CredentialsRequest";

const TOP: readonly string[] = ["apiVersion", "kind", "metadata", "spec", "status"];
const SPEC: readonly string[] = ["cloudTokenPath", "providerSpec", "secretRef", "serviceAccountNames"];
/** `corev1.ObjectReference`; the operator uses only name and namespace. */
const SECRET_REF = "apiVersion fieldPath kind name namespace resourceVersion uid".split(" ");

/** Fields of `spec.providerSpec` by its kind; this library supports no other kinds. */
const PROVIDER_FIELDS: ReadonlyMap<string, readonly string[]> = new Map(
  Object.values(CLOUDS).map(({ providerSpec, providerFields }) => [
    providerSpec,
    ["apiVersion", "kind", ...providerFields.split(" ")].sort(),
  ]),
);

/** The parts of a request that decide whether it applies to a cluster; read before all others. */
export interface RequestHeader {
  readonly name: string;
  /** `metadata.annotations`; empty if there are none. */
  readonly annotations: Readonly<Record<string, string>>;
  /** `undefined` in a manifest without `spec`, which only names an object to delete. */
  readonly providerKind: string | undefined;
  readonly source: RequestSource;
}

/** Name, annotations and provider kind of a document of kind CredentialsRequest. */
export function requestHeader(document: unknown, source: RequestSource): RequestHeader {
  const { top, metadata, name } = ofRequest({ name: UNNAMED, source }, () => {
    const top = recordOf("document", document);
    assertEqual("apiVersion", top["apiVersion"], CREDENTIALS_API);
    assertEqual("kind", top["kind"], CREDENTIALS_REQUEST);
    const metadata = recordOf("metadata", top["metadata"]);
    return {
      top,
      metadata,
      name: textOf("metadata.name", metadata["name"], isDnsSubdomain, "a DNS subdomain"),
    };
  });
  return ofRequest({ name, source }, () => ({
    name,
    annotations: annotationsOf(metadata["annotations"]),
    providerKind: top["spec"] === undefined ? undefined : providerKindOf(top["spec"]),
    source,
  }));
}

function providerKindOf(spec: unknown): string {
  const provider = recordOf("spec.providerSpec", recordOf("spec", spec)["providerSpec"]);
  assertEqual("spec.providerSpec.apiVersion", provider["apiVersion"], CREDENTIALS_API);
  const kinds = [...PROVIDER_FIELDS.keys()].join(", ");
  return textOf("spec.providerSpec.kind", provider["kind"], (kind) => kind !== "", kinds);
}

/**
 * The checked request in a parsed document.
 *
 * `metadata` and `status` may contain anything else; unknown fields in `spec` are refused. This function checks only
 * the names of the provider part's own fields; the cloud of its kind reads them.
 */
export function credentialsRequest(document: unknown, source: RequestSource): CredentialsRequest {
  checkGiven("credentialsRequest()", REQUEST_SOURCE, source, "source");
  const header = requestHeader(document, source);
  return ofRequest(header, () => {
    const spec = recordOf("spec", recordOf("document", document, TOP)["spec"], SPEC);
    const providerKind = providerKindOf(spec);
    const known = PROVIDER_FIELDS.get(providerKind);
    const provider = recordOf("spec.providerSpec", spec["providerSpec"], known);
    const secret = secretOf(spec["secretRef"]);
    const { cloudTokenPath } = spec;
    const { apiVersion: _, kind: __, ...providerSpec } = provider;
    return {
      ...header,
      providerKind,
      secret,
      subjects: subjectsOf(secret.namespace, spec["serviceAccountNames"]),
      cloudTokenPath:
        cloudTokenPath === undefined
          ? undefined
          : textOf("spec.cloudTokenPath", cloudTokenPath, isTokenPath, TOKEN_PATH_FORM),
      providerSpec,
    };
  });
}

function annotationsOf(value: unknown): Readonly<Record<string, string>> {
  if (value === undefined || value === null) return {};
  const annotations = Object.entries(recordOf("metadata.annotations", value));
  return Object.fromEntries(
    annotations.map(([key, text]) => [
      key,
      textOf(`metadata.annotations[${JSON.stringify(key)}]`, text, () => true, 'a text, quoted: "true"'),
    ]),
  );
}

function secretOf(value: unknown): SecretReference {
  const { namespace, name } = recordOf("spec.secretRef", value, SECRET_REF);
  return {
    namespace: textOf("spec.secretRef.namespace", namespace, isDnsLabel, "a DNS label"),
    name: textOf("spec.secretRef.name", name, isDnsSubdomain, "a DNS subdomain"),
  };
}

function subjectsOf(namespace: string, value: unknown): readonly Subject[] {
  if (value === undefined || value === null) return failAccounts("is missing");
  if (!Array.isArray(value) || isRecord(value)) return failAccounts("is not a list", value);
  const names: readonly unknown[] = value;
  if (names.length === 0) return failAccounts("is empty");
  const wrong = names.find((name) => !isDnsSubdomain(name));
  if (wrong !== undefined) return failAccounts("has an entry that is not a name", wrong);
  const texts = names.filter(isDnsSubdomain);
  if (texts.length < names.length) return failAccounts("has an empty entry");
  const twice = texts.find((name, index) => texts.indexOf(name) < index);
  if (twice !== undefined) return failAccounts("names a service account twice", twice);
  return [...texts].sort().map((name) => Subject.of(`${namespace}/${name}`));
}

function failAccounts(reason: string, value?: unknown): never {
  return fail("openshift-invalid", {
    problem: `spec.serviceAccountNames ${reason}`,
    value,
    allowed: "one or more names of service accounts in the Secret's namespace, each once",
    remedy:
      "look up the component's service accounts in its documentation; without them the cloud cannot trust any token",
  });
}

const EXTRACT =
  "extract the requests again with `oc adm release extract --credentials-requests --to=FOLDER RELEASE`";

/** The problem of a value that the CredentialsRequest format does not allow at this path. */
export function requestProblem(path: string, value: unknown, allowed: string): Problem {
  return {
    problem: `${path} has a value that is not valid in a CredentialsRequest`,
    value,
    allowed,
    remedy: EXTRACT,
  };
}

function recordOf(
  path: string,
  value: unknown,
  known?: readonly string[],
): Readonly<Record<string, unknown>> {
  if (!isRecord(value)) return fail("openshift-invalid", requestProblem(path, value, "an object"));
  const foreign = known && Object.keys(value).find((key) => !known.includes(key));
  if (known === undefined || foreign === undefined) return value;
  return fail("openshift-unknown", {
    problem: `${path === "document" ? "" : `${path}.`}${foreign} is an unknown field, and what it requests would be lost`,
    allowed: known.join(", "),
    remedy:
      "correct the spelling; if the field is new in a later OpenShift, use a newer release of this library",
  });
}

function textOf(path: string, value: unknown, form: (text: string) => boolean, allowed: string): string {
  const text = literal(value, path);
  return typeof text === "string" && form(text)
    ? text
    : fail("openshift-invalid", requestProblem(path, value, allowed));
}

function assertEqual(path: string, value: unknown, expected: string): void {
  if (value !== expected) fail("openshift-invalid", requestProblem(path, value, expected));
}

/** Only clean paths, so that the mount path and the path in the Secret are the same text. */
const ABSOLUTE_PATH = /^(?:\/(?!\.{1,2}(?:\/|$))[A-Za-z0-9._-]+)+$/;

/** The allowed form of `spec.cloudTokenPath`, for messages. */
export const TOKEN_PATH_FORM = "an absolute path without `.`, `..` and empty parts";

/** True if a CredentialsRequest may have this path as `spec.cloudTokenPath`. */
export function isTokenPath(path: unknown): path is string {
  return typeof path === "string" && ABSOLUTE_PATH.test(path);
}

/** Throws for two requests with the same `metadata.name`, by which settings and constructs refer to them. */
export function refuseSameNames(requests: readonly LabelledRequest[]): void {
  const known = new Map<string, LabelledRequest>();
  for (const request of requests) {
    const first = known.get(request.name);
    if (first)
      fail("openshift-conflict", {
        problem: `${requestLabel(first)} and ${requestLabel(request)} are requests with the same name for the same cloud`,
        value: request.name,
        allowed: "each request once per release",
        remedy: "pass a folder with the requests of a single release",
      });
    known.set(request.name, request);
  }
}
