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
  const stacks = [...new Set(denied.map(({ stack }) => stack))].join(", ");
  const links = [...counts].map(([link, count]) => `${count} at ${link}`).join(", ");
  const remedies = [...new Set(shown.map(({ link }) => link.remedy))].join("; ");
  const chains = chainText(
    shown.map(({ result }) => result),
    outdir,
  );
  const hidden = denied.length - shown.length;
  return fail("proof-failed", {
    problem: `what is declared would be denied by what was written, so nothing of ${stacks} was left to apply (${links})`,
    allowed: "declarations of which no link is broken",
    remedy: `${remedies}; to write the files all the same, and see with \`explain\` where each link stands, set \`proof: false\` on the construct that declares it\n\n${chains}${hidden > 0 ? `\n\nand ${hidden} more` : ""}`,
  });
}

/** The chains as text, without the count at the end and without the folder, which differs from machine to machine. */
function chainText(results: readonly ExplainResult[], outdir: string): string {
  return [...renderText(results)].slice(0, -1).join("").replaceAll(join(outdir, "/"), "").trimEnd();
}
