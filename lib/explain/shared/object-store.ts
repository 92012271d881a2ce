/*
 * Buckets and containers whose objects Terraform declares, among them the documents of issuers. A cloud says in its own
 * folder which ones it has, at which URLs their objects are read, and whether everyone may.
 */

import type { Known } from "../../model/known";
import type { Answer } from "../answer";
import type { Source } from "../read/source";

/** An object as it is declared. */
export interface StoredObject {
  /** Its text; not known where it is not written beside it, as that of a file. */
  readonly text: Known<string>;
  /** True where Terraform leaves the text of an object that is there as it is (`ignore_changes`). */
  readonly isKept: boolean;
  /** Who may read it besides those that bucket and policy let in: `public-read`; `undefined` where nothing is written. */
  readonly acl: Known<string | undefined>;
  /** Where it stands. */
  readonly source: Source;
}

/** URLs at which the objects of a store are read. */
export interface StoreDoor {
  /** Name of the object at a URL, or the beginning of names; `undefined` where the URL is certainly another place's. */
  readonly nameAt: (url: Known<string>) => Known<string> | undefined;
  /** What keeps those without credentials from reading an object here; `undefined` where nothing is known to. */
  readonly refusal: (name: string) => Answer | undefined;
}

/** A bucket or container. */
export interface ObjectStore {
  /** For people: `the bucket acme`. */
  readonly label: string;
  /** Declarations by name, without slash at the beginning; a configuration and its state declare one object both. */
  readonly objects: ReadonlyMap<string, readonly StoredObject[]>;
  /** True where what is not declared is not there: Terraform makes the store, and knows the names of all objects. */
  readonly isWhole: boolean;
  /** Its doors. */
  readonly doors: readonly StoreDoor[];
  /**
   * What is known of who serves a URL that is none of its doors, although a document in it names the URL; `undefined`
   * where nothing is, since a server of the user's may stand before the store.
   */
  readonly before: ((url: Known<string>) => Answer | undefined) | undefined;
}

/** The issuers whose documents were read. */
export interface Issuers {
  /**
   * The answer of a cloud that trusts the issuer and asks it for its keys; `log` is what the cloud says where it cannot.
   * A failure stays as it is, and one that is not known unless the cloud certainly gets no keys.
   */
  judged(answer: Answer, issuer: Known<string>, log: string): Answer;
  /** The keys that an issuer publishes, as far as they were read. */
  keysOf(issuer: Known<string>): readonly PublishedKeys[];
}

/** Keys that an issuer publishes. */
export interface PublishedKeys {
  /** Ids of the keys. */
  readonly ids: readonly string[];
  /** Where they stand. */
  readonly source: Source;
}
