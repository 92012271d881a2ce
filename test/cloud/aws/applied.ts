import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../../fixtures/synth/stack-fixture";
import { runTerraform } from "../../support/terraform-program";

/** Provider-free: terraform_data is built into the program, so nothing is downloaded. */
export function applyConfiguration(synthesized: string): Record<string, { value: unknown }> {
  const folder = temporaryFolder();
  const configuration = JSON.parse(synthesized) as { readonly terraform?: { backend?: unknown } };
  // cdktf's own, of a stack that was synthesized before, keeps the state where the tests were started.
  delete configuration.terraform?.backend;
  writeFileSync(join(folder, "main.tf.json"), JSON.stringify(configuration));
  runTerraform(folder, "init", "-input=false");
  runTerraform(folder, "apply", "-auto-approve", "-input=false");
  return JSON.parse(runTerraform(folder, "output", "-json")) as Record<string, { value: unknown }>;
}
