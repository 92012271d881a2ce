/*
 * What OpenShift's components read and ask for: Secrets, CredentialsRequests, the issuer, files with credentials.
 */

import { PLACEHOLDER_START } from "../../artefact/placeholder";
import { propertyPath } from "../../artefact/property-path";
import { type Json, at, own, record, text, texts } from "./access";
import type { LateReader } from "./late-text";
import { type Source, below } from "./source";

/** A Secret. */
export interface SecretFact {
  /** `namespace/name`. */
  readonly key: string;
  /** Its namespace. */
  readonly namespace: string;
  /** Its type; empty where none is written, which the API server makes `Opaque`. */
  readonly type: string;
  /** The keys of `stringData` and `data`, sorted. */
  readonly keys: readonly string[];
  /** The decoded text of a key, late values as references; `undefined` where it is absent or no base64. */
  readonly value: (key: string) => string | undefined;
  /** Where it stands. */
  readonly source: Source;
}

/** A CredentialsRequest, as far as it can be read. */
export interface RequestFact {
  /** `metadata.name`. */
  readonly name: string;
  /** `metadata.annotations`. */
  readonly annotations: Json;
  /** The Secret that the component reads, `namespace/name`. */
  readonly secret: string;
  /** The component's service accounts, `namespace/name` each, sorted. */
  readonly serviceAccounts: readonly string[];
  /** `spec.cloudTokenPath`; empty where it has none. */
  readonly tokenPath: string;
  /** `spec.providerSpec.kind`. */
  readonly providerKind: string;
  /** `spec.providerSpec`. */
  readonly providerSpec: Json;
  /** Where it stands. */
  readonly source: Source;
}

/** `Authentication/cluster`. */
export interface AuthenticationFact {
  /** `spec.serviceAccountIssuer`, a late value as reference; empty where it has none. */
  readonly issuer: string;
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
  /** The text, late values as references. */
  readonly text: string;
  /** Where it stands. */
  readonly source: Source;
}

/** What components and workloads read and ask for. */
export interface ComponentFacts {
  /** Secrets by `namespace/name`. */
  readonly secrets: ReadonlyMap<string, SecretFact>;
  /** The CredentialsRequests, in the order in which they were read. */
  readonly requests: readonly RequestFact[];
  /** The issuer that the cluster is told; `undefined` where no manifest says it. */
  readonly authentication: AuthenticationFact | undefined;
  /** Files with credentials in ConfigMaps. */
  readonly credentialFiles: readonly CredentialFileFact[];
}

interface Document {
  readonly value: unknown;
  readonly source: Source;
  readonly late: LateReader;
}

/** Reads the objects; of two of one name the later counts, as it does when both are applied. */
export function readComponentFacts(documents: readonly Document[]): ComponentFacts {
  const secrets = new Map<string, SecretFact>();
  const requests: RequestFact[] = [];
  const credentialFiles = new Map<string, CredentialFileFact>();
  let authentication: AuthenticationFact | undefined;
  for (const document of documents) {
    const kind = own(document.value, "kind");
    if (kind === "Secret") {
      const secret = secretFact(document);
      secrets.set(secret.key, secret);
    } else if (kind === "CredentialsRequest") requests.push(requestFact(document));
    else if (kind === "Authentication" && at(document.value, "metadata", "name") === "cluster")
      authentication = authenticationFact(document);
    else if (kind === "ConfigMap")
      for (const file of filesOf(document)) credentialFiles.set(`${file.configMap} ${file.name}`, file);
  }
  return { secrets, requests, authentication, credentialFiles: [...credentialFiles.values()] };
}

function keyOf(value: unknown): string {
  return `${text(at(value, "metadata", "namespace")) || "default"}/${text(at(value, "metadata", "name"))}`;
}

function secretFact({ value, source, late }: Document): SecretFact {
  const [plain, encoded] = [record(own(value, "stringData")), record(own(value, "data"))];
  return {
    key: keyOf(value),
    namespace: text(at(value, "metadata", "namespace")) || "default",
    type: text(own(value, "type")),
    keys: [...new Set([...Object.keys(plain), ...Object.keys(encoded)])].sort(),
    value: (key) => {
      const written = own(plain, key);
      if (typeof written === "string") return late(written);
      const data = own(encoded, key);
      return typeof data === "string" ? decoded(data, late) : undefined;
    },
    source,
  };
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** A placeholder for encoded text is read as that text. */
function decoded(data: string, late: LateReader): string | undefined {
  if (data.includes(PLACEHOLDER_START)) return late(data);
  const joined = data.replace(/[\r\n]/g, "");
  return BASE64.test(joined) ? Buffer.from(joined, "base64").toString("utf8") : undefined;
}

function requestFact({ value, source }: Document): RequestFact {
  const spec = record(own(value, "spec"));
  const namespace = text(at(spec, "secretRef", "namespace"));
  const providerSpec = record(spec["providerSpec"]);
  return {
    name: text(at(value, "metadata", "name")),
    annotations: record(at(value, "metadata", "annotations")),
    secret: `${namespace}/${text(at(spec, "secretRef", "name"))}`,
    serviceAccounts: texts(spec["serviceAccountNames"])
      .map((name) => `${namespace}/${name}`)
      .sort(),
    tokenPath: text(spec["cloudTokenPath"]),
    providerKind: text(providerSpec["kind"]),
    providerSpec,
    source,
  };
}

function authenticationFact({ value, source, late }: Document): AuthenticationFact {
  return {
    issuer: late(text(at(value, "spec", "serviceAccountIssuer"))),
    source: below(source, "spec.serviceAccountIssuer"),
  };
}

/** Only what Google's libraries take for credentials without a key. */
const EXTERNAL = "external_account";

function filesOf({ value, source, late }: Document): readonly CredentialFileFact[] {
  const keys = ["data", "binaryData"].flatMap((part) => Object.keys(record(own(value, part))));
  return Object.entries(record(own(value, "data"))).flatMap(([name, written]): CredentialFileFact[] => {
    if (typeof written !== "string") return [];
    const content = late(written);
    if (!content.includes(EXTERNAL)) return [];
    const place = below(source, propertyPath(["data", name]));
    return [{ configMap: keyOf(value), name, keys, text: content, source: place }];
  });
}
