import { EksCluster } from "@cdktf/provider-aws/lib/eks-cluster/index.js";
import { EksNodeGroup } from "@cdktf/provider-aws/lib/eks-node-group/index.js";
import { LaunchTemplate } from "@cdktf/provider-aws/lib/launch-template/index.js";
import { AwsProvider } from "@cdktf/provider-aws/lib/provider/index.js";
import { Fn, TerraformStack } from "cdktf";
import { ecr, eks, pullRoles } from "cdktf-workload-identity/aws";
import { ec2NodeClass, nodeadm } from "cdktf-workload-identity/node";
import { ImagePulls } from "cdktf-workload-identity/synth";
import type { Construct } from "constructs";

const [account, region] = ["111122223333", "eu-west-1"];
const subnetIds = ["subnet-0a1b2c3d4e5f60718", "subnet-0b1c2d3e4f5061728"];

/** EKS: a managed node group and nodes of Karpenter, on which two namespaces pull from ECR as roles of their own. */
export class Shop extends TerraformStack {
  constructor(scope: Construct, id: string) {
    super(scope, id);
    new AwsProvider(this, "aws", { region, allowedAccountIds: [account] });
    const cluster = new EksCluster(this, "cluster", {
      name: "shop",
      version: "1.35",
      region,
      roleArn: `arn:aws:iam::${account}:role/shop-cluster`,
      vpcConfig: { subnetIds },
    });

    const pulls = new ImagePulls(this, "pulls", {
      cluster: eks({
        cluster,
        // Left out while the cluster is made; stated since, so that every trust policy is literal.
        issuer: "https://oidc.eks.eu-west-1.amazonaws.com/id/D48675832CA65BD10A532F597F1B5C3A",
        plugins: { ecr: "1.35.2" },
      }),
      carriers: [
        nodeadm(),
        ec2NodeClass({
          name: "default",
          spec: {
            role: "shop-nodes",
            amiSelectorTerms: [{ alias: "al2023@v20260714" }],
            subnetSelectorTerms: [{ tags: { "karpenter.sh/discovery": "shop" } }],
            securityGroupSelectorTerms: [{ tags: { "karpenter.sh/discovery": "shop" } }],
          },
        }),
      ],
      identities: [pullRoles({ account, region })],
      pulls: [
        { serviceAccount: "shop/web", from: ecr({ account, region, repositories: ["shop/web", "base/*"] }) },
        { serviceAccount: "batch/jobs", from: ecr({ account, region, repositories: ["batch/*"] }) },
      ],
    });

    const template = new LaunchTemplate(this, "nodes", {
      name: "shop-nodes",
      userData: Fn.base64encode(pulls.manifests.rendered("nodes/nodeadm.txt")),
    });
    new EksNodeGroup(this, "system", {
      clusterName: cluster.name,
      nodeGroupName: "system",
      nodeRoleArn: `arn:aws:iam::${account}:role/shop-nodes`,
      amiType: "AL2023_x86_64_STANDARD",
      subnetIds,
      scalingConfig: { minSize: 2, desiredSize: 2, maxSize: 4 },
      launchTemplate: { id: template.id, version: Fn.tostring(template.latestVersion) },
    });
  }
}
