/*
 * Service accounts, as one or several documents say them.
 */

import { at, own, record, text } from "./access";
import type { LateReader } from "./late-text";
import type { Source } from "./source";
import { pullSecretNames } from "./workload-facts";

/** A service account with what pulls read of it. */
export interface ServiceAccountFact {
  /** `namespace/name`. */
  readonly key: string;
  /** Annotations, late values as references; one that documents contradict each other about is late as well. */
  readonly annotations: ReadonlyMap<string, string>;
  /**
   * Annotations that documents contradict each other about, each with the documents.
   *
   * @defaultValue - none
   */
  readonly contested?: ReadonlyMap<string, readonly Source[]>;
  /**
   * A patch (`$patch`) of which it is not known whether it deletes or replaces the account.
   *
   * @defaultValue - none
   */
  readonly patch?: Source;
  /** Names of its pull secrets, which admission copies to its pods. */
  readonly pullSecrets: readonly string[];
  /** Where it stands; `undefined` for the `default` one of a namespace, which no manifest writes. */
  readonly source: Source | undefined;
}

/** A document with a service account. */
export interface AccountDocument {
  /** The object. */
  readonly value: unknown;
  /** Where it stands. */
  readonly source: Source;
  /** Reads its late values. */
  readonly late: LateReader;
  /** True for a manifest that a stack wrote. */
  readonly ofStack: boolean;
}

/** Written over a value of which only the cluster tells which one it has. */
const CONTESTED = "${contested}";

/** Reads service accounts by `namespace/name`; of several documents of one account the annotations are joined. */
export function readServiceAccounts(
  documents: readonly AccountDocument[],
): ReadonlyMap<string, ServiceAccountFact> {
  const accounts = new Map<string, ServiceAccountFact>();
  const several = new Map<string, AccountDocument[]>();
  for (const document of documents) {
    const account = accountOf(document);
    if (accounts.has(account.key)) several.set(account.key, []);
    accounts.set(account.key, account);
  }
  if (several.size === 0) return accounts;
  for (const document of documents) several.get(keyOf(document.value))?.push(document);
  for (const [key, all] of several) accounts.set(key, joined(key, all));
  return accounts;
}

function keyOf(value: unknown): string {
  const metadata = own(value, "metadata");
  return `${text(own(metadata, "namespace")) || "default"}/${text(own(metadata, "name"))}`;
}

function accountOf({ value, source, late }: AccountDocument): ServiceAccountFact {
  const annotations = new Map<string, string>();
  const written = record(at(value, "metadata", "annotations"));
  // Without lists of lists: there are tens of thousands of accounts.
  for (const name of Object.keys(written)) {
    const annotation = written[name];
    if (typeof annotation === "string") annotations.set(name, late(annotation));
  }
  const account = { key: keyOf(value), annotations, pullSecrets: pullSecretNames(value), source };
  return own(value, "$patch") === undefined ? account : { ...account, patch: source };
}

function joined(key: string, documents: readonly AccountDocument[]): ServiceAccountFact {
  const accounts = documents.map(accountOf);
  const annotations = new Map(accounts.flatMap((account) => [...account.annotations]));
  const contested = new Map<string, readonly Source[]>();
  for (const name of annotations.keys()) {
    const values = accounts.map((account) => account.annotations.get(name));
    const differ = new Set(values.filter((value) => value !== undefined)).size > 1;
    if (
      !differ &&
      documents.every((_, index) => values[index] !== undefined || isKept(index, documents, values))
    )
      continue;
    contested.set(
      name,
      documents.map(({ source }) => source),
    );
    if (differ) annotations.set(name, CONTESTED);
  }
  const patch = accounts.find((account) => account.patch !== undefined)?.patch;
  return {
    key,
    annotations,
    ...(contested.size === 0 ? {} : { contested }),
    ...(patch === undefined ? {} : { patch }),
    pullSecrets: accounts.flatMap((account) => account.pullSecrets),
    source: documents.at(-1)?.source,
  };
}

/**
 * Whether an annotation survives that the document at a place lacks: where those that have it are nothing but
 * annotations, as `ServiceAccountAnnotations` writes them for server-side apply, and the one that lacks it is somebody
 * else's.
 */
function isKept(
  lacking: number,
  documents: readonly AccountDocument[],
  values: readonly (string | undefined)[],
): boolean {
  const other = documents[lacking];
  return documents.every(
    (document, index) =>
      values[index] === undefined ||
      (isBare(document.value) && (document.ofStack !== other?.ofStack || !isBare(other.value))),
  );
}

const OF_METADATA: readonly string[] = ["namespace", "name", "annotations"];
const OF_OBJECT: readonly string[] = ["apiVersion", "kind", "metadata"];

/** True where nothing stands there but name and annotations. */
function isBare(value: unknown): boolean {
  return (
    Object.keys(record(value)).every((key) => OF_OBJECT.includes(key)) &&
    Object.keys(record(own(value, "metadata"))).every((key) => OF_METADATA.includes(key))
  );
}
