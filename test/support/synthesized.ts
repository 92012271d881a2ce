import { App } from "cdktf";
import type { Construct } from "constructs";
import { temporaryFolder } from "../fixtures/synth/stack-fixture";

/** Synthesizes what `build` puts into an app, and returns the output folder. */
export function synthesized(build: (app: Construct) => void): string {
  const app = new App({ stackTraces: false, outdir: temporaryFolder() });
  build(app);
  app.synth();
  return app.outdir;
}
