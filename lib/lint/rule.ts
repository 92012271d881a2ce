import type { Severity } from "../explain/findings";
import type { Source } from "../explain/read/source";
import type { ConfigFact, LintFacts } from "./read";

/** A text with which kubelets refuse a file. */
export interface Refusal {
  readonly config: ConfigFact;
  /** The entry; the file if no entry is meant. */
  readonly subject: string;
  readonly message: string;
  readonly minors: string[];
  readonly source: Source;
}

/** What rules look at, for the kubelets that are meant. */
export interface Linted extends LintFacts {
  readonly kubelets: readonly string[];
  /** What kubelets refuse of the configurations. */
  readonly refusals: readonly Refusal[];
  /** What the minor after those that are meant refuses of what these accept. */
  readonly next: readonly Refusal[];
}

/** A place where a rule finds something. */
export interface Spot {
  /** The entry, object or file. */
  readonly subject: string;
  /** Pattern, annotation key, audience or image; empty or absent if there is none. */
  readonly target?: string;
  /** What is there, a clause. */
  readonly what: string;
  /** What to do, if more is known than the rule says. */
  readonly remedy?: string | undefined;
  readonly source: Source;
}

/** One row of the table of rules. */
export interface LintRule {
  readonly id: string;
  readonly severity: Severity;
  readonly question: string;
  /** What happens on a node or in the cluster; a clause. */
  readonly effect: string;
  readonly remedy: string;
  /** The document, source file or issue that the rule is taken from. */
  readonly source: string;
  /** What an operator sees. */
  readonly log?: string;
  readonly run: (facts: Linted) => readonly Spot[];
}
