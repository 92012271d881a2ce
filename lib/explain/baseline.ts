/*
 * Findings that people accept until a date, with the reason. After that date they count again.
 */

import { type Shape, TEXT } from "../artefact/fact-shape";
import { type Finding, openLinks } from "./findings";
import { invalidFile } from "./read/documents";
import { readShapedFile } from "./read/shaped-file";
import { lineOf } from "./read/source-lines";
import type { Acceptance, ExplainResult } from "./result";

/** An entry of a baseline. */
interface AcceptedFinding extends Acceptance {
  readonly subject: string;
  /** Empty if the finding has none. */
  readonly target?: string;
  /** Every stack if it is left out. */
  readonly stack?: string;
}

const WRITTEN: Shape = { matching: /\S/, form: "a text that is not blank" };
const DAY: Shape = { matching: /^\d{4}-\d{2}-\d{2}$/, form: "a day, YYYY-MM-DD" };

export const BASELINE: Shape = {
  keys: {
    accepted: {
      each: {
        keys: { check: TEXT, stack: TEXT, subject: TEXT, target: TEXT, reason: WRITTEN, expires: DAY },
        needed: ["check", "subject", "reason", "expires"],
        title:
          "a finding that is accepted: check, stack, subject and target as `explain --format json` has them",
      },
    },
  },
  needed: ["accepted"],
};

/** Accepts findings, and remembers which lines accepted one. */
export class Baseline {
  readonly #lines: readonly AcceptedFinding[];
  /** `YYYY-MM-DD`, which sorts as days do. */
  readonly #today: string;
  readonly #used = new Set<AcceptedFinding>();

  private constructor(lines: readonly AcceptedFinding[], today: string) {
    this.#lines = lines;
    this.#today = today;
  }

  /** Reads a baseline, YAML or JSON; `today` is a day in UTC. Throws for unknown keys and days that do not exist. */
  static read(file: string, today: string): Baseline {
    const { accepted } = readShapedFile(file, BASELINE, "1.2") as {
      readonly accepted: readonly AcceptedFinding[];
    };
    for (const [place, { expires }] of accepted.entries())
      if (!isDay(expires)) {
        const line = lineOf({ file, document: 0, path: `accepted[${place}].expires` }) ?? 1;
        invalidFile(file, line, `names ${expires}, which is not a date`, "a day, YYYY-MM-DD");
      }
    return new Baseline(accepted, today);
  }

  /** The results; marks those whose links that do not hold are all accepted. */
  *results(results: Iterable<ExplainResult>): Generator<ExplainResult> {
    for (const result of results) {
      const { stack, subject, target } = result;
      const open = openLinks(result);
      const accepted = open.flatMap(({ id }) => this.#acceptance({ id, stack, subject, target }) ?? []);
      yield open.length > 0 && accepted.length === open.length ? marked(result, accepted) : result;
    }
  }

  /** The findings of the audit; marks those that are accepted. */
  findings(findings: readonly Finding[]): readonly Finding[] {
    return findings.map((finding) => {
      const accepted = this.#acceptance(finding);
      return accepted ? { ...finding, accepted } : finding;
    });
  }

  /** Lines to tidy up: those that have expired, and those that accept nothing. Meaningful once everything was asked. */
  get leftovers(): readonly string[] {
    return this.#lines.flatMap((line) => {
      const { check, stack = "", subject, target = "", expires } = line;
      const what = [stack && `${stack}:`, check, subject, target].filter((part) => part !== "").join(" ");
      if (expires < this.#today) return [`${what} was accepted until ${expires} and counts again`];
      return this.#used.has(line) ? [] : [`${what} is accepted but was not found: remove the line`];
    });
  }

  #acceptance(finding: Pick<Finding, "id" | "stack" | "subject" | "target">): Acceptance | undefined {
    const { id, stack, subject, target } = finding;
    const line = this.#lines.find(
      (each) =>
        each.check === id &&
        each.subject === subject &&
        (each.target ?? "") === target &&
        (each.stack ?? stack) === stack &&
        each.expires >= this.#today,
    );
    if (line === undefined) return undefined;
    this.#used.add(line);
    const { check, reason, expires } = line;
    return { check, reason, expires };
  }
}

function isDay(text: string): boolean {
  const day = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
}

/** Copies members by name, because a spread would leave out those that are getters. */
function marked(result: ExplainResult, accepted: readonly Acceptance[]): ExplainResult {
  const { job, stack, subject, target, verdict, as, checks, warnings } = result;
  return { job, stack, subject, target, verdict, as, checks, ...(warnings && { warnings }), accepted };
}
