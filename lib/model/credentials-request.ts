import { SUBJECT, type Subject } from "./subject";
import {
  type ObjectKind,
  type Kind,
  anyObject,
  like,
  made,
  list,
  number,
  object,
  optional,
  record,
  text,
} from "./shape";

/** The origin of a CredentialsRequest. */
export interface RequestSource {
  /**
   * Path of the file, as it was given.
   *
   * @defaultValue - the request was passed as an object
   */
  readonly file?: string;
  /**
   * Number of the document in its file, from 1.
   *
   * @defaultValue - the file has one document
   */
  readonly document?: number;
}

/** A Secret by name. */
export interface SecretReference {
  /** Its namespace. */
  readonly namespace: string;
  /** Its name. */
  readonly name: string;
}

/**
 * A checked `CredentialsRequest` of `cloudcredential.openshift.io/v1`: the access that an OpenShift component requests.
 *
 * The cloud's part is kept as it was read; the cloud of that kind checks it.
 */
export interface CredentialsRequest {
  /** `metadata.name`. */
  readonly name: string;
  /** `metadata.annotations`; empty if there are none. */
  readonly annotations: Readonly<Record<string, string>>;
  /** `spec.secretRef`: the Secret that the component reads. */
  readonly secret: SecretReference;
  /** The component's service accounts, at least one, sorted by name; their namespace is that of the Secret. */
  readonly subjects: readonly Subject[];
  /** `spec.cloudTokenPath`; `undefined` if the component uses the default path. */
  readonly cloudTokenPath: string | undefined;
  /** `spec.providerSpec.kind`: `AWSProviderSpec`, `AzureProviderSpec` or `GCPProviderSpec`. */
  readonly providerKind: string;
  /** `spec.providerSpec` without `apiVersion` and `kind`. */
  readonly providerSpec: Readonly<Record<string, unknown>>;
  /** Where it was read, for error messages. */
  readonly source: RequestSource;
}

export const REQUEST_SOURCE: ObjectKind<RequestSource> = object({
  file: optional(text),
  document: optional(number),
});

export const COMPONENT_REQUEST: Kind<CredentialsRequest> = made(
  "a CredentialsRequest, as credentialsRequest() or credentialsRequests() reads it",
  "credentialsRequest(…)",
  {
    name: text,
    annotations: record(text),
    secret: like("the Secret of a CredentialsRequest", { namespace: text, name: text }),
    subjects: list(SUBJECT),
    cloudTokenPath: optional(text),
    providerKind: text,
    providerSpec: anyObject,
    source: REQUEST_SOURCE,
  },
);
