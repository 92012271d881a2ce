/*
 * What OpenShift's components read and ask for: Secrets, CredentialsRequests, the issuer, files with credentials.
 */

import type { Known } from "../../model/known";
import type { Tree } from "../../model/tree";
import type { Source } from "./source";

/** A Secret. */
export interface SecretFact {
  /** `namespace/name`. */
  readonly key: string;
  /** Its namespace. */
  readonly namespace: string;
  /** Its type, `Opaque` where none is written; not known where documents of it differ. */
  readonly type: Known<string>;
  /** The keys that it has or may have, sorted. */
  readonly keys: readonly string[];
  /** The decoded text of a key; `undefined` where it is certainly absent; not known where documents of it differ. */
  readonly value: (key: string) => Known<string | undefined>;
  /** Where it stands. */
  readonly source: Source;
  /** All documents of it where there are several, else none. */
  readonly documents: readonly Source[];
}

/** A CredentialsRequest. */
export interface RequestFact {
  /** `metadata.name`. */
  readonly name: string;
  /** `metadata.annotations`. */
  readonly annotations: ReadonlyMap<string, Known<string>>;
  /** The Secret that the component reads, `namespace/name`. */
  readonly secret: string;
  /** The component's service accounts, `namespace/name` each, sorted. */
  readonly serviceAccounts: readonly string[];
  /** `spec.cloudTokenPath`; `undefined` where it has none. */
  readonly tokenPath: string | undefined;
  /** `spec.providerSpec.kind`; `undefined` where it has none. */
  readonly providerKind: string | undefined;
  /** `spec.providerSpec`. */
  readonly providerSpec: Tree;
  /** Where it stands. */
  readonly source: Source;
}

/** `Authentication/cluster`. */
export interface AuthenticationFact {
  /** `spec.serviceAccountIssuer`; `undefined` where it has none, which means the API server's own. */
  readonly issuer: Known<string | undefined>;
  /** Where it stands. */
  readonly source: Source;
}

/** A file with credentials that pods mount from a ConfigMap. */
export interface CredentialFileFact {
  /** The ConfigMap, `namespace/name`. */
  readonly configMap: string;
  /** Its key, and name of the file. */
  readonly name: string;
  /** All keys of the ConfigMap. */
  readonly keys: readonly string[];
  /** The text; not known where documents of it differ. */
  readonly text: Known<string>;
  /** Where it stands. */
  readonly source: Source;
}

/** What components and workloads read and ask for. */
export interface ComponentFacts {
  /** Secrets by `namespace/name`. */
  readonly secrets: ReadonlyMap<string, SecretFact>;
  /** The CredentialsRequests, in the order in which they were read. */
  readonly requests: readonly RequestFact[];
  /** The issuer that the cluster is given; `undefined` where no manifest says it. */
  readonly authentication: AuthenticationFact | undefined;
  /** Files with credentials in ConfigMaps. */
  readonly credentialFiles: readonly CredentialFileFact[];
}
