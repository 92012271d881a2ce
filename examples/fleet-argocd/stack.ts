import { DataAwsEksCluster } from "@cdktf/provider-aws/lib/data-aws-eks-cluster/index.js";
import { AwsProvider } from "@cdktf/provider-aws/lib/provider/index.js";
import { AzurermProvider } from "@cdktf/provider-azurerm/lib/provider/index.js";
import { DataGoogleContainerCluster } from "@cdktf/provider-google/lib/data-google-container-cluster/index.js";
import { GoogleProvider } from "@cdktf/provider-google/lib/provider/index.js";
import { TerraformStack, TerraformVariable } from "cdktf";
import { eksSpoke, workloadRoles } from "cdktf-workload-identity/aws";
import { aksSpoke, workloadIdentities } from "cdktf-workload-identity/azure";
import { argoCd } from "cdktf-workload-identity/fleet";
import { gkeSpoke, workloadServiceAccounts } from "cdktf-workload-identity/google";
import { openShift } from "cdktf-workload-identity/openshift";
import { FleetAccess, type FleetSpoke } from "cdktf-workload-identity/synth";
import type { Construct } from "constructs";

const aws = { account: "111122223333", region: "eu-west-1" };
const tenantId = "11111111-2222-4333-8444-555555555555";
const subscriptionId = "0b1f6471-1bf0-4dda-aec3-cb9272f09590";
const google = { project: "acme-prod", projectNumber: "123456789012" };

/** Argo CD on OpenShift deploys to clusters of three clouds; no cluster Secret holds a token. */
export class GitOpsHub extends TerraformStack {
  constructor(scope: Construct, id: string) {
    super(scope, id);
    new AwsProvider(this, "aws", { region: aws.region, allowedAccountIds: [aws.account] });
    new AzurermProvider(this, "azurerm", { features: [{}], subscriptionId });
    new GoogleProvider(this, "google", { project: google.project });

    new FleetAccess(this, "fleet", {
      hub: {
        ...openShift({
          name: "gitops-hub",
          version: "4.22",
          platform: "aws",
          issuer: "https://d222222abcdef8.cloudfront.net",
          pools: ["worker"],
        }),
        podIdentityWebhooks: ["aws"],
      },
      consumer: argoCd({ version: "3.5" }),
      clusterManager: "acme-platform",
      identities: [
        workloadRoles(aws),
        workloadIdentities({ resourceGroupName: "gitops", location: "westeurope", tenantId }),
        workloadServiceAccounts(google),
      ],
      spokes: [this.eks("shop-aws"), this.aks("shop-azure"), this.gke("shop-google")],
    });
  }

  private eks(name: string): FleetSpoke {
    const cluster = new DataAwsEksCluster(this, name, { name });
    const accessPolicies = [{ policy: "AmazonEKSClusterAdminPolicy" }] as const;
    return { name, access: eksSpoke({ cluster, region: aws.region, accessPolicies }) };
  }

  private aks(name: string): FleetSpoke {
    const cluster = {
      id: `/subscriptions/${subscriptionId}/resourceGroups/shop/providers/Microsoft.ContainerService/managedClusters/${name}`,
      server: "https://shop-azure-a1b2c3d4.hcp.westeurope.azmk8s.io:443",
      certificateAuthorityData: new TerraformVariable(this, "shop_azure_ca", { type: "string" }).stringValue,
    };
    const roles = [{ role: "Azure Kubernetes Service RBAC Cluster Admin" }];
    return { name, access: aksSpoke({ cluster, roles }) };
  }

  private gke(name: string): FleetSpoke {
    const cluster = new DataGoogleContainerCluster(this, name, { name, location: "europe-west1" });
    return {
      name,
      access: gkeSpoke({ cluster, project: google.project }),
      clusterRole: "gitops-deployer",
    };
  }
}
