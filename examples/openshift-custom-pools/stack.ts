import { AwsProvider } from "@cdktf/provider-aws/lib/provider/index.js";
import { TerraformStack } from "cdktf";
import { ecr, pullRoles } from "cdktf-workload-identity/aws";
import { CrioCredentialProviderConfig, openShift } from "cdktf-workload-identity/openshift";
import { ImagePulls, Manifests } from "cdktf-workload-identity/synth";
import type { Construct } from "constructs";

const account = "111122223333";
const region = "eu-west-1";
const version = "4.23";
const platform = "aws";

/** Registries whose images come from a mirror on another host. */
const mirrored = ["registry.redhat.io"];

/** OpenShift 4.23 on AWS with a pool of its own for infrastructure, and a mirror with secrets of the namespace. */
export class ProdPools extends TerraformStack {
  constructor(scope: Construct, id: string) {
    super(scope, id);
    new AwsProvider(this, "aws", { region, allowedAccountIds: [account] });

    new ImagePulls(this, "pulls", {
      cluster: openShift({
        name: "prod-pools",
        version,
        platform,
        issuer: "https://d111111abcdef8.cloudfront.net",
        // A custom pool takes worker's MachineConfigs too, and its own win.
        pools: ["worker", "infra"],
        // The file replaces the operator's, with the entry that it writes for CRIOCredentialProviderConfig.
        crioCredentialProvider: { matchImages: mirrored },
      }),
      identities: [pullRoles({ account, region })],
      pulls: [
        { serviceAccount: "shop/web", from: ecr({ account, region, repositories: ["shop/web"] }) },
        { serviceAccount: "router/ingress", from: ecr({ account, region, repositories: ["infra/*"] }) },
      ],
    });

    // For the pools whose file is the operator's own, and for the secrets.
    const chart = Manifests.of(this).chart("mirror-credentials", { order: 45 });
    new CrioCredentialProviderConfig(chart, "mirrors", {
      version,
      platform,
      matchImages: mirrored,
      serviceAccounts: ["router/ingress"],
    });
  }
}
