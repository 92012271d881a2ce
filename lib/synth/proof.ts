import { type App, TerraformStack } from "cdktf";
import type { Construct, IConstruct } from "constructs";
import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { Explainer, declaredOf } from "../explain/explainer";
import { STACK_FILE } from "../explain/read/input-files";
import type { ExplainResult } from "../explain/result";
import { PROOF_CONTEXT } from "../model/proof-context";
import { afterSynth } from "./after-synth";
import { refuseDenied } from "./proof-refusal";
import { removeStackFolder } from "./stack-folder";
import { boolean, checkGiven } from "../model/shape";

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
  const refused = own.filter(({ name }) => denied.some(({ stack }) => stack === name));
  for (const { folder } of refused) removeStackFolder(folder);
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
