import { App, TerraformStack } from "cdktf";
import type { Construct } from "constructs";
import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { Explainer, type PullResult } from "../explain/explainer";
import { STACK_FILE } from "../explain/read/input-files";
import { PROOF_CONTEXT } from "../model/proof-context";
import { refuseDenied } from "./proof-refusal";
import { removeStackFolder } from "./stack-folder";
import { boolean, checkGiven } from "../model/shape";

/** The stacks to prove, by app. */
const perApp = new WeakMap<App, TerraformStack[]>();

/**
 * Has `app.synth()` prove the pulls that the construct's stack declares, once all stacks of the app are written.
 *
 * The verifier reads the files, so that it sees what overrides and aspects made of them, and what other stacks add. A
 * pull that would be denied ends the synth with `proof-failed`, and takes its stack's files away: they look finished,
 * and nothing else would keep anybody from applying them. One that cannot be told from the files passes in silence:
 * what is missing (the policy of somebody else's registry, say) is no fault of the app, and would be missing each time.
 *
 * The app's context can leave it out; throws `property-invalid` where that is no boolean.
 */
export function proveAtSynth(construct: Construct): void {
  const wanted: boolean = construct.node.tryGetContext(PROOF_CONTEXT) ?? true;
  checkGiven("the app", boolean, wanted, `context ${PROOF_CONTEXT}`);
  if (!wanted) return;
  const stack = TerraformStack.of(construct);
  const { root } = stack.node;
  if (!App.isApp(root)) return;
  const stacks = perApp.get(root) ?? [];
  stacks.push(stack);
  if (stacks.length > 1) return;
  perApp.set(root, stacks);
  // What an app validates itself, cdktf asks last: after every stack is written, and before the app's manifest.
  root.node.addValidation({
    validate: () => {
      prove(root, stacks);
      return [];
    },
  });
}

function prove({ outdir, manifest }: App, stacks: readonly TerraformStack[]): void {
  const written = Object.values(manifest.stacks)
    .map(({ name, workingDirectory, synthesizedStackPath }) => ({
      name,
      folder: join(outdir, workingDirectory),
      file: join(outdir, synthesizedStackPath),
    }))
    // A stack in HCL, or one that a synthesizer of somebody's own writes elsewhere, cannot be read.
    .filter(({ file }) => basename(file) === STACK_FILE && existsSync(file));
  const own = written.filter(({ name }) => stacks.some(({ node }) => node.id === name));
  if (own.length === 0) return;
  const explainer = Explainer.read(written.map(({ folder }) => folder));
  const denied = own.flatMap(({ name }) => deniedPulls(explainer, name));
  if (denied.length === 0) return;
  // The chains are put together from what was read, not from the files.
  const refused = own.filter(({ name }) => denied.some(({ stack }) => stack === name));
  for (const { folder } of refused) removeStackFolder(folder);
  refuseDenied(denied, outdir);
}

/** Of a million pulls only those that are kept cost memory. */
function deniedPulls(explainer: Explainer, stack: string): readonly PullResult[] {
  const denied: PullResult[] = [];
  for (const result of explainer.pulls({ stack, origin: "declared" }))
    if (result.verdict === "denied") denied.push(result);
  return denied;
}
