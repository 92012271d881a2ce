import { AwsProvider } from "@cdktf/provider-aws/lib/provider/index.js";
import { TerraformStack } from "cdktf";
import { IssuerBucket, componentRoles } from "cdktf-workload-identity/aws";
import { credentialsRequests } from "cdktf-workload-identity/openshift";
import { PlatformComponents } from "cdktf-workload-identity/synth";
import type { Construct } from "constructs";
import { readFileSync } from "node:fs";

const folder = "examples/openshift-manual-aws";
const [account, region] = ["111122223333", "eu-west-1"];

/** OpenShift 4.22 on AWS in manual mode: issuer behind CloudFront, one IAM role per component. */
export class ProdOnAws extends TerraformStack {
  constructor(scope: Construct, id: string) {
    super(scope, id);
    new AwsProvider(this, "aws", { region, allowedAccountIds: [account] });

    const issuer = new IssuerBucket(this, "issuer", {
      bucketName: "acme-prod-aws-issuer",
      region,
      keys: [{ publicKey: readFileSync(`${folder}/issuer-key.pub`, "utf8"), use: "current" }],
    });

    new PlatformComponents(this, "components", {
      clusterName: "prod-aws",
      issuer,
      requests: credentialsRequests(`${folder}/credentials-requests`, { cloud: "aws", featureGates: [] }),
      identities: componentRoles({ account, region }),
    });
  }
}
