/*
 * Service accounts, as one or several documents say them.
 */

import type { Known } from "../../model/known";
import type { Source } from "./source";

/** A service account with what pulls read of it. */
export interface ServiceAccountFact {
  /** `namespace/name`. */
  readonly key: string;
  /**
   * The annotations that it has or may have. One that documents contradict each other about, be it only that one of them
   * lacks it, is not known: `contested`.
   */
  readonly annotations: ReadonlyMap<string, Known<string>>;
  /** A patch (`$patch`) that may delete or replace the account; `undefined` where none was read. */
  readonly patch: Source | undefined;
  /** Names of its pull secrets, which admission copies to its pods. */
  readonly pullSecrets: readonly string[];
  /** Where it stands; `undefined` for the `default` one of a namespace, which no manifest writes. */
  readonly source: Source | undefined;
  /** All documents of it where there are several, else none. */
  readonly documents: readonly Source[];
}
