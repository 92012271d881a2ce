import { AwsProvider } from "@cdktf/provider-aws/lib/provider/index.js";
import { AzurermProvider } from "@cdktf/provider-azurerm/lib/provider/index.js";
import { KubernetesProvider } from "@cdktf/provider-kubernetes/lib/provider/index.js";
import { S3Backend, TerraformStack } from "cdktf";
import { ecr, pullRoles } from "cdktf-workload-identity/aws";
import { acr, pullIdentities } from "cdktf-workload-identity/azure";
import { KubernetesManifests } from "cdktf-workload-identity/delivery";
import { openShift } from "cdktf-workload-identity/openshift";
import { ImagePulls } from "cdktf-workload-identity/synth";
import { Construct } from "constructs";

const subscription = "0b1f6471-1bf0-4dda-aec3-cb9272f09590";

/** OpenShift on AWS that pulls from ECR and ACR: one stack for the clouds, and one for the cluster's objects. */
export class OneDeploy extends Construct {
  constructor(scope: Construct, id: string) {
    super(scope, id);
    const clouds = new Clouds(this, id);
    new Objects(this, `${id}-objects`, clouds);
  }
}

/** What the clouds must know of the cluster and its service accounts. */
class Clouds extends TerraformStack {
  constructor(scope: Construct, id: string) {
    super(scope, id);
    new S3Backend(this, state(id));
    new AwsProvider(this, "aws", { region: "eu-west-1", allowedAccountIds: ["111122223333"] });
    new AzurermProvider(this, "azurerm", { features: [{}], subscriptionId: subscription });

    new ImagePulls(this, "pulls", {
      cluster: openShift({
        name: "prod",
        version: "4.22",
        platform: "aws",
        issuer: "https://d111111abcdef8.cloudfront.net",
        pools: ["worker"],
      }),
      identities: [
        pullRoles({ account: "111122223333", region: "eu-west-1" }),
        pullIdentities({ resourceGroupName: "prod-identities", location: "westeurope" }),
      ],
      pulls: [
        {
          serviceAccount: "shop/web",
          from: [
            ecr({ account: "111122223333", region: "eu-west-1", repositories: ["shop/web"] }),
            acr({
              registry: `/subscriptions/${subscription}/resourceGroups/images/providers/Microsoft.ContainerRegistry/registries/acmeshop`,
              roleAssignmentMode: "AbacRepositoryPermissions",
              repositories: ["models/*"],
            }),
          ],
        },
        {
          // Made by the chart of another team, and only annotated here.
          serviceAccount: "batch/jobs",
          from: ecr({ account: "111122223333", region: "eu-west-1", repositories: ["batch/*"] }),
          declareServiceAccount: false,
        },
      ],
    });
  }
}

/** The cluster's objects, planned once the clouds are applied: Terraform asks the API server while it plans. */
class Objects extends TerraformStack {
  constructor(scope: Construct, id: string, clouds: TerraformStack) {
    super(scope, id);
    new S3Backend(this, state(id));
    new KubernetesProvider(this, "kubernetes", { configPath: "~/.kube/config", configContext: "prod" });
    new KubernetesManifests(this, "manifests", { of: clouds });
  }
}

function state(id: string): { readonly bucket: string; readonly key: string; readonly region: string } {
  return { bucket: "acme-terraform-state", key: `${id}.tfstate`, region: "eu-west-1" };
}
