import { spawnSync } from "node:child_process";
import { DataResource, TerraformOutput, TerraformStack, Testing } from "cdktf";
import { describe, expect, it } from "vitest";
import { conditionPrefixOf } from "../../../lib/cloud/aws/adopted";
import { Issuer } from "../../../lib/model/issuer";
import { Subject } from "../../../lib/model/subject";
import { evaluateAwsTrust } from "../../../lib/rules/aws/policy/trust";
import { policyText } from "../../../lib/rules/aws/policy-document";
import { trustPolicy } from "../../../lib/rules/aws/trust";
import { terraformText } from "../../../lib/rules/terraform-text";
import { applyConfiguration } from "./applied";
import { ISSUER } from "./synthesized";

const ARN = "arn:aws:iam::111122223333:oidc-provider/oidc.example.com/c1";
const HOST = ISSUER.slice("https://".length);
const DESCRIPTION = 'quotes "x", ${y}, %{ z }, $5, 5% and ü';
const installed = spawnSync("terraform", ["version"]).status === 0;

type Late = (id: string, value: string) => string;

describe("trust policy of late values", () => {
  it.skipIf(!installed).each([
    ["an issuer of which the host is late", (late: Late) => `https://${late("issuer", HOST)}`],
    ["an issuer that is late as a whole", (late: Late) => late("issuer", ISSUER)],
  ])("of %s is what the terraform program makes the written one of", (_, url) => {
    const stack = new TerraformStack(Testing.app(), "prod");
    const late: Late = (id, value) =>
      new DataResource(stack, id, { input: { value } }).getStringAttribute("output.value");
    const issuer = Issuer.of(url(late));
    const policy = trustPolicy([
      {
        issuer,
        oidcProviderArn: late("arn", ARN),
        conditionPrefix: conditionPrefixOf(stack, issuer),
        audience: "sts.amazonaws.com",
        subjects: [Subject.of("shop/web")],
        subjectPatterns: [],
      },
    ]);
    new TerraformOutput(stack, "policy", { value: policyText(policy) });
    new TerraformOutput(stack, "description", { value: terraformText(DESCRIPTION) });
    const outputs = applyConfiguration(Testing.synth(stack));
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

describe("import blocks", () => {
  it.skipIf(!installed)("are read by the terraform program as they are written", () => {
    const stack = new TerraformStack(Testing.app(), "prod");
    const existing = new DataResource(stack, "existing", {});
    existing.importFrom("mycluster-role:mycluster-role");
    new TerraformOutput(stack, "id", { value: existing.id });
    expect(applyConfiguration(Testing.synth(stack))["id"]?.value).toBe("mycluster-role:mycluster-role");
  });
});
