/*
 * From what the command lines print of clusters that ccoctl made to a program, and from the program to the import
 * blocks of a synth: each names an object that exists, and all that exists is named.
 */

import { App, TerraformStack } from "cdktf";
import { AwsProvider } from "@cdktf/provider-aws/lib/provider/index.js";
import { AzurermProvider } from "@cdktf/provider-azurerm/lib/provider/index.js";
import { GoogleProvider } from "@cdktf/provider-google/lib/provider/index.js";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import * as aws from "../../lib/cloud/aws";
import * as azure from "../../lib/cloud/azure";
import * as google from "../../lib/cloud/google";
import * as openshift from "../../lib/openshift";
import * as synth from "../../lib/synth";
import { compileErrors, transpiled } from "../support/compile";
import type { CodeBlock } from "../support/markdown";
import type { RequestCloud } from "../support/credentials-requests";
import { type Adopted, type Answers, adopt, awsAnswers, azureAnswers, googleAnswers } from "./answers";

const MODULES: Readonly<Record<string, unknown>> = {
  "cdktf-workload-identity/aws": aws,
  "cdktf-workload-identity/azure": azure,
  "cdktf-workload-identity/google": google,
  "cdktf-workload-identity/openshift": openshift,
  "cdktf-workload-identity/synth": synth,
};

const block = (code: string): CodeBlock => ({
  file: "adopted.ts",
  line: 1,
  language: "ts",
  from: undefined,
  code,
});

/** Runs the printed program as it is, beside the public key, and returns type and id of each import block. */
function imported({ out, folder }: Adopted): readonly string[] {
  const code = transpiled(block(out));
  const exports: Record<string, (stack: TerraformStack) => void> = {};
  const requireIt = (name: string): unknown =>
    MODULES[name] ?? {
      readFileSync: (path: string) => readFileSync(join(folder, path), "utf8"),
    };
  new Function("exports", "require", code)(exports, requireIt);
  const app = new App({ outdir: join(folder, "cdktf.out"), stackTraces: false });
  const stack = new TerraformStack(app, "prod");
  new AwsProvider(stack, "aws", { region: "us-east-2" });
  new AzurermProvider(stack, "azurerm", { features: [{}], storageUseAzuread: true });
  new GoogleProvider(stack, "google");
  exports["adoptMycluster"]?.(stack);
  app.synth();
  const written = JSON.parse(readFileSync(join(folder, "cdktf.out/stacks/prod/cdk.tf.json"), "utf8")) as {
    import: readonly { to: string; id: string }[];
  };
  return written.import.map(({ to, id }) => `${to.split(".")[0]} ${id}`).sort();
}

const CASES: readonly (readonly [string, RequestCloud, () => Answers])[] = [
  ["AWS, public bucket", "aws", () => awsAnswers("public")],
  ["AWS, private bucket behind CloudFront", "aws", () => awsAnswers("private")],
  ["Azure", "azure", azureAnswers],
  ["Google Cloud", "google", googleAnswers],
];

describe.each(CASES)("%s", (_, cloud, answers) => {
  it("is taken over whole by the printed program", async () => {
    const result = await adopt(cloud, answers());
    expect([result.code, result.err]).toEqual([0, ""]);
    const json = JSON.parse((await adopt(cloud, answers(), "--format", "json")).out) as {
      clusters: { imports: { type: string; id: string }[]; missing: unknown[] }[];
    };
    const [cluster] = json.clusters;
    expect(imported(result)).toEqual(cluster?.imports.map(({ type, id }) => `${type} ${id}`).sort());
  });

  it("prints the same for the same answers", async () => {
    for (const format of ["typescript", "json", "imports"]) {
      const [first, second] = [
        await adopt(cloud, answers(), "--format", format),
        await adopt(cloud, answers(), "--format", format),
      ];
      expect(second.out.replaceAll(second.folder, "")).toBe(first.out.replaceAll(first.folder, ""));
    }
  });
});

it("prints programs that compile in a strict project", async () => {
  const programs = await Promise.all(
    CASES.map(async ([, cloud, answers]) => (await adopt(cloud, answers())).out),
  );
  expect(compileErrors(programs.map(block))).toEqual([]);
});
