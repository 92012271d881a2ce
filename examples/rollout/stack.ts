import { IamRolePolicyAttachment } from "@cdktf/provider-aws/lib/iam-role-policy-attachment/index.js";
import { AwsProvider } from "@cdktf/provider-aws/lib/provider/index.js";
import { TerraformStack } from "cdktf";
import { ecr, pullRoles } from "cdktf-workload-identity/aws";
import { openShift } from "cdktf-workload-identity/openshift";
import { ImagePulls } from "cdktf-workload-identity/synth";
import type { Construct } from "constructs";

/** The stages in their order. Each is one synth of the same stack, deployed and applied before the next. */
export const stages = ["prepare", "mixed", "annotated", "strict", "done"] as const;

/** One stage of the rollout. */
export type Stage = (typeof stages)[number];

/** Whether pods without annotation go on as the node. */
export type Mode = "mixed" | "strict";

const account = "111122223333";
const region = "eu-west-1";

/** OpenShift 4.22 on AWS on its way from pulls as the node to pulls as service accounts. */
export class ProdEu extends TerraformStack {
  /** `mode` is for asking ahead: what strict mode would do with the service accounts of an earlier stage. */
  constructor(scope: Construct, id: string, stage: Stage, mode: Mode = modeOf(stage)) {
    super(scope, id);
    new AwsProvider(this, "aws", { region, allowedAccountIds: [account] });
    const has = (from: Stage): boolean => reached(stage, from);

    new ImagePulls(this, "pulls", {
      cluster: openShift({
        name: "prod-eu",
        version: "4.22",
        platform: "aws",
        issuer: "https://d111111abcdef8.cloudfront.net",
        pools: ["worker"],
      }),
      identities: [pullRoles({ account, region })],
      // Mixed mode from the start: the permission to request tokens must be as wide as it needs before nodes use it.
      credentialProviders: { ecr: { mode } },
      // Nothing reaches the nodes before the cloud side and the permission are there.
      ...(has("mixed") ? {} : { carriers: [] }),
      pulls: [
        { serviceAccount: "shop/web", from: ecr({ account, region, repositories: ["shop/web"] }) },
        // What `explain --running` found that strict mode would take the images from.
        ...(has("annotated")
          ? [
              { serviceAccount: "shop/jobs", from: ecr({ account, region, repositories: ["shop/jobs"] }) },
              {
                serviceAccount: "agents/node",
                from: ecr({ account, region, repositories: ["agents/node"] }),
              },
            ]
          : []),
      ],
    });

    // What nodes pulled with until now. It goes last, when nothing needs it.
    if (!has("done"))
      new IamRolePolicyAttachment(this, "node-pulls", {
        role: "prod-eu-x7k2p-worker-role",
        policyArn: "arn:aws:iam::aws:policy/AmazonEC2ContainerRegistryReadOnly",
      });
  }
}

function reached(stage: Stage, from: Stage): boolean {
  return stages.indexOf(stage) >= stages.indexOf(from);
}

function modeOf(stage: Stage): Mode {
  return reached(stage, "strict") ? "strict" : "mixed";
}
