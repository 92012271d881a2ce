import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";

/** Provider-free: terraform_data is built into the program, so nothing is downloaded. */
export function applyConfiguration(synthesized: string): Record<string, { value: unknown }> {
  const folder = mkdtempSync(join(tmpdir(), "cdktf-workload-identity-"));
  const terraform = (...args: string[]): string => {
    const { status, stdout, stderr } = spawnSync("terraform", args, { cwd: folder, encoding: "utf8" });
    expect(status, stderr).toBe(0);
    return stdout;
  };
  try {
    writeFileSync(join(folder, "main.tf.json"), synthesized);
    terraform("init", "-input=false");
    terraform("apply", "-auto-approve", "-input=false");
    return JSON.parse(terraform("output", "-json")) as Record<string, { value: unknown }>;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
