import { App, TerraformStack } from "cdktf";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fail } from "../errors";
import type { ClusterRecord } from "../explain/read/cluster-record";
import { PROOF_CONTEXT } from "../model/proof-context";
import { SynthesizedStack } from "./synthesized-stack";
import { forget, removeAtExit } from "./temporary-folders";
import {
  type ObjectKind,
  anyObject,
  anything,
  checkGiven,
  method,
  object,
  optional,
  record,
} from "../model/shape";

/** How a stack is synthesized for a test. */
export interface SynthStackOptions {
  /**
   * Context of the app, as in `cdktf.json`.
   *
   * @defaultValue - `cdktf-workload-identity/proof` is `false`: what is wrong is for the test to find, which can expect
   * a denial; with `true` a declared pull that would be denied throws as in `app.synth()`
   */
  readonly context?: Readonly<Record<string, unknown>>;
  /**
   * What is known of the cluster and stands in no artefact; wins over what the stack records.
   *
   * @defaultValue - only what the stack records
   */
  readonly cluster?: ClusterRecord;
}

const SYNTH_STACK_OPTIONS: ObjectKind<SynthStackOptions> = object({
  context: optional(record(anything)),
  cluster: optional(anyObject),
});

/**
 * Synthesizes a stack into a temporary folder and returns a handle of what was written.
 *
 * `build` makes the stack below the app that it is given, and may make others that it needs. The folder is gone when
 * the process ends, or earlier by {@link SynthesizedStack.remove}; with `./vitest` as a setup file, after the test
 * file. Throws `testing-stack-missing`, and whatever `app.synth()` throws.
 */
export function synthStack(
  build: (app: App) => TerraformStack,
  options: SynthStackOptions = {},
): SynthesizedStack {
  checkGiven("synthStack()", method, build, "build");
  checkGiven("synthStack()", SYNTH_STACK_OPTIONS, options, "options");
  const outdir = mkdtempSync(join(tmpdir(), "workload-identity-"));
  removeAtExit(outdir);
  let built = false;
  try {
    const app = new App({
      outdir,
      stackTraces: false,
      context: { [PROOF_CONTEXT]: false, ...options.context },
    });
    const stack = build(app);
    if (stack.node.root !== app)
      fail("testing-foreign", {
        problem: "the stack that was built is not of the app that it was given",
        value: stack.node.path,
        allowed: "a TerraformStack whose root is that app",
        remedy: 'build it below the app: synthStack((app) => new MyStack(app, "prod"))',
      });
    app.synth();
    const { workingDirectory } = app.manifest.forStack(stack);
    built = true;
    return new SynthesizedStack(stack.node.id, outdir, join(outdir, workingDirectory), options.cluster ?? {});
  } finally {
    if (!built) forget(outdir);
  }
}
