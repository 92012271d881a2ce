/*
 * Reads a CredentialsRequest strictly: what it asks for and this library does not know would otherwise be missing in
 * the cloud without a word. Source: openshift/api, cloudcredential/v1/types_credentialsrequest.go and the files of
 * the providers next to it.
 */

import { fail } from "../../errors";
import {
  type CredentialsRequest,
  type RequestSource,
  type SecretReference,
  REQUEST_SOURCE,
} from "../../model/credentials-request";
import { isDnsLabel, isDnsSubdomain } from "../../model/kubernetes-name";
import { isRecord } from "../../model/record";
import { requestLabel } from "../../model/request-label";
import { Subject } from "../../model/subject";
import { type CheckedRecord, RequestReader } from "./request-reader";
import { TOKEN_PATH_FORM, isTokenPath } from "./token-path";
import { checkGiven } from "../../model/shape";

/** API group and version of requests and of their provider parts. */
export const CREDENTIALS_API = "cloudcredential.openshift.io/v1";

/** Stands for the name of a request whose name is not known. */
export const UNNAMED = "(without name)";

/** Kind of a request. */
export const CREDENTIALS_REQUEST = "CredentialsRequest";

const TOP: readonly string[] = ["apiVersion", "kind", "metadata", "spec", "status"];
const SPEC: readonly string[] = ["cloudTokenPath", "providerSpec", "secretRef", "serviceAccountNames"];
/** `corev1.ObjectReference`; the operator uses name and namespace alone. */
const SECRET_REF: readonly string[] = [
  "apiVersion",
  "fieldPath",
  "kind",
  "name",
  "namespace",
  "resourceVersion",
  "uid",
];

/** Fields of `spec.providerSpec` by its kind; a kind that is not here belongs to no cloud of this library. */
const PROVIDER_FIELDS: Readonly<Record<string, readonly string[]>> = {
  AWSProviderSpec: ["apiVersion", "kind", "statementEntries", "stsIAMRoleARN"],
  AzureProviderSpec: [
    "apiVersion",
    "azureClientID",
    "azureRegion",
    "azureSubscriptionID",
    "azureTenantID",
    "dataPermissions",
    "kind",
    "permissions",
    "roleBindings",
  ],
  GCPProviderSpec: [
    "apiVersion",
    "audience",
    "kind",
    "permissions",
    "predefinedRoles",
    "serviceAccountEmail",
    "skipServiceCheck",
  ],
};

/** What says whether a request is for a cluster, before anything else of it is looked at. */
export interface RequestHeader {
  /** `metadata.name`. */
  readonly name: string;
  /** `metadata.annotations`; empty where there are none. */
  readonly annotations: Readonly<Record<string, string>>;
  /** `spec.providerSpec.kind`. */
  readonly providerKind: string;
  /** Where it was read. */
  readonly source: RequestSource;
}

/**
 * Name, annotations and provider kind of a document of kind CredentialsRequest.
 *
 * Throws `credentials-request-invalid`.
 */
export function requestHeader(document: unknown, source: RequestSource): RequestHeader {
  const first = new RequestReader(requestLabel({ name: UNNAMED, source }));
  const top = first.record("document", document);
  first.equal("apiVersion", top["apiVersion"], CREDENTIALS_API);
  first.equal("kind", top["kind"], CREDENTIALS_REQUEST);
  const metadata = first.record("metadata", top["metadata"]);
  const name = first.text("metadata.name", metadata["name"], isDnsSubdomain, "a DNS subdomain");
  const reader = new RequestReader(requestLabel({ name, source }));
  const spec = reader.record("spec", top["spec"]);
  const provider = reader.record("spec.providerSpec", spec["providerSpec"]);
  reader.equal("spec.providerSpec.apiVersion", provider["apiVersion"], CREDENTIALS_API);
  return {
    name,
    annotations: annotationsOf(reader, metadata["annotations"]),
    providerKind: reader.text(
      "spec.providerSpec.kind",
      provider["kind"],
      (kind) => kind !== "",
      Object.keys(PROVIDER_FIELDS).join(", "),
    ),
    source,
  };
}

/**
 * The checked request in a parsed document.
 *
 * `metadata` and `status` may hold anything else; what is unknown in `spec` is refused. The provider part's own fields
 * are checked by name here, and read by the cloud of its kind.
 *
 * Throws `credentials-request-invalid`, `credentials-request-field-unknown`, `credentials-request-service-accounts`, or
 * `late-value`, each naming file, document and request.
 */
export function credentialsRequest(document: unknown, source: RequestSource): CredentialsRequest {
  checkGiven("credentialsRequest()", REQUEST_SOURCE, source, "source");
  const header = requestHeader(document, source);
  const reader = new RequestReader(requestLabel(header));
  const top = reader.record("document", document, TOP);
  const spec = reader.record("spec", top["spec"], SPEC);
  const known = Object.hasOwn(PROVIDER_FIELDS, header.providerKind)
    ? PROVIDER_FIELDS[header.providerKind]
    : undefined;
  const provider = reader.record("spec.providerSpec", spec["providerSpec"], known);
  const secret = secretOf(reader, spec["secretRef"]);
  const { apiVersion: _, kind: __, ...providerSpec } = provider;
  return {
    ...header,
    secret,
    subjects: subjectsOf(requestLabel(header), secret.namespace, spec["serviceAccountNames"]),
    cloudTokenPath:
      spec["cloudTokenPath"] === undefined
        ? undefined
        : reader.text("spec.cloudTokenPath", spec["cloudTokenPath"], isTokenPath, TOKEN_PATH_FORM),
    providerSpec,
  };
}

function annotationsOf(reader: RequestReader, value: unknown): Readonly<Record<string, string>> {
  if (value === undefined || value === null) return {};
  const annotations = reader.record("metadata.annotations", value);
  return Object.fromEntries(
    Object.entries(annotations).map(([key, text]) => [
      key,
      reader.text(`metadata.annotations[${JSON.stringify(key)}]`, text, () => true, 'a text, quoted: "true"'),
    ]),
  );
}

function secretOf(reader: RequestReader, value: unknown): SecretReference {
  const secret: CheckedRecord = reader.record("spec.secretRef", value, SECRET_REF);
  return {
    namespace: reader.text("spec.secretRef.namespace", secret["namespace"], isDnsLabel, "a DNS label"),
    name: reader.text("spec.secretRef.name", secret["name"], isDnsSubdomain, "a DNS subdomain"),
  };
}

function subjectsOf(where: string, namespace: string, value: unknown): readonly Subject[] {
  const code = "credentials-request-service-accounts";
  if (value === undefined || value === null) return fail(code, where, "is missing", undefined);
  if (!Array.isArray(value) || isRecord(value)) return fail(code, where, "is no list", value);
  if (value.length === 0) return fail(code, where, "is empty", undefined);
  const names: readonly unknown[] = value;
  const wrong = names.find((name) => !isDnsSubdomain(name));
  if (wrong !== undefined) return fail(code, where, "has an entry that is no name", wrong);
  const texts = names.filter(isDnsSubdomain);
  if (texts.length < names.length) return fail(code, where, "has an empty entry", undefined);
  const twice = texts.find((name, index) => texts.indexOf(name) < index);
  if (twice !== undefined) return fail(code, where, "names one twice", twice);
  return [...texts].sort().map((name) => Subject.of(`${namespace}/${name}`));
}
