import type { Finding } from "../findings";

/** What machine-readable reports contain in addition to results. */
export interface RenderReportOptions {
  /**
   * Findings of the audit.
   *
   * @defaultValue - none were asked for
   */
  readonly audit?: readonly Finding[];
}
