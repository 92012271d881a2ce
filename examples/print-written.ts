import { readdirSync, statSync } from "node:fs";
import { join, relative } from "node:path";

/** Prints what a synth wrote and where. */
export function printWritten(outdir: string): void {
  const files = readdirSync(outdir, { recursive: true, encoding: "utf8" })
    .filter((path) => statSync(join(outdir, path)).isFile())
    .sort();
  console.log(`wrote to ${relative(process.cwd(), outdir) || "."}:`);
  for (const path of files) console.log(`  ${path} (${statSync(join(outdir, path)).size} bytes)`);
}
