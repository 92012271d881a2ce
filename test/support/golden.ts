/*
 * Committed files below `__snapshots__/examples`, one for each example, which only `npm run test:update` writes.
 */

import { readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect } from "vitest";
import { compact } from "./compact";
import { type Json, inside, record } from "./json";
import { writtenStacks } from "./synth-output";

const GOLDEN = resolve(__dirname, "../__snapshots__/examples");

/** The names of the examples that have a committed file. */
export const committed = (): readonly string[] => readdirSync(GOLDEN).map((file) => file.replace(".txt", ""));

/** The files of each stack in a form that is short, and that no machine, folder or release of a Terraform provider changes. */
export function comparable(outdir: string): Record<string, string> {
  const stacks = writtenStacks(outdir);
  return Object.fromEntries(
    stacks.flatMap(({ name, files }) =>
      [...files].map(([path, text]) => [`${name}/${path}`, stable(path, text)]),
    ),
  );
}

function stable(path: string, text: string): string {
  if (!path.endsWith(".json")) return text;
  const json = JSON.parse(text) as Json;
  return `${compact(path === "cdk.tf.json" ? stableTerraform(json) : json)}\n`;
}

/** Without what cdktf notes for itself, and without the versions of providers. */
function stableTerraform({ terraform, ...blocks }: Json): unknown {
  const providers = Object.keys(record(inside(terraform, "required_providers"))).sort();
  return withoutNotes({ ...blocks, terraform: { required_providers: providers } });
}

function withoutNotes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNotes);
  if (typeof value !== "object" || value === null) return value;
  const rows = Object.entries(value).filter(([key]) => key !== "//");
  return Object.fromEntries(rows.map(([key, each]) => [key, withoutNotes(each)]));
}

/** Compares with the committed file of the example; of a text that stood before, it holds only where. */
export async function compare(example: string, files: Readonly<Record<string, string>>): Promise<void> {
  const places = new Map<string, string>();
  const parts = Object.entries(files).map(([path, text]) => {
    const before = places.get(text);
    places.set(text, before ?? path);
    return `=== ${path}\n${before === undefined ? text : `the same as ${before}\n`}`;
  });
  await expect(parts.join("\n"), example).toMatchFileSnapshot(join(GOLDEN, `${example}.txt`));
}
