import { AwsProvider } from "@cdktf/provider-aws/lib/provider/index.js";
import { TerraformStack } from "cdktf";
import { IssuerBucket, ecr, externalDns, pullRoles, workloadRoles } from "cdktf-workload-identity/aws";
import { kubeadm, kubernetes } from "cdktf-workload-identity/node";
import { ControlPlane, ImagePulls, WorkloadAccess } from "cdktf-workload-identity/synth";
import type { Construct } from "constructs";
import { readFileSync } from "node:fs";

const folder = "examples/own-cluster";
const [account, region] = ["111122223333", "eu-west-1"];

/** A kubeadm cluster: its issuer, what its API servers are told, access of workloads, and pulls. */
export class OwnCluster extends TerraformStack {
  constructor(scope: Construct, id: string) {
    super(scope, id);
    new AwsProvider(this, "aws", { region, allowedAccountIds: [account] });

    const issuer = new IssuerBucket(this, "issuer", {
      bucketName: "acme-metal-1-issuer",
      region,
      keys: [{ publicKey: readFileSync(`${folder}/issuer-key.pub`, "utf8"), use: "current" }],
    });
    const cluster = kubernetes({
      name: "metal-1",
      version: "1.36",
      issuer,
      plugins: {
        ecr: {
          version: "1.36.0",
          source: {
            url: "https://artifacts.acme.example/ecr-credential-provider-linux-amd64-v1.36.0",
            sha256: "3b5d5c3712955042212316173ccf37be800f2f0a7e3b8b2c6a4d1e9f0a1b2c3d",
          },
        },
      },
      carriers: [kubeadm()],
    });

    new ControlPlane(this, "control-plane", { cluster });
    new WorkloadAccess(this, "workloads", {
      cluster,
      workloads: [externalDns({ hostedZones: ["Z0123456789ABCDEFGHIJ"], region })],
      identities: [workloadRoles({ account, region })],
    });
    new ImagePulls(this, "pulls", {
      cluster,
      pulls: [{ serviceAccount: "shop/web", from: ecr({ account, region, repositories: ["shop/*"] }) }],
      identities: [pullRoles({ account, region })],
    });
  }
}
