/*
 * What Karpenter needs in AWS. It writes the tags that the conditions ask for itself: aws/karpenter-provider-aws,
 * website/content/en/v1.14/reference/cloudformation.md.
 */

import { eksClusterArn } from "./pod-identity";
import { type ObjectKind, object, optional, text } from "../../model/shape";
import { accountId } from "./arn";
import { partitionOf } from "./partitions";
import type { PolicyCondition, PolicyStatement } from "./policy-document";
import {
  type Row,
  type TaggedClusterProps,
  TAGGED_CLUSTER_PROPS,
  allow,
  arnIn,
  arnsOf,
  tagPart,
} from "./ready-statements";

/** Settings of `karpenter()`. */
export interface KarpenterProps extends TaggedClusterProps {
  /** Account of the cluster. */
  readonly account: string;
  /** ARN of the role that nodes get; may be late. */
  readonly nodeRole: string;
  /**
   * ARN of the SQS queue with notices of interruptions; may be late.
   *
   * @defaultValue - none; Karpenter then does not watch for interruptions
   */
  readonly queue?: string;
}

const KARPENTER_PROPS: ObjectKind<KarpenterProps> = object({
  ...TAGGED_CLUSTER_PROPS.shape,
  account: text,
  nodeRole: text,
  queue: optional(text),
});

export const KARPENTER: Row<KarpenterProps> = {
  serviceAccount: "kube-system/karpenter",
  source: "aws/karpenter-provider-aws 1.14.1, website/content/en/v1.14/reference/cloudformation.md",
  leavesOut:
    "what other clusters have, another role for nodes than `nodeRole`, KMS keys of encrypted volumes",
  props: KARPENTER_PROPS,
  rights: (props) => [
    ...instances(props),
    ...instanceProfiles(props),
    ...reads(props),
    ...(props.queue === undefined
      ? []
      : [allow("sqs:DeleteMessage GetQueueUrl ReceiveMessage", arnsOf("sqs", "", [props.queue], "queue"))]),
  ],
};

type Where = "RequestTag" | "ResourceTag";

/** What a tag of the cluster says in a request, or on a resource. */
function ofCluster(where: Where, { clusterName }: KarpenterProps): Readonly<Record<string, string>> {
  const cluster = tagPart(clusterName);
  return {
    [`aws:${where}/kubernetes.io/cluster/${cluster}`]: "owned",
    ...(where === "RequestTag" && { "aws:RequestTag/eks:eks-cluster-name": cluster }),
  };
}

function instances(props: KarpenterProps): readonly PolicyStatement[] {
  const { region, clusterName } = props;
  const tagged = (where: Where, more: PolicyCondition[string] = {}): PolicyCondition => ({
    StringEquals: { ...ofCluster(where, props), ...more },
    StringLike: { [`aws:${where}/karpenter.sh/nodepool`]: "*" },
  });
  const every = (types: string): readonly string[] =>
    types.split(" ").map((type) => arnIn(region, "ec2", `${type}/*`));
  const created = every("fleet instance launch-template network-interface spot-instances-request volume");
  const launch = "ec2:CreateFleet RunInstances";
  return [
    allow(launch, every("capacity-reservation image placement-group security-group snapshot subnet")),
    allow(launch, every("launch-template"), tagged("ResourceTag")),
    allow([launch, "ec2:CreateLaunchTemplate"], created, tagged("RequestTag")),
    allow(
      "ec2:CreateTags",
      created,
      tagged("RequestTag", { "ec2:CreateAction": ["CreateFleet", "CreateLaunchTemplate", "RunInstances"] }),
    ),
    allow("ec2:CreateTags", every("instance"), {
      ...tagged("ResourceTag"),
      StringEqualsIfExists: { "aws:RequestTag/eks:eks-cluster-name": clusterName },
      "ForAllValues:StringEquals": {
        "aws:TagKeys": ["Name", "eks:eks-cluster-name", "karpenter.sh/nodeclaim"],
      },
    }),
    allow(
      "ec2:DeleteLaunchTemplate TerminateInstances",
      every("instance launch-template"),
      tagged("ResourceTag"),
    ),
  ];
}

function instanceProfiles(props: KarpenterProps): readonly PolicyStatement[] {
  const { account, region, nodeRole } = props;
  const { name: partition, dnsSuffix } = partitionOf(region);
  const profiles = `arn:${partition}:iam::${accountId(account)}:instance-profile/*`;
  const tagged = (...places: readonly Where[]): PolicyCondition => ({
    StringEquals: Object.fromEntries(
      places.flatMap((where) => [
        ...Object.entries(ofCluster(where, props)),
        [`aws:${where}/topology.kubernetes.io/region`, region] as const,
      ]),
    ),
    StringLike: Object.fromEntries(
      places.map((where) => [`aws:${where}/karpenter.k8s.aws/ec2nodeclass`, "*"]),
    ),
  });
  return [
    allow("iam:PassRole", arnsOf("iam", "role/", [nodeRole], "nodeRole"), {
      StringEquals: { "iam:PassedToService": [...new Set(["ec2.amazonaws.com", `ec2.${dnsSuffix}`])] },
    }),
    allow("iam:CreateInstanceProfile", profiles, tagged("RequestTag")),
    allow("iam:TagInstanceProfile", profiles, tagged("ResourceTag", "RequestTag")),
    allow(
      "iam:AddRoleToInstanceProfile DeleteInstanceProfile RemoveRoleFromInstanceProfile",
      profiles,
      tagged("ResourceTag"),
    ),
    allow("iam:GetInstanceProfile", profiles),
    allow("iam:ListInstanceProfiles", "*"),
  ];
}

function reads({ account, region, clusterName }: KarpenterProps): readonly PolicyStatement[] {
  const { name: partition } = partitionOf(region);
  const cluster = eksClusterArn({ account, region }, clusterName);
  return [
    allow("eks:DescribeCluster", cluster),
    allow("arc-zonal-shift:GetManagedResource", "*", {
      StringEquals: { "arc-zonal-shift:ResourceIdentifier": cluster },
    }),
    allow(
      "ec2:DescribeCapacityReservations DescribeImages DescribeInstances DescribeInstanceStatus DescribeInstanceTypeOfferings DescribeInstanceTypes DescribeLaunchTemplates DescribePlacementGroups DescribeSecurityGroups DescribeSpotPriceHistory DescribeSubnets",
      "*",
      { StringEquals: { "aws:RequestedRegion": region } },
    ),
    allow("ssm:GetParameter", `arn:${partition}:ssm:${region}::parameter/aws/service/*`),
    allow("pricing:GetProducts", "*"),
  ];
}
