/*
 * Reads what a synth wrote as its user would: plain files, finished by `bind` with made-up outputs.
 */

import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bind } from "../../lib/synth/bind/bind-folder";
import { type Json, list, record, text } from "./json";
import { madeUpOutputs } from "./terraform";

/** One stack as it was written. */
export interface WrittenStack {
  readonly name: string;
  /** Texts by path below the stack's folder. */
  readonly files: ReadonlyMap<string, string>;
  readonly terraform: Json;
  readonly identity: Json;
  readonly warnings: readonly string[];
}

/** The stacks of a synth folder; those without a record have nothing but Terraform's configuration. */
export function writtenStacks(outdir: string): readonly WrittenStack[] {
  const manifest = JSON.parse(readFileSync(join(outdir, "manifest.json"), "utf8")) as Json;
  return Object.values(record(manifest["stacks"])).map((entry) => {
    const folder = join(outdir, text(record(entry)["workingDirectory"]));
    const read = (name: string): string => readFileSync(join(folder, name), "utf8");
    const records = ["workload-identity.json"].filter((name) => existsSync(join(folder, name)));
    const identity = records.map((name) => JSON.parse(read(name)) as Json)[0] ?? {};
    const lists = ["manifests", "nodes", "controlPlane", "pods", "registries"].flatMap((key) =>
      list(identity[key]),
    );
    const listed = lists.map((file) => text(record(file)["file"]));
    return {
      name: text(record(entry)["name"]),
      files: new Map(["cdk.tf.json", ...records, ...listed].map((name) => [name, read(name)] as const)),
      terraform: JSON.parse(read("cdk.tf.json")) as Json,
      identity,
      warnings: list(record(entry)["annotations"])
        .map(record)
        .filter(({ level }) => level === "@cdktf/warn")
        .map(({ message }) => text(message)),
    };
  });
}

/** Texts of the manifests and node files, by path, once the stack was applied and bound. */
export function boundFiles(
  outdir: string,
  { name, files, terraform }: WrittenStack,
): ReadonlyMap<string, string> {
  const target = mkdtempSync(join(tmpdir(), "workload-identity-bound-"));
  try {
    const file = join(target, "outputs.json");
    writeFileSync(file, JSON.stringify(madeUpOutputs(terraform)));
    bind({ outputs: file, to: join(target, "to"), from: join(outdir, "stacks", name) });
    const finished = [...files.keys()].filter((path) => path.endsWith(".yaml") || path.startsWith("nodes/"));
    return new Map(
      finished.map((path) => [path, readFileSync(join(target, "to", name, path), "utf8")] as const),
    );
  } finally {
    rmSync(target, { recursive: true, force: true });
  }
}
