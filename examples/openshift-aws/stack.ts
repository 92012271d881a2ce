import { AwsProvider } from "@cdktf/provider-aws/lib/provider/index.js";
import { TerraformStack } from "cdktf";
import { ecr, pullRoles } from "cdktf-workload-identity/aws";
import { openShift } from "cdktf-workload-identity/openshift";
import { ImagePulls } from "cdktf-workload-identity/synth";
import type { Construct } from "constructs";

/** OpenShift 4.22 on AWS: two namespaces pull from ECR in two accounts, each as a role of its own. */
export class ProdEu extends TerraformStack {
  constructor(scope: Construct, id: string) {
    super(scope, id);
    new AwsProvider(this, "aws", { region: "eu-west-1", allowedAccountIds: ["111122223333"] });
    // The account that owns the batch images; its repository policy must admit the role of the other account.
    const batch = new AwsProvider(this, "aws-batch", {
      alias: "batch",
      region: "eu-west-1",
      allowedAccountIds: ["444455556666"],
    });

    new ImagePulls(this, "pulls", {
      cluster: openShift({
        name: "prod-eu",
        version: "4.22",
        platform: "aws",
        issuer: "https://d111111abcdef8.cloudfront.net",
        pools: ["worker"],
      }),
      identities: [pullRoles({ account: "111122223333", region: "eu-west-1" })],
      pulls: [
        {
          serviceAccount: "shop/web",
          from: ecr({ account: "111122223333", region: "eu-west-1", repositories: ["shop/web", "base/*"] }),
        },
        {
          serviceAccount: "batch/jobs",
          from: ecr({
            account: "444455556666",
            region: "eu-west-1",
            repositories: ["batch/runner"],
            ownerPolicy: { provider: batch },
          }),
        },
      ],
    });
  }
}
