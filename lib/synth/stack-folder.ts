import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { STACK_FILE } from "../explain/read/input-files";
import { WORKLOAD_IDENTITY_FILE } from "../artefact/workload-identity-file";

/** What a synth owns in a stack's folder besides Terraform's own. */
const OWNED: readonly string[] = ["manifests", "nodes", "pods", "spokes", WORKLOAD_IDENTITY_FILE];

/** Replaces what an earlier synth wrote into the stack's folder by these files; paths are relative with `/`. */
export function writeStackFolder(folder: string, files: ReadonlyMap<string, string>): void {
  for (const name of OWNED) rmSync(join(folder, name), { recursive: true, force: true });
  for (const [name, text] of files) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
}

/** Takes away what a synth wrote into the stack's folder; Terraform's own files there stay. */
export function removeStackFolder(folder: string): void {
  for (const name of [...OWNED, STACK_FILE]) rmSync(join(folder, name), { recursive: true, force: true });
}
