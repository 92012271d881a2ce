import { join } from "node:path";
import { fail } from "../errors";
import type { CheckResult } from "../explain/answer";
import type { ExplainResult } from "../explain/result";
import { renderText } from "../explain/render/text";

/** Chains that are shown, each of another broken link. */
const SHOWN = 3;

/** Refuses a synth for what is declared and would be denied: throws `proof-failed` with the first chain of each link. */
export function refuseDenied(denied: readonly ExplainResult[], outdir: string): never {
  const firsts = new Map<string, { readonly result: ExplainResult; readonly link: CheckResult }>();
  const counts = new Map<string, number>();
  for (const result of denied) {
    const link = result.checks.find(({ status }) => status === "fail");
    if (link === undefined) continue;
    if (!firsts.has(link.id)) firsts.set(link.id, { result, link });
    counts.set(link.id, (counts.get(link.id) ?? 0) + 1);
  }
  const shown = [...firsts.values()].slice(0, SHOWN);
  return fail("proof-failed", {
    stacks: [...new Set(denied.map(({ stack }) => stack))],
    links: [...counts],
    remedies: shown.map(({ link }) => link.remedy),
    chains: chainText(
      shown.map(({ result }) => result),
      outdir,
    ),
    hidden: denied.length - shown.length,
  });
}

/** The chains as text, without the count at the end and without the folder, which differs from machine to machine. */
function chainText(results: readonly ExplainResult[], outdir: string): string {
  return [...renderText(results)].slice(0, -1).join("").replaceAll(join(outdir, "/"), "").trimEnd();
}
