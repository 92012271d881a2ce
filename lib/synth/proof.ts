import { fail } from "../errors";
import type { CheckResult } from "../explain/answer";
import { Explainer, declaredOf } from "../explain/explainer";
import { STACK_FILE } from "../explain/read/input-files";
import { renderText } from "../explain/render/text";
import type { ExplainResult } from "../explain/result";
import { PROOF_CONTEXT } from "../model/proof-context";
import { boolean, checkGiven } from "../model/shape";
import { afterSynth } from "./after-synth";
import { deliveryOf } from "./delivery";
import { removeStackFolder } from "./stack-folder";
import { type App, TerraformStack } from "cdktf";
import type { Construct, IConstruct } from "constructs";
import { existsSync } from "node:fs";
import { basename, join } from "node:path";

type Job = ExplainResult["job"];

/** The jobs to prove, by stack, by app. */
const perApp = new WeakMap<IConstruct, Map<TerraformStack, Set<Job>>>();

/**
 * Has `app.synth()` prove what the construct's stack declares for a job, once all stacks of the app are written.
 *
 * The verifier reads the files, so that it sees what overrides and aspects made of them, and what other stacks add. A
 * declaration that would be denied ends the synth with `proof-failed`, and takes its stack's files away: they look
 * finished, and nothing else would keep them from being applied. One that is unknown passes in silence: what is missing
 * (the policy of another team's registry, say) is no fault of the app, and would be missing each time.
 *
 * `proof` is the construct's property; the app's context can leave the proof out for all.
 */
export function proveAtSynth(construct: Construct, job: Job, proof: boolean | undefined): void {
  const wanted: boolean = construct.node.tryGetContext(PROOF_CONTEXT) ?? true;
  checkGiven("the app", boolean, wanted, `context ${PROOF_CONTEXT}`);
  if (!wanted || proof === false) return;
  const stack = TerraformStack.of(construct);
  const { root } = stack.node;
  const stacks = perApp.get(root) ?? new Map<TerraformStack, Set<Job>>();
  perApp.set(root, stacks);
  stacks.set(stack, (stacks.get(stack) ?? new Set()).add(job));
  afterSynth(stack, "proof", (app) => prove(app, stacks));
}

function prove({ outdir, manifest }: App, stacks: ReadonlyMap<TerraformStack, ReadonlySet<Job>>): void {
  const written = Object.values(manifest.stacks)
    .map(({ name, workingDirectory, synthesizedStackPath }) => ({
      name,
      folder: join(outdir, workingDirectory),
      file: join(outdir, synthesizedStackPath),
    }))
    // A stack in HCL, or one that another synthesizer writes elsewhere, cannot be read.
    .filter(({ file }) => basename(file) === STACK_FILE && existsSync(file));
  const jobs = new Map([...stacks].map(([{ node }, each]) => [node.id, each]));
  const own = written.filter(({ name }) => jobs.has(name));
  if (own.length === 0) return;
  const explainer = Explainer.read(written.map(({ folder }) => folder));
  const denied = own.flatMap(({ name }) => denials(explainer, name, jobs.get(name)));
  if (denied.length === 0) return;
  // The chains are put together from what was read, not from the files.
  const refused = own
    .filter(({ name }) => denied.some(({ stack }) => stack === name))
    .map(({ name }) => name);
  const delivering = [...stacks.keys()]
    .filter(({ node }) => refused.includes(node.id))
    .flatMap((stack) => deliveryOf(stack)?.entry.stack ?? []);
  for (const { name, folder } of written)
    if (refused.includes(name) || delivering.includes(name)) removeStackFolder(folder);
  refuseDenied(denied, outdir);
}

/** Of a million results only those that are kept cost memory. */
function denials(
  explainer: Explainer,
  stack: string,
  jobs: ReadonlySet<Job> = new Set(),
): readonly ExplainResult[] {
  const denied: ExplainResult[] = [];
  for (const result of declaredOf(explainer, stack, jobs))
    if (result.verdict === "denied") denied.push(result);
  return denied;
}

/** Chains that are shown, each of another broken link. */
const SHOWN = 3;

/** Refuses a synth for what is declared and would be denied: throws `proof-failed` with the first chain of each link. */
function refuseDenied(denied: readonly ExplainResult[], outdir: string): never {
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
  return [...renderText(results, { verbose: true })]
    .slice(0, -1)
    .join("")
    .replaceAll(join(outdir, "/"), "")
    .trimEnd();
}
