import type { Severity } from "../findings";

/** What the formats call a severity. */
interface SeverityWords {
  /** The verdict of a result with such a link; a warning of a result that works is a note. */
  readonly verdict: "denied" | "unknown" | "note";
  /** SARIF 2.1.0, 3.27.10. */
  readonly level: "error" | "warning" | "note";
  /** GitHub's workflow commands. */
  readonly command: "error" | "warning" | "notice";
  /** JUnit; `undefined` for a case that passes. */
  readonly element: "failure" | "error" | undefined;
}

/** How GitHub ranks findings of the audit: high, medium, low. Source: its page "SARIF support for code scanning". */
export const SCORES: Readonly<Record<Severity, string>> = { error: "8.0", warning: "5.5", note: "2.0" };

/** How each format shows a severity, the worst first. */
export const SEVERITIES: Readonly<Record<Severity, SeverityWords>> = {
  error: { verdict: "denied", level: "error", command: "error", element: "failure" },
  warning: { verdict: "unknown", level: "warning", command: "warning", element: "error" },
  note: { verdict: "note", level: "note", command: "notice", element: undefined },
};
