/* Runs what `adopt` printed, as it is. */

import { App, TerraformStack } from "cdktf";
import { AwsProvider } from "@cdktf/provider-aws/lib/provider/index.js";
import { AzurermProvider } from "@cdktf/provider-azurerm/lib/provider/index.js";
import { GoogleProvider } from "@cdktf/provider-google/lib/provider/index.js";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as aws from "../../lib/cloud/aws";
import * as azure from "../../lib/cloud/azure";
import * as google from "../../lib/cloud/google";
import * as openshift from "../../lib/openshift";
import * as synth from "../../lib/synth";
import { transpiled } from "../support/compile";
import type { CodeBlock } from "../support/markdown";

const MODULES: Readonly<Record<string, unknown>> = {
  "cdktf-workload-identity/aws": aws,
  "cdktf-workload-identity/azure": azure,
  "cdktf-workload-identity/google": google,
  "cdktf-workload-identity/openshift": openshift,
  "cdktf-workload-identity/synth": synth,
};

/** The printed program as a block that the compiler takes. */
export function block(code: string): CodeBlock {
  return { file: "adopted.ts", line: 1, language: "ts", from: undefined, code };
}

/** What the program's one stack contains. */
export interface Synthesized {
  readonly resource: Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, unknown>>>>>>;
  readonly import?: readonly { readonly to: string; readonly id: string }[];
}

/** Synthesizes a function of the program into `cdktf.out` of the folder that holds its input. */
export function synthesize(program: string, name: string, folder: string): Synthesized {
  const exports: Record<string, (stack: TerraformStack) => void> = {};
  const readIn = (path: string): string => readFileSync(join(folder, path), "utf8");
  const requireIt = (module: string): unknown => MODULES[module] ?? { readFileSync: readIn };
  new Function("exports", "require", transpiled(block(program)))(exports, requireIt);
  const app = new App({ outdir: join(folder, "cdktf.out"), stackTraces: false });
  const stack = new TerraformStack(app, "prod");
  new AwsProvider(stack, "aws", { region: "us-east-2" });
  new AzurermProvider(stack, "azurerm", { features: [{}], storageUseAzuread: true });
  new GoogleProvider(stack, "google");
  exports[name]?.(stack);
  app.synth();
  return JSON.parse(readIn("cdktf.out/stacks/prod/cdk.tf.json")) as Synthesized;
}

/** Type and id of each import block. */
export function importsOf({ import: blocks = [] }: Synthesized): readonly string[] {
  return blocks.map(({ to, id }) => `${to.split(".")[0]} ${id}`).sort();
}
