/*
 * What OpenShift's components read and request: Secrets, CredentialsRequests, the issuer, credential files.
 */

import { propertyPath } from "../../model/property-path";
import { type Known, known } from "../../model/known";
import { at, record, text, texts } from "../../model/parsed";
import type { Tree } from "../../model/tree";
import { lateTree } from "./late-text";
import { type KubernetesObject, type Objects, agreed } from "./objects";
import { textMap } from "./pods";
import { NOWHERE, type Source, below } from "./source";

export interface SecretFact {
  readonly key: string;
  /** Its type, by default `Opaque`; unknown if its documents differ. */
  readonly type: Known<string>;
  /** The keys that it has or may have, sorted. */
  readonly keys: readonly string[];
  /** The decoded text of a key; `undefined` if it is certainly absent; unknown if its documents differ. */
  readonly value: (key: string) => Known<string | undefined>;
  readonly source: Source;
  /** All documents of it where there are several, else none. */
  readonly documents: readonly Source[];
}

export interface RequestFact {
  readonly name: string;
  readonly annotations: ReadonlyMap<string, Known<string>>;
  /** The Secret that the component reads, `namespace/name`. */
  readonly secret: string;
  /** The component's service accounts, `namespace/name` each, sorted. */
  readonly serviceAccounts: readonly string[];
  /** `spec.cloudTokenPath`; `undefined` if absent. */
  readonly tokenPath: string | undefined;
  /** `spec.providerSpec.kind`; `undefined` if absent. */
  readonly providerKind: string | undefined;
  readonly providerSpec: Tree;
  readonly source: Source;
}

export interface AuthenticationFact {
  /** What states it, for people: `Authentication/cluster`. */
  readonly title: string;
  /** `spec.serviceAccountIssuer`; `undefined` if absent, which means the API server's default issuer. */
  readonly issuer: Known<string | undefined>;
  readonly source: Source;
}

/** A file with credentials that pods mount from a ConfigMap. */
export interface CredentialFileFact {
  /** The ConfigMap, `namespace/name`. */
  readonly configMap: string;
  readonly name: string;
  readonly keys: readonly string[];
  /** The text; unknown if its documents differ. */
  readonly text: Known<string>;
  readonly source: Source;
}

/** What components and workloads read and request. */
export interface ComponentFacts {
  readonly secrets: ReadonlyMap<string, SecretFact>;
  readonly requests: readonly RequestFact[];
  /** The issuer that the cluster is given; `undefined` if no manifest states it. */
  readonly authentication: AuthenticationFact | undefined;
  readonly credentialFiles: readonly CredentialFileFact[];
}

export function readComponentFacts(objects: Objects): ComponentFacts {
  const authentications = objects
    .of("Authentication")
    .filter(({ value }) => at(value, "metadata", "name") === "cluster");
  return {
    secrets: new Map(objects.byKey("Secret").map(([key, documents]) => [key, secretFact(key, documents)])),
    requests: objects.of("CredentialsRequest").map(requestFact),
    authentication: authenticationFact(authentications),
    credentialFiles: objects.byKey("ConfigMap").flatMap(([key, documents]) => filesOf(key, documents)),
  };
}

function secretFact(key: string, documents: readonly KubernetesObject[]): SecretFact {
  const keys = [...keysOf("stringData", documents), ...keysOf("data", documents)];
  return {
    key,
    type: agreed(`the type of the Secret ${key}`, documents, ({ value }) =>
      known(text(value["type"]) || "Opaque"),
    ),
    keys: [...new Set(keys)].sort(),
    value: (name) =>
      agreed(`${name} of the Secret ${key}`, documents, (document) => secretValue(document, name)),
    source: documents.at(-1)?.source ?? NOWHERE,
    documents: documents.length > 1 ? documents.map(({ source }) => source) : [],
  };
}

function keysOf(part: string, documents: readonly KubernetesObject[]): readonly string[] {
  return documents.flatMap(({ value }) => Object.keys(record(value[part])));
}

/** A value of a Secret; `undefined` if the Secret lacks the key. */
export function secretValue({ value, late }: KubernetesObject, name: string): Known<string | undefined> {
  const written = at(value, "stringData", name);
  return typeof written === "string" ? late(written) : known(undefined);
}

function requestFact({ value, source, late }: KubernetesObject): RequestFact {
  const spec = at(value, "spec");
  const namespace = text(at(spec, "secretRef", "namespace"));
  return {
    name: text(at(value, "metadata", "name")),
    annotations: textMap(at(value, "metadata", "annotations"), late),
    secret: `${namespace}/${text(at(spec, "secretRef", "name"))}`,
    serviceAccounts: texts(at(spec, "serviceAccountNames"))
      .map((name) => `${namespace}/${name}`)
      .sort(),
    tokenPath: text(at(spec, "cloudTokenPath")) || undefined,
    providerKind: text(at(spec, "providerSpec", "kind")) || undefined,
    providerSpec: lateTree(record(at(spec, "providerSpec")), late),
    source,
  };
}

function authenticationFact(documents: readonly KubernetesObject[]): AuthenticationFact | undefined {
  const last = documents.at(-1);
  if (last === undefined) return undefined;
  const issuerOf = ({ value, late }: KubernetesObject): Known<string | undefined> => {
    const issuer = text(at(value, "spec", "serviceAccountIssuer"));
    return issuer === "" ? known(undefined) : late(issuer);
  };
  return {
    title: "Authentication/cluster",
    issuer: agreed("the issuer of Authentication cluster", documents, issuerOf),
    source: below(last.source, "spec.serviceAccountIssuer"),
  };
}

/** The only type of credential file that Google's libraries accept without a key. */
const EXTERNAL = "external_account";

function filesOf(configMap: string, documents: readonly KubernetesObject[]): readonly CredentialFileFact[] {
  const keys = [...new Set([...keysOf("data", documents), ...keysOf("binaryData", documents)])];
  const names = [...new Set(keysOf("data", documents))].filter((name) =>
    documents.some(({ value }) => text(at(value, "data", name)).includes(EXTERNAL)),
  );
  return names.map((name) => ({
    configMap,
    name,
    keys,
    text: agreed(`${name} of the ConfigMap ${configMap}`, documents, ({ value, late }) =>
      late(text(at(value, "data", name))),
    ),
    source: below(documents.at(-1)?.source ?? NOWHERE, propertyPath(["data", name])),
  }));
}
