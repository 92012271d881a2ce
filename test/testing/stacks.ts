import { AwsProvider } from "@cdktf/provider-aws/lib/provider/index.js";
import { IamRole } from "@cdktf/provider-aws/lib/iam-role/index.js";
import { type App, TerraformStack } from "cdktf";
import { AroHcp } from "../../examples/aro-hcp/stack";
import { ProdEu } from "../../examples/openshift-aws/stack";
import { ProdOnAws } from "../../examples/openshift-manual-aws/stack";
import { ThreeClouds } from "../../examples/three-clouds/stack";
import { type SynthesizedStack, synthStack } from "../../lib/testing";

/** The examples; each call synthesizes. */
export const aroHcp = (): SynthesizedStack => synthStack((app) => new AroHcp(app, "aro-hcp"));
export const prodEu = (): SynthesizedStack => synthStack((app) => new ProdEu(app, "prod-eu"));
export const threeClouds = (): SynthesizedStack => synthStack((app) => new ThreeClouds(app, "edge-1"));

/** An issuer whose host CloudFront chooses, and identities of its cluster. */
export const lateIssuer = (): SynthesizedStack => synthStack((app) => new ProdOnAws(app, "prod-aws"));

/** A stack with nothing but a provider. */
export function emptyStack(app: App): TerraformStack {
  const stack = new TerraformStack(app, "empty");
  new AwsProvider(stack, "aws", { region: "eu-west-1", allowedAccountIds: ["111122223333"] });
  return stack;
}

/** A stack with one role of this trust policy, and no OIDC provider. */
export function roleStack(statement: object): SynthesizedStack {
  return synthStack((app) => {
    const stack = emptyStack(app);
    new IamRole(stack, "role", {
      name: "by-hand",
      assumeRolePolicy: JSON.stringify({ Version: "2012-10-17", Statement: [statement] }),
    });
    return stack;
  });
}
