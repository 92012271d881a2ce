/* Runs programs of Markdown files in this process, with the package's own names answered from the sources. */

import { createRequire } from "node:module";
import { join } from "node:path";
import { temporaryFolder } from "../fixtures/synth/stack-fixture";
import { packagePaths, transpiled } from "./compile";
import { type CodeBlock, ROOT } from "./markdown";

/** Runs a block that calls `app.synth()`, and returns the output folder. */
export async function runBlock(block: CodeBlock): Promise<string> {
  const own = new Map<string, unknown>();
  for (const [name, [path = ""]] of Object.entries(packagePaths()))
    if (block.code.includes(`"${name}"`)) own.set(name, await import(path));
  const outside = createRequire(join(ROOT, "README.md"));
  const require = (name: string): unknown => own.get(name) ?? outside(name);
  const outdir = temporaryFolder();
  const before = process.env["CDKTF_OUTDIR"];
  process.env["CDKTF_OUTDIR"] = outdir;
  try {
    new Function("require", "exports", transpiled(block))(require, {});
  } finally {
    if (before === undefined) delete process.env["CDKTF_OUTDIR"];
    else process.env["CDKTF_OUTDIR"] = before;
  }
  return outdir;
}
