import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { STACK_FILE } from "../explain/read/input-files";
import { WORKLOAD_IDENTITY_FILE } from "../artefact/workload-identity-file";

/** What this library owns in a stack's folder. */
const OWNED: readonly string[] = [
  "manifests",
  "nodes",
  "control-plane",
  "pods",
  "registries",
  "spokes",
  WORKLOAD_IDENTITY_FILE,
];

/** Replaces the files of an earlier synth in the stack's folder with these; paths are relative, with `/`. */
export function writeStackFolder(folder: string, files: ReadonlyMap<string, string>): void {
  for (const name of OWNED) rmSync(join(folder, name), { recursive: true, force: true });
  for (const [name, text] of files) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
}

/** Removes this library's files from the stack's folder; Terraform's files stay. */
export function removeStackFolder(folder: string): void {
  for (const name of [...OWNED, STACK_FILE]) rmSync(join(folder, name), { recursive: true, force: true });
}
