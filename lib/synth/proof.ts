import { fail } from "../errors";
import { remembered } from "../model/once";
import type { CheckResult } from "../explain/answer";
import { Explainer, declaredOf } from "../explain/explainer";
import { STACK_FILE } from "../explain/read/input-files";
import { stackOf } from "../explain/read/stack-label";
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

/** By app and stack: the jobs to prove. */
const perApp = new WeakMap<IConstruct, Map<TerraformStack, Set<Job>>>();

/**
 * Makes `app.synth()` prove what the construct's stack declares for a job, once all stacks of the app are written.
 *
 * The verifier reads the files, so it sees the effect of overrides and aspects, and what other stacks add. If a
 * declaration would be denied, the synth fails with `proof-failed`, and the files of its stack are removed, because
 * they look finished and could be applied. If the result is unknown, the declaration passes silently: a missing fact,
 * such as the policy of another team's registry, is not a mistake of the app.
 *
 * `proof` is the construct's property; the app's context can skip the proof for all constructs.
 */
export function proveAtSynth(construct: Construct, job: Job, proof: boolean | undefined): void {
  const wanted: boolean = construct.node.tryGetContext(PROOF_CONTEXT) ?? true;
  checkGiven("the app", boolean, wanted, `context ${PROOF_CONTEXT}`);
  if (!wanted || proof === false) return;
  const stack = TerraformStack.of(construct);
  const stacks = remembered(perApp, stack.node.root, () => new Map<TerraformStack, Set<Job>>());
  remembered(stacks, stack, () => new Set<Job>()).add(job);
  afterSynth(stack, "proof", (app) => prove(app, stacks));
}

function prove({ outdir, manifest }: App, stacks: ReadonlyMap<TerraformStack, ReadonlySet<Job>>): void {
  const written = Object.values(manifest.stacks)
    .map(({ name, workingDirectory, synthesizedStackPath }) => ({
      name,
      folder: join(outdir, workingDirectory),
      file: join(outdir, synthesizedStackPath),
    }))
    // A stack cannot be read if it is in HCL or if another synthesizer writes it elsewhere.
    .filter(({ file }) => basename(file) === STACK_FILE && existsSync(file));
  const jobs = new Map([...stacks].map(([{ node }, each]) => [node.id, each]));
  const ownStacks = written.filter(({ name }) => jobs.has(name));
  if (ownStacks.length === 0) return;
  const explainer = Explainer.read(written.map(({ folder }) => folder));
  const denied = ownStacks.flatMap(({ name }) => denials(explainer, name, jobs.get(name)));
  if (denied.length === 0) return;
  // The chains use what was read earlier, so removing the files is safe.
  const refused = ownStacks
    .filter(({ name }) => denied.some(({ stack }) => stackOf(stack) === name))
    .map(({ name }) => name);
  const delivering = [...stacks.keys()]
    .filter(({ node }) => refused.includes(node.id))
    .flatMap((stack) => deliveryOf(stack)?.entry.stack ?? []);
  for (const { name, folder } of written)
    if (refused.includes(name) || delivering.includes(name)) removeStackFolder(folder);
  refuseDenied(denied, outdir);
}

/** Keeps only denied results in memory: there may be a million others. */
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

/** How many chains are shown, each with a different broken link. */
const SHOWN = 3;

/** Throws `proof-failed` for denied declarations, with the first chain of each broken link. */
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
  const stacks = [...new Set(denied.map(({ stack }) => stackOf(stack)))].join(", ");
  const links = [...counts].map(([link, count]) => `${count} at ${link}`).join(", ");
  const remedies = [...new Set(shown.map(({ link }) => link.remedy))].join("; ");
  const chains = chainText(
    shown.map(({ result }) => result),
    outdir,
  );
  const hidden = denied.length - shown.length;
  return fail("proof-failed", {
    problem: `the written files would not give what is declared, so the files of ${stacks} were removed (${links})`,
    allowed: "declarations whose chains have no broken link",
    remedy: `${remedies}; to keep the files and inspect each link with \`explain\`, set \`proof: false\` on the construct that declares it\n\n${chains}${hidden > 0 ? `\n\nand ${hidden} more` : ""}`,
  });
}

/** The chains as text, without the final count and without the folder, which differs from machine to machine. */
function chainText(results: readonly ExplainResult[], outdir: string): string {
  return [...renderText(results, { verbose: true })]
    .slice(0, -1)
    .join("")
    .replaceAll(join(outdir, "/"), "")
    .trimEnd();
}
