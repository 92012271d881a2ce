import type { RequestSource } from "./credentials-request";

/** A parsed document before it is checked, and its origin. */
export interface SourcedDocument {
  /** The parsed value. */
  readonly value: unknown;
  /** Where it was read. */
  readonly source: RequestSource;
}
