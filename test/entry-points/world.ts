/*
 * Where the entry points are called: an app with a stack and the Terraform providers of all clouds, and the values of
 * this library that other entry points take.
 */

import { AwsProvider } from "@cdktf/provider-aws/lib/provider/index.js";
import { AzurermProvider } from "@cdktf/provider-azurerm/lib/provider/index.js";
import { GoogleProvider } from "@cdktf/provider-google/lib/provider/index.js";
import { App as Cdk8sApp, Chart } from "cdk8s";
import { App, TerraformStack } from "cdktf";
import { generateKeyPairSync } from "node:crypto";
import * as aws from "../../lib/cloud/aws";
import * as azure from "../../lib/cloud/azure";
import * as google from "../../lib/cloud/google";
import { ClusterInventory, SpokeCluster, controller } from "../../lib/fleet";
import { Issuer, type IssuerKey, type NodeSetup, Subject } from "../../lib/index";
import { kubernetes } from "../../lib/node";
import { credentialsRequestsOf } from "../../lib/openshift";
import { PROOF_CONTEXT } from "../../lib/model/proof-context";
import { CA } from "../fixtures/fleet/ca";
import { payloadRequests } from "../support/credentials-requests";

export const ACCOUNT = "111122223333";
export const REGION = "eu-west-1";
export const ISSUER = "https://oidc.example.com/prod";
export const GUID = "0b1f6471-1bf0-4dda-aec3-cb9272f09590";
export const SCOPE = `/subscriptions/${GUID}/resourceGroups/shop`;
export const REGISTRY = `${SCOPE}/providers/Microsoft.ContainerRegistry/registries/acmeshop`;
export const PROJECT = { project: "shop-prod", projectNumber: "123456789012" };
export const WEB: Subject = Subject.of("shop/web");
export const WORKLOAD = {
  kind: "Deployment",
  namespace: "fleet",
  name: "own",
  container: "own",
  serviceAccount: "own",
} as const;
export const FILE = { path: "/etc/kubernetes/a.yaml", mode: 0o644, content: "a" };
export const SETUP: NodeSetup = { files: [FILE], kubeletFlags: {} };

const { publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
export const KEYS: readonly IssuerKey[] = [
  { publicKey: publicKey.export({ type: "spki", format: "pem" }).toString(), use: "current" },
];

/** What entry points are called with; each call has an id of its own. */
export class World {
  readonly app: App = new App({ stackTraces: false, context: { [PROOF_CONTEXT]: false } });
  readonly stack: TerraformStack = new TerraformStack(this.app, "prod");
  /** Providers of other accounts, by cloud. */
  readonly others = {
    aws: new AwsProvider(this.stack, "aws-other", { region: REGION, alias: "other" }),
    azure: new AzurermProvider(this.stack, "azurerm-other", {
      features: [{}],
      alias: "other",
      storageUseAzuread: true,
    }),
    google: new GoogleProvider(this.stack, "google-other", { alias: "other" }),
  };
  readonly #charts = new Cdk8sApp();
  #count = 0;

  constructor() {
    new AwsProvider(this.stack, "aws", { region: REGION });
    new AzurermProvider(this.stack, "azurerm", { features: [{}], storageUseAzuread: true });
    new GoogleProvider(this.stack, "google", {});
  }

  /** An id that no construct has. */
  get id(): string {
    this.#count += 1;
    return `c${this.#count}`;
  }

  get chart(): Chart {
    return new Chart(this.#charts, this.id);
  }

  get awsProvider(): aws.IOidcProvider {
    const arn = `arn:aws:iam::${ACCOUNT}:oidc-provider/oidc.example.com/prod`;
    return aws.OidcProvider.fromArn(this.stack, this.id, arn);
  }

  get googlePool(): google.IWorkloadIdentityPool {
    return google.WorkloadIdentityPool.fromPoolId(this.stack, this.id, { ...PROJECT, poolId: "prod" });
  }

  get googleProvider(): google.IOidcProvider {
    return google.OidcProvider.fromProviderId(this.stack, this.id, {
      pool: this.googlePool,
      providerId: "prod",
      issuer: ISSUER,
      audience: "openshift",
    });
  }

  get inventory(): ClusterInventory {
    return new ClusterInventory(this.chart, this.id, { namespace: "fleet", clusterManager: "platform-iac" });
  }

  get spoke(): SpokeCluster {
    return new SpokeCluster(this.inventory, "spoke-a", { access: eks() });
  }
}

export function eks(): ReturnType<typeof aws.eksSpoke> {
  return aws.eksSpoke({
    cluster: {
      name: "spoke-a",
      endpoint: "https://ABC123.gr7.eu-west-1.eks.amazonaws.com",
      certificateAuthorityData: CA,
    },
    region: REGION,
    accessPolicies: [{ policy: "AmazonEKSViewPolicy" }],
  });
}

export const ECR = aws.ecr({ account: ACCOUNT, region: REGION, repositories: ["shop/web"] });
export const ACR = azure.acr({ registry: REGISTRY, roleAssignmentMode: "AbacRepositoryPermissions" });
export const GAR = google.artifactRegistry({
  project: "shop-prod",
  location: "europe-west1",
  repository: "images",
});
export const AWS_ACCESS = aws.awsAccess({
  statements: [{ Effect: "Allow", Action: "s3:GetObject", Resource: "arn:aws:s3:::acme/*" }],
});
export const AZURE_ACCESS = azure.azureAccess({
  roles: [{ role: "Storage Blob Data Reader", scope: SCOPE }],
});
export const GOOGLE_ACCESS = google.googleAccess({
  roles: [{ role: "roles/storage.objectViewer", bucket: "shop-images" }],
});
export const CLUSTER = kubernetes({
  name: "prod",
  version: "1.35",
  issuer: ISSUER,
  plugins: { ecr: "1.35.2", acr: "1.36.5", gcp: { version: "36.3.8", abilities: ["custom-pools"] } },
});
export const OWN = controller({ title: "own", workloads: [WORKLOAD] });
export const HUB = { name: "hub", issuer: ISSUER, apiServer: "1.35" };
export const PLUGIN = {
  plugin: "aws-iam-authenticator",
  image: "example.com/aws-iam-authenticator:v0.7.18",
} as const;
export const GRANT = {
  subject: Subject.of("fleet/own"),
  identity: `arn:aws:iam::${ACCOUNT}:role/own`,
  annotations: {},
  pod: { labels: {}, env: [], volumeMounts: [], volumes: [] },
};

/** The requests of a release, by cloud. */
export const REQUESTS = {
  aws: requestsOf("aws"),
  azure: requestsOf("azure"),
  google: requestsOf("google"),
};

function requestsOf(cloud: "aws" | "azure" | "google"): ReturnType<typeof credentialsRequestsOf> {
  return credentialsRequestsOf(payloadRequests(cloud, "4.22"), {
    cloud,
    featureSet: "TechPreviewNoUpgrade",
    featureGates: "all",
  });
}

/** What composed constructs ask makers for. */
export const JOB = { clusterName: "prod", issuer: Issuer.of(ISSUER) };
