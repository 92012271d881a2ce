import { App } from "cdktf";
import { type ExplainResult, explain } from "cdktf-workload-identity/explain";
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Edge, Prod } from "./stack";
import type { Edit, Variant } from "./variant";
import { variants } from "./variants";

/** One mistake, and what is said of it. */
export interface Outcome {
  /** The mistake. */
  readonly variant: Variant;
  /** The same pull before the damage. */
  readonly before: ExplainResult;
  /** The pull after it. */
  readonly after: ExplainResult;
}

/** Writes the good stacks to `<folder>/good`, every damaged one to `<folder>/<id>`, and explains each. */
export function run(folder: string): readonly Outcome[] {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const good = new App({ stackTraces: false, outdir: join(folder, "good") });
  new Edge(good, "edge-1");
  new Prod(good, "prod");
  good.synth();

  return variants.map((variant) => {
    const whole = join(good.outdir, "stacks", variant.stack);
    const damaged = join(folder, variant.id);
    cpSync(whole, damaged, { recursive: true });
    for (const edit of variant.edits) apply(edit, damaged);
    const { serviceAccount, image, goodImage = image } = variant;
    return {
      variant,
      before: pull(whole, serviceAccount, goodImage),
      after: pull(damaged, serviceAccount, image),
    };
  });
}

function pull(folder: string, serviceAccount: string, image: string): ExplainResult {
  const [result] = explain([folder], { serviceAccount, image });
  if (!result) throw new Error(`${folder} holds no cluster`);
  return result;
}

function apply({ file, from, to }: Edit, folder: string): void {
  const path = join(folder, file);
  const text = readFileSync(path, "utf8");
  if (from !== undefined && !text.includes(from)) throw new Error(`${path} does not hold ${from}`);
  writeFileSync(path, from === undefined ? text + to : text.replaceAll(from, () => to));
}
