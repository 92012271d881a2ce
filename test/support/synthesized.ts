import { App } from "cdktf";
import type { Construct } from "constructs";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";

const made: string[] = [];

/** A new folder that is gone after the test file. */
export function temporaryFolder(): string {
  const path = mkdtempSync(join(tmpdir(), "workload-identity-"));
  made.push(path);
  return path;
}

afterAll(() => {
  for (const path of made) rmSync(path, { recursive: true, force: true });
});

/** Synthesizes what `build` puts into an app, and returns the output folder. */
export function synthesized(build: (app: Construct) => void): string {
  const app = new App({ stackTraces: false, outdir: temporaryFolder() });
  build(app);
  app.synth();
  return app.outdir;
}
