import { AwsProvider } from "@cdktf/provider-aws/lib/provider/index.js";
import { AzurermProvider } from "@cdktf/provider-azurerm/lib/provider/index.js";
import { GoogleProvider } from "@cdktf/provider-google/lib/provider/index.js";
import { TerraformStack } from "cdktf";
import { awsAccess, ecr, eks, pullRoles, workloadRoles } from "cdktf-workload-identity/aws";
import { aks, azureAccess, workloadIdentities } from "cdktf-workload-identity/azure";
import { gke, googleAccess, workloadServiceAccounts } from "cdktf-workload-identity/google";
import { kubernetes, nodeadm, talos } from "cdktf-workload-identity/node";
import { ControlPlane, ImagePulls, Manifests, WorkloadAccess } from "cdktf-workload-identity/synth";
import type { Construct } from "constructs";

const [account, region] = ["111122223333", "eu-west-1"];
const subscriptionId = "0b1f6471-1bf0-4dda-aec3-cb9272f09590";
const sales = `/subscriptions/${subscriptionId}/resourceGroups/sales/providers/Microsoft.Storage/storageAccounts/acmesales`;

// The clusters exist: their issuers are stated, so that every trust is literal.
const eksCluster = (name: string, id: string) =>
  eks({
    name,
    region,
    version: "1.35",
    issuer: `https://oidc.eks.${region}.amazonaws.com/id/${id}`,
    plugins: { ecr: "1.35.2" },
  });
const eksShop = eksCluster("eks-shop", "D48675832CA65BD10A532F597F1B5C3A");
const eksBatch = eksCluster("eks-batch", "0A1B2C3D4E5F60718293A4B5C6D7E8F9");
const aksSales = aks({
  name: "aks-sales",
  issuer:
    "https://westeurope.oic.prod-aks.azure.com/72f988bf-86f1-41af-91ab-2d7cd011db47/5f3e7c1a-9b2d-4c8e-a1f0-6d5b4c3a2e1f/",
});
const gkeModels = gke({ name: "gke-models", project: "acme-prod", location: "europe-west1" });
const talosEdge = kubernetes({
  name: "talos-edge",
  version: "1.35",
  issuer: "https://oidc.acme.example/talos-edge",
  plugins: { ecr: "1.35.0" },
  carriers: [talos({ version: "1.12" })],
});

// How the platform team makes identities, for all clusters.
const roles = workloadRoles({ account, region });
const managedIdentities = workloadIdentities({
  resourceGroupName: "platform-identities",
  location: "westeurope",
  tenantId: "72f988bf-86f1-41af-91ab-2d7cd011db47",
});
const serviceAccounts = workloadServiceAccounts({ project: "acme-prod", projectNumber: "123456789012" });

// What the teams ask for.
const images = (...repositories: string[]) => ecr({ account, region, repositories });
const readOrders = awsAccess({
  statements: [{ Effect: "Allow", Action: ["s3:GetObject"], Resource: [`arn:aws:s3:::acme-orders/*`] }],
});
const readSales = azureAccess({ roles: [{ role: "Storage Blob Data Reader", scope: sales }] });
const readModels = googleAccess({ roles: [{ role: "roles/storage.objectViewer", bucket: "acme-models" }] });

/** Five clusters in one stack: two on EKS, one on AKS, one on GKE, and one of Talos on own hardware. */
export class Platform extends TerraformStack {
  constructor(scope: Construct, id: string) {
    super(scope, id);
    new AwsProvider(this, "aws", { region, allowedAccountIds: [account] });
    new AzurermProvider(this, "azurerm", { features: [{}], subscriptionId });
    new GoogleProvider(this, "google", { project: "acme-prod", region: "europe-west1" });
    new Manifests(this, "Manifests", { perCluster: true });

    // Pulls: nodes of AKS and GKE take no files, so there the nodes pull as themselves.
    new ImagePulls(this, "eks-shop-pulls", {
      cluster: eksShop,
      carriers: [nodeadm()],
      pulls: [{ serviceAccount: "shop/web", from: images("shop/*") }],
      identities: [pullRoles({ account, region })],
    });
    new ImagePulls(this, "eks-batch-pulls", {
      cluster: eksBatch,
      carriers: [nodeadm()],
      pulls: [{ serviceAccount: "batch/jobs", from: images("batch/*", "base/*") }],
      identities: [pullRoles({ account, region })],
    });
    new ImagePulls(this, "talos-edge-pulls", {
      cluster: talosEdge,
      pulls: [{ serviceAccount: "shop/web", from: images("shop/*") }],
      identities: [pullRoles({ account, region })],
    });

    // Access: each workload acts in the cloud that holds its data, wherever its cluster is.
    new WorkloadAccess(this, "eks-shop", {
      cluster: eksShop,
      workloads: [{ serviceAccount: "shop/web", may: readOrders }],
      identities: [roles],
    });
    new WorkloadAccess(this, "eks-batch", {
      cluster: eksBatch,
      workloads: [{ serviceAccount: "batch/reports", may: readSales }],
      identities: [managedIdentities],
    });
    new WorkloadAccess(this, "aks-sales", {
      cluster: aksSales,
      workloads: [{ serviceAccount: "sales/api", may: readSales }],
      identities: [managedIdentities],
    });
    new WorkloadAccess(this, "gke-models", {
      cluster: gkeModels,
      workloads: [{ serviceAccount: "models/serve", may: readModels }],
      identities: [serviceAccounts],
    });
    new WorkloadAccess(this, "talos-edge", {
      cluster: talosEdge,
      workloads: [{ serviceAccount: "shop/web", may: readOrders }],
      identities: [roles],
    });

    // On own hardware, the API servers must be told the issuer that the clouds trust.
    new ControlPlane(this, "talos-edge-servers", { cluster: talosEdge });
  }
}
