/*
 * What was found and not judged, so that silence about it is not taken for an answer.
 */

import type { Source } from "./source";

/** A file, a document, a module or an object that was found and is not judged. */
export interface SkippedDocument {
  /** Where it stands; of Kubernetes objects of kinds that are not read the file alone. */
  readonly source: Source;
  /** Why it is not judged, a clause. */
  readonly reason: string;
  /**
   * The object that the API server or the Machine Config Operator would refuse, `ServiceAccount shop/web`; it counts as
   * absent.
   *
   * @defaultValue - nothing would refuse it; it is not read
   */
  readonly refused?: string;
}
