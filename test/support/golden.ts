/*
 * Committed files below `__snapshots__/examples`, which only `npm run test:update` writes.
 */

import { existsSync, readdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect } from "vitest";
import { type Json, inside, record } from "./json";
import { writtenStacks } from "./synth-output";

const GOLDEN = resolve(__dirname, "../__snapshots__/examples");

/** The files of a stack in a form that no machine, folder or release of a Terraform provider changes. */
export function comparable(outdir: string): Record<string, string> {
  const stacks = writtenStacks(outdir);
  return Object.fromEntries(
    stacks.flatMap(({ name, files }) =>
      [...files].map(([path, text]) => [
        `${name}/${path}`,
        path === "cdk.tf.json" ? stableTerraform(text) : text,
      ]),
    ),
  );
}

function stableTerraform(text: string): string {
  const { "//": _, terraform, ...blocks } = JSON.parse(text) as Json;
  const providers = Object.keys(record(inside(terraform, "required_providers"))).sort();
  return `${JSON.stringify({ ...blocks, terraform: { required_providers: providers } }, null, 2)}\n`;
}

/** Compares with the committed files, and refuses committed files that are no longer written. */
export async function compare(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files))
    await expect(text, `${folder}/${path}`).toMatchFileSnapshot(join(GOLDEN, folder, path));
  const root = join(GOLDEN, folder);
  const committed = existsSync(root) ? readdirSync(root, { recursive: true, encoding: "utf8" }) : [];
  const stale = committed.filter((path) => statSync(join(root, path)).isFile() && !(path in files));
  expect(stale).toEqual([]);
}
