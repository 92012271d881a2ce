import type { ExplainResult } from "../result";

export interface JobWords {
  /** Between service account and target. */
  readonly verb: string;
  readonly one: string;
  readonly several: string;
  readonly target: string;
  readonly title: string;
}

export const jobWords: Readonly<Record<ExplainResult["job"], JobWords>> = {
  "image-pull": { verb: "pulls", one: "pull", several: "pulls", target: "image", title: "Image pulls" },
  "running-pull": {
    verb: "keeps pulling",
    one: "running pull",
    several: "running pulls",
    target: "image",
    title: "Pulls of running pods",
  },
  component: {
    verb: "uses the Secret",
    one: "component",
    several: "components",
    target: "Secret",
    title: "Platform components",
  },
  workload: { verb: "acts in", one: "workload", several: "workloads", target: "cloud", title: "Workloads" },
  "fleet-access": {
    verb: "enters",
    one: "fleet access",
    several: "fleet accesses",
    target: "spoke",
    title: "Fleet access",
  },
};

/** The stack as it precedes a sentence; empty outside of stacks. */
export function inStack(stack: string): string {
  return stack === "" ? "" : `${stack}: `;
}

/** `Image pulls, platform components`: the jobs of these results, in the order of {@link jobWords}. */
export function jobTitle(results: readonly ExplainResult[]): string {
  const jobs = new Set(results.map(({ job }) => job));
  const titles = Object.entries(jobWords).flatMap(([job, { title }]) =>
    jobs.has(job as ExplainResult["job"]) ? [title] : [],
  );
  const [first = jobWords["image-pull"].title, ...rest] = titles;
  return [first, ...rest.map((title) => title.toLowerCase())].join(", ");
}
