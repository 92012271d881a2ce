import { AwsProvider } from "@cdktf/provider-aws/lib/provider/index.js";
import { TerraformStack } from "cdktf";
import { ecr, pullRoles } from "cdktf-workload-identity/aws";
import { kubernetes, talos } from "cdktf-workload-identity/node";
import { ImagePulls } from "cdktf-workload-identity/synth";
import type { Construct } from "constructs";

/** Talos Linux on own hardware: a patch of the machine configuration, and the plugin as a system extension. */
export class Metal extends TerraformStack {
  constructor(scope: Construct, id: string) {
    super(scope, id);
    new AwsProvider(this, "aws", { region: "eu-west-1", allowedAccountIds: ["111122223333"] });

    new ImagePulls(this, "pulls", {
      cluster: kubernetes({
        name: "metal",
        version: "1.35",
        issuer: "https://oidc.metal.example.com",
        plugins: { ecr: "1.35.0" },
        carriers: [talos({ version: "1.12" })],
      }),
      identities: [pullRoles({ account: "111122223333", region: "eu-west-1" })],
      pulls: [
        {
          serviceAccount: "shop/web",
          from: ecr({ account: "111122223333", region: "eu-west-1", repositories: ["shop/web"] }),
        },
      ],
    });
  }
}
