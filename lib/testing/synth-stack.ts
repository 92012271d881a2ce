import { App, TerraformStack } from "cdktf";
import { mkdtempSync, existsSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fail } from "../errors";
import type { ClusterRecord } from "../explain/read/cluster-record";
import { PROOF_CONTEXT } from "../model/proof-context";
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
import { jsonObject } from "../artefact/parsed-documents";
import {
  type WorkloadIdentityFile,
  WORKLOAD_IDENTITY_FILE,
  readWorkloadIdentity,
} from "../artefact/workload-identity-file";
import { Explainer } from "../explain/explainer";
import type { PullResult } from "../explain/pull-result";
import { objectsInResources } from "../explain/read/delivered";
import { documentsIn, invalidFile } from "../explain/read/documents";
import { STACK_FILE } from "../explain/read/input-files";
import type { PullSelection } from "../explain/selections";

/** How a stack is synthesized for a test. */
export interface SynthStackOptions {
  /**
   * Context of the app, as in `cdktf.json`.
   *
   * @defaultValue - `cdktf-workload-identity/proof` is `false`, so that a test can expect a denial; with `true`, a
   * declared pull that would be denied throws as in `app.synth()`
   */
  readonly context?: Readonly<Record<string, unknown>>;
  /**
   * Facts of the cluster that no artefact shows; they win over what the stack records.
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
 * Synthesizes a stack into a temporary folder and returns a handle to what was written.
 *
 * `build` creates the stack in the app that it receives, and may create others that the stack needs. The folder is
 * removed when the process ends, or earlier by {@link SynthesizedStack.remove}; with `./vitest` as a setup file, after
 * the test file.
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
        problem: "the stack that was built does not belong to the app that `build` received",
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

/** A synthesized stack, as `synthStack` returns it. Everything is read from files, nothing from constructs. */
export class SynthesizedStack {
  /** Id of the stack. */
  readonly name: string;
  /** The synth output folder that holds the stack. */
  readonly outdir: string;
  /** The stack's own folder, which holds `cdk.tf.json`. */
  readonly dir: string;
  readonly #cluster: ClusterRecord;
  #explainer: Explainer | undefined;

  constructor(name: string, outdir: string, dir: string, cluster: ClusterRecord) {
    this.name = name;
    this.outdir = outdir;
    this.dir = dir;
    this.#cluster = cluster;
  }

  /** The Terraform configuration, parsed. */
  get terraform(): Readonly<Record<string, unknown>> {
    const path = join(this.dir, STACK_FILE);
    return jsonObject(this.text(STACK_FILE), (reason) => invalidFile(path, 1, reason));
  }

  /**
   * The Kubernetes objects, parsed: those in files in the order in which they are applied, then those in resources of
   * this stack and of the stack that delivers them, by address. Late values are placeholders.
   */
  get manifests(): readonly unknown[] {
    const { manifests = [], delivery } = this.identity ?? {};
    const files = manifests.flatMap(({ file }) =>
      documentsIn(this.text(file), join(this.dir, file)).map(({ value }) => value),
    );
    const folders = [this.dir, ...(delivery ? [join(dirname(this.dir), delivery.stack)] : [])];
    return [...files, ...folders.flatMap(objectsInResources)];
  }

  /** `workload-identity.json`; `undefined` in a stack without manifests. */
  get identity(): WorkloadIdentityFile | undefined {
    const path = join(this.dir, WORKLOAD_IDENTITY_FILE);
    return existsSync(path) ? readWorkloadIdentity(this.text(WORKLOAD_IDENTITY_FILE), path) : undefined;
  }

  /**
   * Paths of the manifests, of the files with node setups and of the files with what pods need, relative to
   * {@link SynthesizedStack.dir}, in their order.
   */
  get manifestFiles(): readonly string[] {
    const { manifests = [], nodes = [], pods = [] } = this.identity ?? {};
    return [...manifests, ...nodes, ...pods].map(({ file }) => file);
  }

  /** The text of a file of the stack. */
  text(file: string): string {
    return readFileSync(join(this.dir, file), "utf8");
  }

  /** What the verifier says about the selected pulls. */
  explain(selection: Omit<PullSelection, "stack"> = {}): readonly PullResult[] {
    if (this.identity === undefined)
      fail("testing-missing", {
        problem: "the stack has no Kubernetes manifests, so nothing can be said about a pull",
        value: this.name,
        allowed: "a stack with ImagePulls or Manifests of the /synth subpath",
        remedy: "synthesize the stack that holds the cluster",
      });
    return [...this.explainer.pulls({ ...selection, stack: this.name })];
  }

  /** The verifier, which has read the whole app. */
  get explainer(): Explainer {
    return (this.#explainer ??= Explainer.read([this.outdir], { cluster: this.#cluster }));
  }

  /** Removes the folder; afterwards only {@link SynthesizedStack.name} and the paths can be used. */
  remove(): void {
    forget(this.outdir);
  }
}

/*
 * Folders of one test process. They are removed when it ends, however many tests failed.
 */

const folders = new Set<string>();
let registered = false;

/** Removes the folder when the process ends, unless that happened before. */
export function removeAtExit(folder: string): void {
  folders.add(folder);
  if (registered) return;
  registered = true;
  process.once("exit", removeSynthesized);
}

export function forget(folder: string): void {
  folders.delete(folder);
  rmSync(folder, { recursive: true, force: true });
}

/** Removes the folders of all stacks that were synthesized so far; their handles can be used no more. */
export function removeSynthesized(): void {
  for (const folder of folders) forget(folder);
}
