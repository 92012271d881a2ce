import { AwsProvider } from "@cdktf/provider-aws/lib/provider/index.js";
import { ContainerRegistry } from "@cdktf/provider-azurerm/lib/container-registry/index.js";
import { AzurermProvider } from "@cdktf/provider-azurerm/lib/provider/index.js";
import { GoogleProvider } from "@cdktf/provider-google/lib/provider/index.js";
import { TerraformStack } from "cdktf";
import { ecr, pullRoles } from "cdktf-workload-identity/aws";
import { acr, pullIdentities } from "cdktf-workload-identity/azure";
import { artifactRegistry, pullPrincipals } from "cdktf-workload-identity/google";
import { kubernetes } from "cdktf-workload-identity/node";
import { openShift } from "cdktf-workload-identity/openshift";
import { ImagePulls } from "cdktf-workload-identity/synth";
import type { Construct } from "constructs";

const account = "111122223333";
const batchAccount = "444455556666";
const region = "eu-west-1";
const subscription = "0b1f6471-1bf0-4dda-aec3-cb9272f09590";
const registry = `/subscriptions/${subscription}/resourceGroups/images/providers/Microsoft.ContainerRegistry/registries/acmeshop`;

/** Kubernetes 1.35 that pulls from ECR in two accounts, from ACR and from Artifact Registry; every pull holds. */
export class Edge extends TerraformStack {
  constructor(scope: Construct, id: string) {
    super(scope, id);
    new AwsProvider(this, "aws", { region, allowedAccountIds: [account] });
    const batch = new AwsProvider(this, "aws-batch", {
      alias: "batch",
      region,
      allowedAccountIds: [batchAccount],
    });
    new AzurermProvider(this, "azurerm", { features: [{}], subscriptionId: subscription });
    new GoogleProvider(this, "google", { project: "acme-images", region: "europe-west1" });
    abacRegistry(this);

    const fromEcr = ecr({ account, region, repositories: ["shop/*"] });
    const fromBatch = ecr({
      account: batchAccount,
      region,
      repositories: ["batch/runner"],
      ownerPolicy: { provider: batch },
    });
    const fromAcr = acr({
      registry,
      roleAssignmentMode: "AbacRepositoryPermissions",
      repositories: ["models/*"],
    });
    const fromGoogle = artifactRegistry({
      project: "acme-images",
      location: "europe-west1",
      repository: "tools",
    });

    new ImagePulls(this, "pulls", {
      cluster: kubernetes({
        name: "edge-1",
        version: "1.35",
        issuer: "https://oidc.acme.example/edge-1",
        plugins: {
          ecr: "1.35.2",
          acr: "1.36.5",
          gcp: { version: "36.3.8", abilities: ["custom-pools"] },
        },
      }),
      identities: [
        pullRoles({ account, region }),
        pullIdentities({
          resourceGroupName: "edge-identities",
          location: "westeurope",
          tenantId: "72f988bf-86f1-41af-91ab-2d7cd011db47",
        }),
        pullPrincipals({ project: "acme-images", projectNumber: "123456789012" }),
      ],
      pulls: [
        { serviceAccount: "shop/web", from: [fromEcr, fromAcr] },
        { serviceAccount: "shop/tools", from: fromGoogle },
        { serviceAccount: "batch/jobs", from: fromBatch },
      ],
    });
  }
}

/** OpenShift 4.22 on AWS that pulls from ECR; every pull holds. */
export class Prod extends TerraformStack {
  constructor(scope: Construct, id: string) {
    super(scope, id);
    new AwsProvider(this, "aws", { region, allowedAccountIds: [account] });
    new ImagePulls(this, "pulls", {
      cluster: openShift({
        name: "prod",
        version: "4.22",
        platform: "aws",
        issuer: "https://d111111abcdef8.cloudfront.net",
        pools: ["worker"],
      }),
      identities: [pullRoles({ account, region })],
      pulls: [{ serviceAccount: "shop/web", from: ecr({ account, region, repositories: ["shop/*"] }) }],
    });
  }
}

/** The registry itself. azurerm has `role_assignment_mode` from 4.81 on; the bindings do not know it yet. */
function abacRegistry(stack: TerraformStack): void {
  const resource = new ContainerRegistry(stack, "registry", {
    name: "acmeshop",
    resourceGroupName: "images",
    location: "westeurope",
    sku: "Premium",
  });
  resource.addOverride("role_assignment_mode", "AbacRepositoryPermissions");
}
