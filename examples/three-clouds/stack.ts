import { AwsProvider } from "@cdktf/provider-aws/lib/provider/index.js";
import { AzurermProvider } from "@cdktf/provider-azurerm/lib/provider/index.js";
import { S3Object } from "@cdktf/provider-aws/lib/s3-object/index.js";
import { GoogleProvider } from "@cdktf/provider-google/lib/provider/index.js";
import { TerraformStack } from "cdktf";
import { ecr, pullRoles } from "cdktf-workload-identity/aws";
import { acr, pullIdentities } from "cdktf-workload-identity/azure";
import { artifactRegistry, pullPrincipals } from "cdktf-workload-identity/google";
import { kubernetes } from "cdktf-workload-identity/node";
import { ImagePulls, Manifests } from "cdktf-workload-identity/synth";
import type { Construct } from "constructs";

const subscription = "/subscriptions/0b1f6471-1bf0-4dda-aec3-cb9272f09590";

/** A self-managed Kubernetes 1.35 cluster whose pods pull from ECR, ACR and Artifact Registry at once. */
export class ThreeClouds extends TerraformStack {
  constructor(scope: Construct, id: string) {
    super(scope, id);
    new AwsProvider(this, "aws", { region: "eu-west-1" });
    new AzurermProvider(this, "azurerm", { features: [{}], subscriptionId: subscription.split("/")[2] });
    new GoogleProvider(this, "google", { project: "acme-images", region: "europe-west1" });

    const fromEcr = ecr({ account: "111122223333", region: "eu-west-1", repositories: ["shop/*"] });
    const fromAcr = acr({
      registry: `${subscription}/resourceGroups/images/providers/Microsoft.ContainerRegistry/registries/acmeshop`,
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
        // Google's released plugin serves GKE and fleet pools only; these nodes have a build with --sts-audience.
        plugins: {
          ecr: "1.35.2",
          acr: "1.36.5",
          gcp: { version: "36.3.8", abilities: ["custom-pools"] },
        },
      }),
      identities: [
        pullRoles({ account: "111122223333", region: "eu-west-1" }),
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
      ],
    });

    // Finished by Terraform, for whatever takes objects from a bucket into the cluster: Flux, say.
    for (const name of ["10-token-audience", "20-service-accounts"])
      new S3Object(this, name, {
        bucket: "acme-gitops",
        key: `edge-1/${name}.yaml`,
        content: Manifests.of(this).rendered(`manifests/${name}.yaml`),
      });
  }
}
