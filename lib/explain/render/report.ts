import type { Finding } from "../findings";

/** What reports for machines have besides results. */
export interface RenderReportOptions {
  /**
   * Findings of the audit.
   *
   * @defaultValue - none were asked for
   */
  readonly audit?: readonly Finding[];
}
