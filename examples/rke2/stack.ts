import { AwsProvider } from "@cdktf/provider-aws/lib/provider/index.js";
import { TerraformOutput, TerraformStack } from "cdktf";
import { ecr, pullRoles } from "cdktf-workload-identity/aws";
import { CredentialProviderConfigAlert, kubernetes, rke2 } from "cdktf-workload-identity/node";
import { ImagePulls } from "cdktf-workload-identity/synth";
import type { Construct } from "constructs";

/** RKE2 outside of AWS, whose nodes are made with cloud-init and fetch the plugin themselves. */
export class Edge extends TerraformStack {
  constructor(scope: Construct, id: string) {
    super(scope, id);
    new AwsProvider(this, "aws", { region: "eu-west-1", allowedAccountIds: ["111122223333"] });

    const pulls = new ImagePulls(this, "pulls", {
      cluster: kubernetes({
        name: "edge",
        version: "1.35",
        issuer: "https://oidc.edge.example.com",
        plugins: {
          ecr: {
            version: "1.36.0",
            source: {
              url: "https://artifacts.example.com/ecr-credential-provider/v1.36.0/linux-amd64",
              sha256: "5f70bf18a086007016e948b04aed3b82103a36bea41755b6cddfaf10ace3c6ef",
            },
          },
        },
        carriers: [rke2()],
      }),
      identities: [pullRoles({ account: "111122223333", region: "eu-west-1" })],
      pulls: [
        {
          serviceAccount: "shop/web",
          from: ecr({ account: "111122223333", region: "eu-west-1", repositories: ["shop/web", "base/*"] }),
        },
      ],
    });

    // User data for whatever makes the machines: `user_data` of a server, or a part of a `cloudinit_config`.
    new TerraformOutput(this, "user-data", {
      value: pulls.manifests.rendered("nodes/rke2.yaml"),
      staticId: true,
    });

    const { configHash = "" } = pulls;
    const chart = pulls.manifests.chart("kubelet-alerts", { order: 70 });
    new CredentialProviderConfigAlert(chart, "alert", {
      namespace: "monitoring",
      hashes: [configHash],
      labels: { release: "kube-prometheus-stack" },
    });
  }
}
