import { SUBJECT, type Subject } from "./subject";
import {
  type ObjectKind,
  type Kind,
  anyObject,
  like,
  list,
  number,
  object,
  optional,
  record,
  text,
} from "./shape";

/** Where a CredentialsRequest was read. */
export interface RequestSource {
  /**
   * The file as given.
   *
   * @defaultValue - an object of the caller
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
 * What an OpenShift component asks of a cloud: a checked `CredentialsRequest` of `cloudcredential.openshift.io/v1`.
 *
 * The part of the cloud is carried as it was read; the cloud of its kind reads and checks it.
 */
export interface CredentialsRequest {
  /** `metadata.name`. */
  readonly name: string;
  /** `metadata.annotations`; empty where there are none. */
  readonly annotations: Readonly<Record<string, string>>;
  /** `spec.secretRef`: the Secret that the component reads. */
  readonly secret: SecretReference;
  /** The component's service accounts; their namespace is that of the Secret. At least one, sorted by name. */
  readonly subjects: readonly Subject[];
  /** `spec.cloudTokenPath`; `undefined` where the component uses the usual path. */
  readonly cloudTokenPath: string | undefined;
  /** `spec.providerSpec.kind`: `AWSProviderSpec`, `AzureProviderSpec` or `GCPProviderSpec`. */
  readonly providerKind: string;
  /** `spec.providerSpec` without `apiVersion` and `kind`. */
  readonly providerSpec: Readonly<Record<string, unknown>>;
  /** Where it was read, for refusals. */
  readonly source: RequestSource;
}

/** The kind of a {@link RequestSource}. */
export const REQUEST_SOURCE: ObjectKind<RequestSource> = object({
  file: optional(text),
  document: optional(number),
});

/** The kind of a {@link CredentialsRequest}. */
export const COMPONENT_REQUEST: Kind<CredentialsRequest> = like(
  "a CredentialsRequest, as credentialsRequest() or credentialsRequests() reads it",
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
