import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DataResource, TerraformOutput, TerraformStack, Testing } from "cdktf";
import { describe, expect, it } from "vitest";
import { conditionPrefixOf } from "../../../lib/cloud/aws/adopted-oidc-provider";
import { Issuer } from "../../../lib/model/issuer";
import { Subject } from "../../../lib/model/subject";
import { evaluateAwsTrust } from "../../../lib/rules/aws/evaluate/evaluate-trust";
import { policyText, terraformText } from "../../../lib/rules/aws/policy-text";
import { trustPolicy } from "../../../lib/rules/aws/trust-policy";
import { ISSUER } from "./synthesized";

const ARN = "arn:aws:iam::111122223333:oidc-provider/oidc.example.com/c1";
const DESCRIPTION = 'quotes "x", ${y}, %{ z }, $5, 5% and ü';
const installed = spawnSync("terraform", ["version"]).status === 0;

/** Provider-free: terraform_data is built into the program, so nothing is downloaded. */
function applied(synthesized: string): Record<string, { value: unknown }> {
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

describe("trust policy of late values", () => {
  it.skipIf(!installed)("is what the terraform program makes the written one of", () => {
    const stack = new TerraformStack(Testing.app(), "prod");
    const late = (id: string, value: string): string =>
      new DataResource(stack, id, { input: { value } }).getStringAttribute("output.value");
    const issuer = Issuer.of(late("issuer", ISSUER));
    const policy = trustPolicy([
      {
        issuer,
        oidcProviderArn: late("arn", ARN),
        conditionPrefix: conditionPrefixOf(issuer),
        audience: "sts.amazonaws.com",
        subjects: [Subject.of("shop/web")],
        subjectPatterns: [],
      },
    ]);
    new TerraformOutput(stack, "policy", { value: policyText(policy) });
    new TerraformOutput(stack, "description", { value: terraformText(DESCRIPTION) });
    const outputs = applied(Testing.synth(stack));
    const claims = { iss: ISSUER, aud: "sts.amazonaws.com", sub: "system:serviceaccount:shop:web" };
    expect(JSON.parse(String(outputs["policy"]?.value))).toMatchObject({
      Statement: [
        {
          Principal: { Federated: ARN },
          Condition: {
            StringEquals: {
              "oidc.example.com/c1:aud": "sts.amazonaws.com",
              "oidc.example.com/c1:sub": "system:serviceaccount:shop:web",
            },
          },
        },
      ],
    });
    const decision = evaluateAwsTrust(outputs["policy"]?.value, { providerArn: ARN, claims });
    expect(decision.outcome).toBe("allowed");
    expect(outputs["description"]?.value).toBe(DESCRIPTION);
  });
});
