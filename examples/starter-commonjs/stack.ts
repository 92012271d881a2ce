import { AwsProvider } from "@cdktf/provider-aws/lib/provider/index.js";
import { TerraformStack } from "cdktf";
import { ecr, pullRoles } from "cdktf-workload-identity/aws";
import { openShift } from "cdktf-workload-identity/openshift";
import { ImagePulls } from "cdktf-workload-identity/synth";
import type { Construct } from "constructs";

const [account, region] = ["111122223333", "eu-west-1"];

/** One cluster, and who pulls what: each service account as a role of its own. */
export class ProdEu extends TerraformStack {
  constructor(scope: Construct, id: string) {
    super(scope, id);
    // Refuses to deploy into another account by mistake.
    new AwsProvider(this, "aws", { region, allowedAccountIds: [account] });

    new ImagePulls(this, "pulls", {
      cluster: openShift({
        name: "prod-eu",
        version: "4.22",
        platform: "aws",
        // oc get authentication cluster -o jsonpath='{.spec.serviceAccountIssuer}'
        issuer: "https://d111111abcdef8.cloudfront.net",
        pools: ["worker"],
      }),
      identities: [pullRoles({ account, region })],
      pulls: [
        { serviceAccount: "shop/web", from: ecr({ account, region, repositories: ["shop/web", "base/*"] }) },
        { serviceAccount: "shop/jobs", from: ecr({ account, region, repositories: ["shop/jobs"] }) },
      ],
    });
  }
}
