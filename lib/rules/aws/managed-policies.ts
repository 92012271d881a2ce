/*
 * Managed policies of AWS: the statements of well-known ones, and which others deny. Source: AWS managed policy
 * reference; the default versions of the date below, as the project zoph-io/MAMIP records them. AWS changes them
 * without notice, mostly by adding actions.
 */

import { readArnOf } from "./arn";
import { allow } from "./ready-statements";
import { MANAGED_BY_AWS } from "./role";

const AS_OF = "2026-03-07";

export interface AwsManagedPolicy {
  /** Its name, with the day of what is known of it. */
  readonly label: string;
  readonly name: string;
  /** `undefined` where they are not known, or not in the ARN's partition. */
  readonly statements: readonly object[] | undefined;
  /** False for a policy that denies something, and for a permissions boundary. */
  readonly onlyAllows: boolean;
  /** Another path under which AWS has a policy of this name; `undefined` if none is known. */
  readonly path: string | undefined;
}

/** Reads the ARN of a managed policy of AWS; `undefined` for any other. */
export function awsManagedPolicy(arn: string | undefined): AwsManagedPolicy | undefined {
  const read = readArnOf(arn, "iam", "policy/");
  if (read?.account !== MANAGED_BY_AWS) return undefined;
  const name = read.name.slice(read.name.lastIndexOf("/") + 1);
  const all = { ...REGISTRY, ...COMMON };
  const path = Object.keys(all).find((each) => each !== read.name && each.endsWith(`/${name}`));
  const rows = read.partition === "aws" ? all : REGISTRY;
  return {
    name,
    label: `${name} (as of ${AS_OF})`,
    statements: Object.hasOwn(rows, read.name) ? rows[read.name] : undefined,
    onlyAllows: !DENYING.test(name),
    path,
  };
}

const READ_ECR =
  "GetAuthorizationToken BatchCheckLayerAvailability GetDownloadUrlForLayer GetRepositoryPolicy DescribeRepositories ListImages DescribeImages BatchGetImage GetLifecyclePolicy GetLifecyclePolicyPreview ListTagsForResource DescribeImageScanFindings";
const READ_PUBLIC =
  "GetAuthorizationToken BatchCheckLayerAvailability GetRepositoryPolicy DescribeRepositories DescribeRegistries DescribeImages DescribeImageTags GetRepositoryCatalogData GetRegistryCatalogData";
const PUSH = "InitiateLayerUpload UploadLayerPart CompleteLayerUpload PutImage";
const BEARER = "sts:GetServiceBearerToken";

/** Policies of registries, the same in every partition. */
const REGISTRY: Readonly<Record<string, readonly object[]>> = {
  AmazonEC2ContainerRegistryPullOnly: [
    allow("ecr:GetAuthorizationToken BatchGetImage GetDownloadUrlForLayer BatchImportUpstreamImage", "*"),
  ],
  AmazonEC2ContainerRegistryReadOnly: [allow(`ecr:${READ_ECR}`, "*")],
  AmazonEC2ContainerRegistryPowerUser: [allow(`ecr:${READ_ECR} ${PUSH}`, "*")],
  AmazonEC2ContainerRegistryFullAccess: [
    allow(["ecr:*", "cloudtrail:LookupEvents"], "*"),
    allow("iam:CreateServiceLinkedRole", "*", {
      StringEquals: { "iam:AWSServiceName": ["replication.ecr.amazonaws.com"] },
    }),
  ],
  AmazonElasticContainerRegistryPublicReadOnly: [allow([`ecr-public:${READ_PUBLIC}`, BEARER], "*")],
  AmazonElasticContainerRegistryPublicPowerUser: [allow([`ecr-public:${READ_PUBLIC} ${PUSH}`, BEARER], "*")],
  AmazonElasticContainerRegistryPublicFullAccess: [allow(["ecr-public:*", BEARER], "*")],
};

const VOLUMES = "arn:aws:ec2:*:*:volume/*";
const SNAPSHOTS = "arn:aws:ec2:*:*:snapshot/*";
const EFS_TAG = "efs.csi.aws.com/cluster";
const ONLY_EFS_TAG = { "ForAllValues:StringEquals": { "aws:TagKeys": EFS_TAG } };
const HAS_EFS_TAG = { Null: { [`aws:RequestTag/${EFS_TAG}`]: "false" } };

/** Each of the actions on what has, or gets, one of these tags. */
function tagged(
  Action: string | readonly string[],
  Resource: string,
  key: string,
  tags: Readonly<Record<string, string>>,
): readonly object[] {
  return Object.entries(tags).map(([tag, value]) =>
    allow(Action, Resource, { StringLike: { [`${key}/${tag}`]: value } }),
  );
}

const OF_CLUSTER = { "ebs.csi.aws.com/cluster": "true" };
const OF_SNAPSHOT = { CSIVolumeSnapshotName: "*", ...OF_CLUSTER };
const OF_VOLUME = { ...OF_CLUSTER, CSIVolumeName: "*" };

const EBS_CSI_DRIVER: readonly object[] = [
  allow(
    "ec2:DescribeAvailabilityZones DescribeInstances DescribeSnapshots DescribeTags DescribeVolumes DescribeVolumesModifications DescribeVolumeStatus",
    "*",
  ),
  allow("ec2:CreateSnapshot ModifyVolume", VOLUMES),
  allow("ec2:CopyVolumes", "arn:aws:ec2:*:*:volume/vol-*"),
  allow("ec2:AttachVolume DetachVolume", [VOLUMES, "arn:aws:ec2:*:*:instance/*"]),
  allow("ec2:CreateVolume EnableFastSnapshotRestores", SNAPSHOTS),
  allow("ec2:CreateTags", [VOLUMES, SNAPSHOTS], {
    StringEquals: { "ec2:CreateAction": ["CreateVolume", "CreateSnapshot", "CopyVolumes"] },
  }),
  allow("ec2:DeleteTags", [VOLUMES, SNAPSHOTS]),
  ...tagged("ec2:CreateVolume CopyVolumes", VOLUMES, "aws:RequestTag", OF_VOLUME),
  ...tagged(["ec2:DeleteVolume"], VOLUMES, "ec2:ResourceTag", {
    ...OF_VOLUME,
    "kubernetes.io/created-for/pvc/name": "*",
  }),
  ...tagged(["ec2:CreateSnapshot"], SNAPSHOTS, "aws:RequestTag", OF_SNAPSHOT),
  ...tagged("ec2:DeleteSnapshot LockSnapshot", SNAPSHOTS, "ec2:ResourceTag", OF_SNAPSHOT),
];

const TRACE =
  "xray:PutTraceSegments PutTelemetryRecords GetSamplingRules GetSamplingTargets GetSamplingStatisticSummaries";

/** Common policies, in the partition `aws`. */
const COMMON: Readonly<Record<string, readonly object[]>> = {
  AWSDenyAll: [{ Effect: "Deny", Action: "*", Resource: "*" }],
  AdministratorAccess: [allow("*", "*")],
  IAMFullAccess: [
    allow(
      [
        "iam:*",
        "organizations:DescribeAccount DescribeOrganization DescribeOrganizationalUnit DescribePolicy ListChildren ListParents ListPoliciesForTarget ListRoots ListPolicies ListTargetsForPolicy",
      ],
      "*",
    ),
  ],
  AmazonS3FullAccess: [allow(["s3:*", "s3-object-lambda:*"], "*")],
  AmazonS3ReadOnlyAccess: [allow(["s3:Get* List* Describe*", "s3-object-lambda:Get* List*"], "*")],
  PowerUserAccess: [
    { Effect: "Allow", NotAction: ["iam:*", "organizations:*", "account:*"], Resource: "*" },
    allow(
      [
        "account:GetAccountInformation GetGovCloudAccountInformation GetPrimaryEmail ListRegions",
        "iam:CreateServiceLinkedRole DeleteServiceLinkedRole ListRoles",
        "organizations:DescribeEffectivePolicy DescribeOrganization",
      ],
      "*",
    ),
  ],
  AmazonDynamoDBFullAccess: [
    allow(
      [
        "dynamodb:*",
        "dax:*",
        "application-autoscaling:DeleteScalingPolicy DeregisterScalableTarget DescribeScalableTargets DescribeScalingActivities DescribeScalingPolicies PutScalingPolicy RegisterScalableTarget",
        "cloudwatch:DeleteAlarms DescribeAlarmHistory DescribeAlarms DescribeAlarmsForMetric GetMetricStatistics ListMetrics PutMetricAlarm GetMetricData",
        "datapipeline:ActivatePipeline CreatePipeline DeletePipeline DescribeObjects DescribePipelines GetPipelineDefinition ListPipelines PutPipelineDefinition QueryObjects",
        "ec2:DescribeVpcs DescribeSubnets DescribeSecurityGroups",
        "iam:GetRole ListRoles",
        "kms:DescribeKey ListAliases",
        "sns:CreateTopic DeleteTopic ListSubscriptions ListSubscriptionsByTopic ListTopics Subscribe Unsubscribe SetTopicAttributes",
        "lambda:CreateFunction ListFunctions ListEventSourceMappings CreateEventSourceMapping DeleteEventSourceMapping GetFunctionConfiguration DeleteFunction",
        "resource-groups:ListGroups ListGroupResources GetGroup GetGroupQuery DeleteGroup CreateGroup",
        "tag:GetResources",
        "kinesis:ListStreams DescribeStream DescribeStreamSummary",
      ],
      "*",
    ),
    allow(
      "cloudwatch:GetInsightRuleReport",
      "arn:aws:cloudwatch:*:*:insight-rule/DynamoDBContributorInsights*",
    ),
    allow("iam:PassRole", "*", {
      StringLike: {
        "iam:PassedToService": [
          "application-autoscaling.amazonaws.com",
          "application-autoscaling.amazonaws.com.cn",
          "dax.amazonaws.com",
        ],
      },
    }),
    allow("iam:CreateServiceLinkedRole", "*", {
      StringEquals: {
        "iam:AWSServiceName": [
          "replication.dynamodb.amazonaws.com",
          "dax.amazonaws.com",
          "dynamodb.application-autoscaling.amazonaws.com",
          "contributorinsights.dynamodb.amazonaws.com",
          "kinesisreplication.dynamodb.amazonaws.com",
        ],
      },
    }),
  ],
  AmazonSQSFullAccess: [allow("sqs:*", "*")],
  AmazonKinesisFullAccess: [allow("kinesis:*", "*")],
  AmazonPrometheusRemoteWriteAccess: [allow("aps:RemoteWrite", "*")],
  AWSXRayDaemonWriteAccess: [allow(TRACE, "*")],
  CloudWatchAgentServerPolicy: [
    allow(
      [
        "cloudwatch:PutMetricData",
        "ec2:DescribeVolumes DescribeTags",
        "logs:PutLogEvents PutRetentionPolicy DescribeLogStreams DescribeLogGroups CreateLogStream CreateLogGroup",
        TRACE,
      ],
      "*",
    ),
    allow("ssm:GetParameter", "arn:aws:ssm:*:*:parameter/AmazonCloudWatch-*"),
  ],
  SecretsManagerReadWrite: [
    allow(
      [
        "secretsmanager:*",
        "cloudformation:CreateChangeSet DescribeChangeSet DescribeStackResource DescribeStacks ExecuteChangeSet",
        "docdb-elastic:GetCluster ListClusters",
        "ec2:DescribeSecurityGroups DescribeSubnets DescribeVpcs",
        "kms:DescribeKey ListAliases ListKeys",
        "lambda:ListFunctions",
        "rds:DescribeDBClusters DescribeDBInstances",
        "redshift:DescribeClusters",
        "redshift-serverless:ListWorkgroups GetNamespace",
        "tag:GetResources",
      ],
      "*",
    ),
    allow(
      "lambda:AddPermission CreateFunction GetFunction InvokeFunction UpdateFunctionConfiguration",
      "arn:aws:lambda:*:*:function:SecretsManager*",
    ),
    allow(
      "serverlessrepo:CreateCloudFormationChangeSet GetApplication",
      "arn:aws:serverlessrepo:*:*:applications/SecretsManager*",
    ),
    allow("s3:GetObject", [
      "arn:aws:s3:::awsserverlessrepo-changesets*",
      "arn:aws:s3:::secrets-manager-rotation-apps-*/*",
    ]),
  ],
  "service-role/AmazonEBSCSIDriverPolicy": EBS_CSI_DRIVER,
  "service-role/AmazonEFSCSIDriverPolicy": [
    allow(
      [
        "elasticfilesystem:DescribeAccessPoints DescribeFileSystems DescribeMountTargets",
        "ec2:DescribeAvailabilityZones",
      ],
      "*",
    ),
    allow("elasticfilesystem:CreateAccessPoint", "*", { ...HAS_EFS_TAG, ...ONLY_EFS_TAG }),
    allow("elasticfilesystem:TagResource", "*", {
      ...HAS_EFS_TAG,
      ...ONLY_EFS_TAG,
      StringEquals: { "elasticfilesystem:CreateAction": "CreateAccessPoint" },
    }),
    allow("elasticfilesystem:DeleteAccessPoint", "*", {
      Null: { [`aws:ResourceTag/${EFS_TAG}`]: "false" },
    }),
  ],
  AmazonEKS_CNI_Policy: [
    allow(
      "ec2:AssignPrivateIpAddresses AttachNetworkInterface CreateNetworkInterface DeleteNetworkInterface DescribeInstances DescribeTags DescribeNetworkInterfaces DescribeInstanceTypes DescribeSubnets DescribeSecurityGroups DetachNetworkInterface ModifyNetworkInterfaceAttribute UnassignPrivateIpAddresses",
      "*",
    ),
    allow("ec2:CreateTags", "arn:aws:ec2:*:*:network-interface/*"),
  ],
};

/** Policies that deny something, and permissions boundaries; those of service-linked roles attach to no other role. */
const DENYING =
  /Boundary|Deny|Quarantine|Restricted|PrivateCA(?:Privileged)?User$|^(?:AWSIAMIdentityCenterAllowList|IAM(?:Audit|Create|Delete)RootUser|S3UnlockBucketPolicy|SQSUnlockQueuePolicy|AWSCleanRoomsFullAccessNoQuerying|AWSDeepRacerDefaultMultiUser|AWSLakeFormationDataAdmin|AWSMarketplaceImageBuild|AWSTransformApplicationDeployment|AmazonConnectReadOnlyAccess|AmazonRedshiftDataFullAccess|SageMakerStudio(?:Admin|User)IAM)/;
