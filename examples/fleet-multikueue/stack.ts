import { DataAwsEksCluster } from "@cdktf/provider-aws/lib/data-aws-eks-cluster/index.js";
import { AwsProvider } from "@cdktf/provider-aws/lib/provider/index.js";
import { TerraformStack } from "cdktf";
import { eksSpoke, workloadRoles } from "cdktf-workload-identity/aws";
import { multiKueue, selfManagedSpoke } from "cdktf-workload-identity/fleet";
import { FleetAccess, type FleetSpoke } from "cdktf-workload-identity/synth";
import type { Construct } from "constructs";
import { readFileSync } from "node:fs";

const folder = "examples/fleet-multikueue";
const [account, region] = ["111122223333", "eu-west-1"];
const clusterRole = "multikueue-worker";

/** An EKS hub with Kueue sends jobs to two EKS clusters and to a self-managed one. */
export class BatchHub extends TerraformStack {
  constructor(scope: Construct, id: string) {
    super(scope, id);
    new AwsProvider(this, "aws", { region, allowedAccountIds: [account] });

    new FleetAccess(this, "fleet", {
      hub: {
        name: "batch-hub",
        issuer: "https://oidc.eks.eu-west-1.amazonaws.com/id/0123456789ABCDEF0123456789ABCDEF",
        apiServer: "1.35",
        podIdentityWebhooks: ["aws"],
      },
      consumer: multiKueue({ version: "0.19" }),
      kueueConfiguration: readFileSync(`${folder}/controller_manager_config.yaml`, "utf8"),
      clusterManager: "acme-platform",
      identities: [workloadRoles({ account, region })],
      plugins: [
        { plugin: "aws-iam-authenticator", image: "registry.example.com/aws-iam-authenticator:v0.7.18" },
      ],
      spokes: [this.eks("cpu-1"), this.eks("gpu-1"), onPremises],
    });
  }

  private eks(name: string): FleetSpoke {
    const cluster = new DataAwsEksCluster(this, name, { name });
    return { name, access: eksSpoke({ cluster, region, kubernetesGroups: ["multikueue"] }), clusterRole };
  }
}

/** Its API server takes the hub's own tokens, of Kueue's service account alone. */
const onPremises: FleetSpoke = {
  name: "on-prem",
  clusterRole,
  access: (hub) =>
    selfManagedSpoke({
      ...hub,
      apiServer: "1.34",
      audience: "https://on-prem.acme.example",
      endpoint: {
        server: "https://on-prem.acme.example:6443",
        certificateAuthorityData: readFileSync(`${folder}/on-prem-ca.crt`).toString("base64"),
      },
    }),
};
