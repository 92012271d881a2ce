import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { jsonObject } from "../artefact/json-object";
import {
  WORKLOAD_IDENTITY_FILE,
  type WorkloadIdentityFile,
  readWorkloadIdentity,
} from "../artefact/workload-identity-file";
import { fail } from "../errors";
import { Explainer, type PullResult } from "../explain/explainer";
import type { ClusterRecord } from "../explain/read/cluster-record";
import { documentsIn, invalidFile } from "../explain/read/documents";
import { STACK_FILE } from "../explain/read/input-files";
import type { PullSelection } from "../explain/selections";
import { forget } from "./temporary-folders";

/** A stack as it was written; what `synthStack` returns. Everything is read from the files, nothing from constructs. */
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

  /** The Kubernetes objects in the order in which they are applied, parsed; late values are placeholders. */
  get manifests(): readonly unknown[] {
    return (this.identity?.manifests ?? []).flatMap(({ file }) =>
      documentsIn(this.text(file), join(this.dir, file)).map(({ value }) => value),
    );
  }

  /** `workload-identity.json`; `undefined` in a stack without manifests. Throws `bind-invalid`. */
  get identity(): WorkloadIdentityFile | undefined {
    const path = join(this.dir, WORKLOAD_IDENTITY_FILE);
    return existsSync(path) ? readWorkloadIdentity(this.text(WORKLOAD_IDENTITY_FILE), path) : undefined;
  }

  /**
   * Names of the manifests, of the files with node setups and of those with what pods need, below
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

  /** What the verifier says of the selected pulls. */
  explain(selection: Omit<PullSelection, "stack"> = {}): readonly PullResult[] {
    if (this.identity === undefined)
      fail("testing-missing", {
        problem: "the stack has no Kubernetes manifests, so that nothing can be said of a pull",
        value: this.name,
        allowed: "a stack with ImagePulls or Manifests of the /synth subpath",
        remedy: "synthesize the stack that holds the cluster",
      });
    return [...this.explainer.pulls({ ...selection, stack: this.name })];
  }

  /** What the verifier has read of the whole app. */
  get explainer(): Explainer {
    return (this.#explainer ??= Explainer.read([this.outdir], { cluster: this.#cluster }));
  }

  /** Removes the folder; afterwards only {@link SynthesizedStack.name} and the paths are of use. */
  remove(): void {
    forget(this.outdir);
  }
}
