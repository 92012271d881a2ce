/*
 * Buckets and containers whose objects Terraform declares, such as the documents of issuers. Each cloud states in its
 * own folder at which URLs they are read, and judges one form: what the library's constructs write.
 */

import type { Known } from "../../model/known";
import type { AcceptedAlgorithms } from "../../rules/openid/jwks";
import type { Answer, Evidence } from "../answer";
import type { Resource } from "../read/block";
import type { Source } from "../read/source";

/** Why it is not certain that everyone gets the objects of a store. */
export interface Doubt {
  readonly reason: string;
  readonly evidence: readonly Evidence[];
}

export interface StoredObject {
  /** Its text; not known if the resource does not contain it, as with a file. */
  readonly text: Known<string>;
  /** True if Terraform leaves the text of an existing object as it is (`ignore_changes`). */
  readonly isKept: boolean;
  readonly doubt: Doubt | undefined;
  readonly resource: Resource;
  readonly source: Source;
}

/** A place where the objects of a store are read. */
export interface StoreDoor {
  /** The beginnings of its URLs, some of which only apply or the URL itself tells. */
  readonly basesFor: (url: Known<string>) => readonly Known<string>[];
  /** Why it is not certain that everyone gets the objects of these names; `undefined` if it is. */
  readonly doubt: (names: readonly string[]) => Doubt | undefined;
  readonly parts: readonly Resource[];
}

export interface ObjectStore {
  /** Its name, or that of the account; URLs with it are suspected to be here. */
  readonly name: Known<string>;
  /** By name, without a leading slash; a configuration and its state both declare an object. */
  readonly objects: ReadonlyMap<string, readonly StoredObject[]>;
  /** True if only declared objects exist: Terraform creates the store, and knows the names of all objects. */
  readonly isWhole: boolean;
  readonly doors: readonly StoreDoor[];
  /** True if a server of the user's may serve the documents of an issuer, which the constructs of one cloud allow. */
  readonly isServedElsewhere: (issuer: Known<string>) => boolean;
}

export interface Issuers {
  /**
   * The answer of a cloud that trusts the issuer and asks it for its keys; `log` is what the cloud says if it cannot.
   * A failed answer stays as it is, and so does an unknown one unless the cloud certainly gets no keys.
   */
  judged(answer: Answer, issuer: Known<string>, log: string, accepted?: AcceptedAlgorithms): Answer;
  keysOf(issuer: Known<string>): readonly PublishedKeys[];
  /** The issuers that discovery documents name. */
  readonly published: readonly Known<string>[];
}

export interface PublishedKeys {
  readonly ids: readonly string[];
  /** The ids of those that verify signatures, by the members that make a key. */
  readonly signing: ReadonlyMap<string, string>;
  /** As written; nothing is known of the keys where it is not known, as with a file. */
  readonly text: Known<string>;
  readonly source: Source;
}
