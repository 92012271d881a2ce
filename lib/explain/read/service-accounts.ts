import { type Known, same, unread } from "../../model/known";
import { at, record, text } from "../../model/parsed";
import { type KubernetesObject, contested, keyOf } from "./objects";
import { pullSecretNames, textMap } from "./pods";
import type { Source } from "./source";

/** A service account with the parts that pulls use. */
export interface ServiceAccountFact {
  readonly key: string;
  /**
   * The annotations that it has or may have. An annotation on which documents disagree, even if one merely lacks it, is
   * unknown: `contested`.
   */
  readonly annotations: ReadonlyMap<string, Known<string>>;
  /** A patch (`$patch`) or kustomization that may delete or change the account; `undefined` if none was read. */
  readonly patch: Source | undefined;
  /** Names of its pull secrets, which admission copies to its pods. */
  readonly pullSecrets: readonly string[];
  /** Its source; `undefined` for a namespace's `default` account that no manifest writes. */
  readonly source: Source | undefined;
  /** All documents of it where there are several, else none. */
  readonly documents: readonly Source[];
}

/** Annotations to which others may be added, so that an absent one is not known. */
class OpenAnnotations extends Map<string, Known<string>> {
  override get(name: string): Known<string> {
    return super.get(name) ?? unread(`explain did not read everything that may add the annotation ${name}`);
  }

  override has(): boolean {
    return true;
  }
}

type Accounts = ReadonlyMap<string, ServiceAccountFact>;

/** Service accounts to which annotations may be added, the `default` ones that no manifest writes among them. */
class OpenAccounts extends Map<string, ServiceAccountFact> {
  override get(key: string): ServiceAccountFact | undefined {
    return super.get(key) ?? (isDefault(key) ? opened(unwritten(key)) : undefined);
  }
}

function opened(account: ServiceAccountFact): ServiceAccountFact {
  return { ...account, annotations: new OpenAnnotations(account.annotations) };
}

/** A cluster's facts where something was not read that may add annotations to any service account. */
export function withOpenAnnotations<T extends { readonly serviceAccounts: Accounts }>(cluster: T): T {
  const rows = [...cluster.serviceAccounts].map(([key, account]) => [key, opened(account)] as const);
  return { ...cluster, serviceAccounts: new OpenAccounts(rows) };
}

/** Most accounts have one document, and there are many. */
const NONE: readonly Source[] = [];

/** Reads service accounts by `namespace/name`; the annotations of several documents for one account are joined. */
export function readServiceAccounts(
  objects: readonly KubernetesObject[],
): ReadonlyMap<string, ServiceAccountFact> {
  const accounts = new Map<string, ServiceAccountFact>();
  const several = new Map<string, KubernetesObject[]>();
  for (const object of objects) {
    const account = accountOf(object);
    if (accounts.has(account.key)) several.set(account.key, []);
    accounts.set(account.key, account);
  }
  if (several.size === 0) return accounts;
  for (const object of objects) several.get(keyOf(object.value))?.push(object);
  for (const [key, all] of several) accounts.set(key, joinedAccount(key, all));
  return accounts;
}

/**
 * The service account with a key, `namespace/name`; `undefined` if no manifest has it.
 *
 * Every namespace has one named `default`, which kube-controller-manager creates without annotations, so it exists even
 * if no manifest mentions it.
 */
export function serviceAccountOf(
  { serviceAccounts }: { readonly serviceAccounts: ReadonlyMap<string, ServiceAccountFact> },
  key: string,
): ServiceAccountFact | undefined {
  const written = serviceAccounts.get(key);
  return written ?? (isDefault(key) ? unwritten(key) : undefined);
}

function isDefault(key: string): boolean {
  return key.endsWith("/default");
}

export function unwritten(key: string): ServiceAccountFact {
  return {
    key,
    annotations: new Map(),
    patch: undefined,
    pullSecrets: [],
    source: undefined,
    documents: NONE,
  };
}

function accountOf({ value, source, late, kustomization }: KubernetesObject): ServiceAccountFact {
  return {
    key: keyOf(value),
    annotations: textMap(at(value, "metadata", "annotations"), late),
    patch: value["$patch"] === undefined ? kustomization : source,
    pullSecrets: pullSecretNames(value),
    source,
    documents: NONE,
  };
}

function joinedAccount(key: string, objects: readonly KubernetesObject[]): ServiceAccountFact {
  const accounts = objects.map(accountOf);
  const documents = objects.map(({ source }) => source);
  const names = new Set(accounts.flatMap(({ annotations }) => [...annotations.keys()]));
  const annotations = [...names].map((name): [string, Known<string>] => {
    const values = valuesOf(name, accounts, objects);
    const written = values.filter((value) => value !== undefined);
    const [first] = written;
    const isOne = first !== undefined && written.every((value) => same(first, value) === "yes");
    const isEverywhere = values.every(
      (value, place) => value !== undefined || isKept(place, objects, values),
    );
    if (isOne && isEverywhere) return [name, first];
    return [name, contested(`the annotation ${name} of ${key}`, objects)];
  });
  return {
    key,
    annotations: new Map(annotations),
    patch: accounts.find(({ patch }) => patch !== undefined)?.patch,
    pullSecrets: accounts.flatMap(({ pullSecrets }) => pullSecrets),
    // The place of the annotations, where most accounts that do not work are wrong.
    source: (objects.findLast(({ annotator }) => annotator !== undefined) ?? objects.at(-1))?.source,
    documents,
  };
}

/**
 * An annotation by document; `undefined` for documents without it. A manifest is applied over the account as the
 * cluster shows it, and annotations of OpenShift's controller outlast every manifest.
 */
function valuesOf(
  name: string,
  accounts: readonly ServiceAccountFact[],
  objects: readonly KubernetesObject[],
): readonly (Known<string> | undefined)[] {
  const values = accounts.map(({ annotations }) => annotations.get(name));
  const isShown = (place: number): boolean => text(at(objects[place]?.value, "metadata", "uid")) !== "";
  const counts = (place: number): boolean => isShown(place) === (name === INTERNAL_REGISTRY_SECRET);
  const first = values.find((_, place) => counts(place));
  const isSettled = first !== undefined && objects.some((_, place) => isShown(place));
  return isSettled ? values.map((value, place) => (counts(place) ? value : first)) : values;
}

/**
 * Annotation with the pull secret that OpenShift's controller gives to every service account; the secret is only for
 * the internal registry, never for a plugin's. Source: openshift/openshift-controller-manager pull request 276.
 */
export const INTERNAL_REGISTRY_SECRET: string = "openshift.io/internal-registry-pull-secret-ref";

/**
 * Whether an annotation survives although one document lacks it: the documents with it hold only annotations, as
 * `ServiceAccountAnnotations` writes them for server-side apply, and the document without it is the whole account; or
 * they are `kubernetes_annotations`, whose annotations only `kubernetes_annotations` and `kubernetes_manifest` of the
 * same field manager remove.
 */
function isKept(
  lacking: number,
  objects: readonly KubernetesObject[],
  values: readonly (Known<string> | undefined)[],
): boolean {
  const other = objects[lacking];
  return objects.every(
    (object, index) =>
      values[index] === undefined ||
      isApart(object, other) ||
      (isBare(object.value) && (object.ofStack !== other?.ofStack || !isBare(other.value))),
  );
}

function isApart({ annotator }: KubernetesObject, other: KubernetesObject | undefined): boolean {
  if (annotator === undefined) return false;
  const manager = other?.annotator ?? other?.manager;
  return manager === undefined || same(annotator, manager) === "no";
}

const OF_METADATA: readonly string[] = ["namespace", "name", "annotations"];
const OF_OBJECT: readonly string[] = ["apiVersion", "kind", "metadata"];

/** True for a document with only name and annotations. */
function isBare(value: unknown): boolean {
  return (
    Object.keys(record(value)).every((key) => OF_OBJECT.includes(key)) &&
    Object.keys(record(at(value, "metadata"))).every((key) => OF_METADATA.includes(key))
  );
}
