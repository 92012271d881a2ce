import { grouped } from "../../model/grouped";
import { remembered } from "../../model/once";
import { type ExplainResult, VERDICTS, type Verdict } from "../result";
import type { Finding } from "../findings";
import { inStack, jobWords } from "./jobs";
import { printable } from "./printable";
import { SEVERITIES } from "./severities";

/** Results of one job of a stack. */
interface Row {
  readonly stack: string;
  readonly job: ExplainResult["job"];
  readonly counts: Record<Verdict | "accepted", number>;
  allowed: ExplainResult | undefined;
}

export interface AllowedResults {
  readonly stack: string;
  /** The results, if they are few; otherwise empty. */
  readonly few: readonly ExplainResult[];
  /** `12 pulls`, `1 component`. */
  readonly allowed: readonly string[];
}

/** So many allowed results are shown one by one, with their identities; if there are more, only the sole one of a stack is. */
const FEW = 10;

/** Counts results, by stack and job. */
export class Counts {
  readonly #rows = new Map<string, Row>();
  /** The allowed results, up to one more than are few. */
  readonly #few: ExplainResult[] = [];

  add(result: ExplainResult): void {
    const { stack, job, verdict } = result;
    const row = remembered(this.#rows, `${job} ${stack}`, () => ({
      stack,
      job,
      counts: { denied: 0, unknown: 0, allowed: 0, accepted: 0 },
      allowed: undefined,
    }));
    row.counts[verdict] += 1;
    if (result.accepted) row.counts.accepted += 1;
    if (verdict !== "allowed") return;
    row.allowed ??= result;
    if (this.#few.length <= FEW) this.#few.push(result);
  }

  get allowed(): readonly AllowedResults[] {
    const rows = [...this.#rows.values()].filter(({ counts }) => counts.allowed > 0);
    const few = this.#few.length > FEW ? [] : this.#few;
    return [...grouped(rows, ({ stack }) => stack)].map(([stack, group]) => ({
      stack,
      few:
        group.length === 1 && group[0]?.allowed && group[0].counts.allowed === 1
          ? [group[0].allowed]
          : few.filter((each) => each.stack === stack),
      allowed: group.map(({ job, counts }) => several(counts.allowed, job)),
    }));
  }

  get verdicts(): Row["counts"] {
    const sum = { denied: 0, unknown: 0, allowed: 0, accepted: 0 };
    for (const { counts } of this.#rows.values())
      for (const key of [...VERDICTS, "accepted"] as const) sum[key] += counts[key];
    return sum;
  }

  *lines(): Generator<string> {
    for (const { stack, job, counts } of this.#rows.values())
      yield `${printable(inStack(stack))}${jobWords[job].several}: ${words(counts)}\n`;
  }

  /** `3 allowed, 0 denied, 0 unknown; audit: 1 error`. */
  total(audit?: readonly Finding[]): string {
    return `${words(this.verdicts)}${audit ? `; audit: ${auditCounts(audit)}` : ""}\n`;
  }
}

/** `2 errors, 1 note, 1 accepted`, or that nothing was found, and among what. */
export function auditCounts(audit: readonly Finding[], lookedAt = ""): string {
  if (audit.length === 0) return `nothing found${lookedAt === "" ? "" : ` in ${lookedAt}`}`;
  const counts = grouped(audit, ({ severity, accepted }) => (accepted ? "accepted" : severity));
  return ([...AUDITED, "accepted"] as const)
    .flatMap((word) => {
      const count = counts.get(word)?.length ?? 0;
      return count === 0 ? [] : [`${count} ${word}${count === 1 || word === "accepted" ? "" : "s"}`];
    })
    .join(", ");
}

const AUDITED = Object.keys(SEVERITIES) as (keyof typeof SEVERITIES)[];

function several(count: number, job: ExplainResult["job"]): string {
  const { one, several: many } = jobWords[job];
  return `${count} ${count === 1 ? one : many}`;
}

function words({ allowed, denied, unknown, accepted }: Row["counts"]): string {
  const besides = accepted === 0 ? "" : ` (${accepted} of them accepted)`;
  return `${allowed} allowed, ${denied} denied, ${unknown} unknown${besides}`;
}
