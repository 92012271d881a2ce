/*
 * Buckets and containers whose objects Terraform declares, such as the documents of issuers. Each cloud states in its
 * own folder which ones it has, at which URLs their objects are read, and whether everyone may read them.
 */

import type { Known } from "../../model/known";
import type { Answer } from "../answer";
import type { Source } from "../read/source";

/** An object as it is declared. */
export interface StoredObject {
  /** Its text; not known if the resource does not contain it, as with a file. */
  readonly text: Known<string>;
  /** True if Terraform leaves the text of an existing object as it is (`ignore_changes`). */
  readonly isKept: boolean;
  /** Who may read it in addition to what the bucket and its policy allow: `public-read`; `undefined` if not stated. */
  readonly acl: Known<string | undefined>;
  readonly source: Source;
}

/** URLs at which the objects of a store are read. */
export interface StoreDoor {
  /**
   * Address of the resource that serves the URLs, in a configuration as in its state; `undefined` for those of the store
   * itself.
   */
  readonly address?: string;
  /** Name of the object at a URL, or the beginning of names; `undefined` if the URL is certainly not here. */
  readonly nameAt: (url: Known<string>) => Known<string> | undefined;
  /** What keeps readers without credentials from an object here; `undefined` if nothing is known to. */
  readonly refusal: (name: string) => Answer | undefined;
}

/** A bucket or container. */
export interface ObjectStore {
  /** For people: `the bucket acme`. */
  readonly label: string;
  /** By name, without a leading slash; a configuration and its state both declare an object. */
  readonly objects: ReadonlyMap<string, readonly StoredObject[]>;
  /** True if only declared objects exist: Terraform creates the store, and knows the names of all objects. */
  readonly isWhole: boolean;
  readonly doors: readonly StoreDoor[];
  /**
   * The answer about a URL that is not one of its doors although a document in it names the URL; `undefined` if nothing
   * is known, since a server of the user's may be in front of the store.
   */
  readonly before: ((url: Known<string>) => Answer | undefined) | undefined;
}

/** The issuers whose documents were read. */
export interface Issuers {
  /**
   * The answer of a cloud that trusts the issuer and asks it for its keys; `log` is what the cloud says if it cannot.
   * A failed answer stays as it is, and so does an unknown one unless the cloud certainly gets no keys.
   */
  judged(answer: Answer, issuer: Known<string>, log: string): Answer;
  keysOf(issuer: Known<string>): readonly PublishedKeys[];
  /** The issuers that discovery documents name. */
  readonly published: readonly Known<string>[];
}

/** Keys that an issuer publishes. */
export interface PublishedKeys {
  readonly ids: readonly string[];
  /** The ids of those that verify signatures, by the members that make a key. */
  readonly signing: ReadonlyMap<string, string>;
  readonly source: Source;
}
