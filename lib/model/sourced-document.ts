import type { RequestSource } from "./credentials-request";

/** A parsed document that is not yet checked, and where it was read. */
export interface SourcedDocument {
  /** What YAML or JSON held. */
  readonly value: unknown;
  /** Where it was read. */
  readonly source: RequestSource;
}
