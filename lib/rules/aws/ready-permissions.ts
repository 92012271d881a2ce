/*
 * The AWS permissions of software that many clusters run: one row per program, with the document of its project that
 * lists the actions. A row that says so is narrower: limited to the region and to resources tagged for the cluster.
 */

import { fail } from "../../errors";
import { isLate } from "../../model/late";
import {
  type Kind,
  type ObjectKind,
  anyObject,
  choice,
  like,
  list,
  object,
  optional,
  text,
} from "../../model/shape";
import { partitionOf } from "./partitions";
import { type EcrGrant, pullPermissions, repositoryArns } from "./permission";
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

/** Settings of `ebsCsiDriver()`. */
export interface EbsCsiDriverProps {
  /** Region of the cluster. */
  readonly region: string;
  /**
   * ARNs of the KMS keys with which volumes are encrypted; may be late.
   *
   * @defaultValue - none; the key that AWS manages for EBS needs no permission
   */
  readonly kmsKeys?: readonly string[];
}

/** Settings of software that writes DNS records. */
export interface HostedZonesProps {
  /** Ids of the hosted zones of Route 53, `Z0123456789ABCDEFGHIJ`; may be late. At least one. */
  readonly hostedZones: readonly string[];
  /**
   * Any region of the partition.
   *
   * @defaultValue - the partition `aws`
   */
  readonly region?: string;
}

/** Settings of `externalSecrets()`; at least one secret or parameter. */
export interface ExternalSecretsProps {
  /**
   * ARNs of secrets of Secrets Manager, `…:secret:shop/*` for all names with that prefix; may be late.
   *
   * @defaultValue - none
   */
  readonly secrets?: readonly string[];
  /**
   * ARNs of parameters of Parameter Store, `…:parameter/shop/*` for all names with that prefix; may be late.
   *
   * @defaultValue - none
   */
  readonly parameters?: readonly string[];
  /**
   * ARNs of the KMS keys with which they are encrypted; may be late.
   *
   * @defaultValue - none; the keys that AWS manages need no permission
   */
  readonly kmsKeys?: readonly string[];
}

/** Settings of `fluxSourceController()`. */
export interface FluxSourceControllerProps {
  /** Repositories of the artefacts: `ecr()`, without `ownerPolicy` or with `elsewhere`, and `ecrPublic()`. At least one. */
  readonly from: readonly { readonly grant: EcrGrant }[];
}

const ECR: Kind<{ readonly grant: EcrGrant; readonly ownerPolicy?: "elsewhere" }> = like(
  'ecrPublic(…), or ecr(…) without ownerPolicy or with "elsewhere"',
  { grant: anyObject, ownerPolicy: optional(choice(["elsewhere"])) },
);
const FLUX_SOURCE_CONTROLLER_PROPS: ObjectKind<FluxSourceControllerProps> = object({ from: list(ECR) });
const EBS_CSI_DRIVER_PROPS: ObjectKind<EbsCsiDriverProps> = object({
  region: text,
  kmsKeys: optional(list(text)),
});
const HOSTED_ZONES_PROPS: ObjectKind<HostedZonesProps> = object({
  hostedZones: list(text),
  region: optional(text),
});
const EXTERNAL_SECRETS_PROPS: ObjectKind<ExternalSecretsProps> = object({
  secrets: optional(list(text)),
  parameters: optional(list(text)),
  kmsKeys: optional(list(text)),
});

export const EBS_CSI_DRIVER: Row<EbsCsiDriverProps> = {
  serviceAccount: "kube-system/ebs-csi-controller-sa",
  source:
    "kubernetes-sigs/aws-ebs-csi-driver 1.64.0, docs/AmazonEBSCSIDriverPolicyV2.json and docs/install.md",
  leavesOut: "volumes and snapshots that neither the driver nor the in-tree plugin made or tagged",
  props: EBS_CSI_DRIVER_PROPS,
  rights: ({ region, kmsKeys }) => {
    const every = (type: string): string => arnIn(region, "ec2", `${type}/*`);
    const [volumes, snapshots, instances] = [every("volume"), every("snapshot"), every("instance")];
    const ownTag = { StringEquals: { "ec2:ResourceTag/ebs.csi.aws.com/cluster": "true" } };
    const requestTag = { StringEquals: { "aws:RequestTag/ebs.csi.aws.com/cluster": "true" } };
    const migrated = { StringLike: { "ec2:ResourceTag/kubernetes.io/created-for/pvc/name": "*" } };
    const changes = "ec2:AttachVolume CopyVolumes DeleteVolume DetachVolume ModifyVolume";
    return [
      allow(
        "ec2:DescribeAvailabilityZones DescribeInstances DescribeInstanceTypes DescribeSnapshots DescribeVolumes DescribeVolumesModifications DescribeVolumeStatus",
        "*",
      ),
      allow("ec2:CopyVolumes CreateVolume", volumes, requestTag),
      allow(["ec2:CreateSnapshot"], snapshots, requestTag),
      allow([changes, "ec2:CreateSnapshot"], volumes, ownTag),
      allow(changes, volumes, migrated),
      allow("ec2:CreateVolume DeleteSnapshot EnableFastSnapshotRestores LockSnapshot", snapshots, ownTag),
      allow("ec2:AttachVolume DetachVolume", instances),
      allow("ec2:CreateTags", [volumes, snapshots], {
        StringEquals: { "ec2:CreateAction": ["CopyVolumes", "CreateSnapshot", "CreateVolume"] },
      }),
      allow("ec2:CreateTags DeleteTags", volumes, { ...ownTag, ...OTHER_TAGS }),
      ...encrypting(kmsKeys),
    ];
  },
};

/** Tags that conditions of the row do not look at. */
const OTHER_TAGS: PolicyCondition = {
  Null: { "aws:TagKeys": "false" },
  "ForAllValues:StringNotEquals": {
    "aws:TagKeys": [
      "ebs.csi.aws.com/cluster",
      "ebs.csi.aws.com/cluster-name",
      "kubernetes.io/created-for/pvc/name",
    ],
  },
};

/** The condition on grants is that of the EKS user guide, "Store Kubernetes volumes with Amazon EBS". */
function encrypting(kmsKeys: readonly string[] = []): readonly PolicyStatement[] {
  if (kmsKeys.length === 0) return [];
  const keys = arnsOf("kms", "key/", kmsKeys, "an entry of kmsKeys");
  return [
    allow("kms:Decrypt GenerateDataKeyWithoutPlaintext", keys),
    allow("kms:CreateGrant", keys, { Bool: { "kms:GrantIsForAWSResource": "true" } }),
  ];
}

const ELB = "elasticloadbalancing";

const READ_BY_LOAD_BALANCER_CONTROLLER: readonly string[] = [
  "ec2:DescribeAccountAttributes DescribeAddresses DescribeAvailabilityZones DescribeCoipPools DescribeInstances DescribeInternetGateways DescribeIpamPools DescribeNetworkInterfaces DescribeRouteTables DescribeSecurityGroups DescribeSubnets DescribeTags DescribeVpcPeeringConnections DescribeVpcs GetCoipPoolUsage GetSecurityGroupsForVpc",
  "elasticloadbalancing:DescribeCapacityReservation DescribeListenerAttributes DescribeListenerCertificates DescribeListeners DescribeLoadBalancerAttributes DescribeLoadBalancers DescribeRules DescribeSSLPolicies DescribeTags DescribeTargetGroupAttributes DescribeTargetGroups DescribeTargetHealth DescribeTrustStores",
  "acm:DescribeCertificate ListCertificates",
  "cognito-idp:DescribeUserPoolClient",
  "iam:GetServerCertificate ListServerCertificates",
];

export const LOAD_BALANCER_CONTROLLER: Row<TaggedClusterProps> = {
  serviceAccount: "kube-system/aws-load-balancer-controller",
  source:
    "kubernetes-sigs/aws-load-balancer-controller 3.5.0, docs/install/iam_policy.json and docs/deploy/installation.md",
  leavesOut:
    "security groups without a tag of the cluster, load balancers of other clusters, Global Accelerator, certificates that the controller requests",
  props: TAGGED_CLUSTER_PROPS,
  rights: (props) => [
    allow("iam:CreateServiceLinkedRole", "*", {
      StringEquals: { "iam:AWSServiceName": "elasticloadbalancing.amazonaws.com" },
    }),
    allow(READ_BY_LOAD_BALANCER_CONTROLLER, "*"),
    allow(PROTECTION, "*"),
    ...ofSecurityGroups(props),
    ...ofLoadBalancers(props),
  ],
};

/** The tag that the controller gives all that it makes: pkg/deploy/tracking/provider.go. */
function ofTag(clusterName: string): {
  readonly own: PolicyCondition;
  readonly untouched: PolicyCondition;
  readonly created: (service: string, ...names: readonly string[]) => PolicyCondition;
} {
  const [tag, cluster] = ["elbv2.k8s.aws/cluster", tagPart(clusterName)];
  const own = { StringEquals: { [`aws:ResourceTag/${tag}`]: cluster } };
  return {
    own,
    untouched: { ...own, Null: { [`aws:RequestTag/${tag}`]: "true" } },
    created: (service, ...names) => ({
      StringEquals: {
        [`aws:RequestTag/${tag}`]: cluster,
        ...(names.length > 0 && { [`${service}:CreateAction`]: names }),
      },
    }),
  };
}

function ofSecurityGroups({ region, clusterName }: TaggedClusterProps): readonly PolicyStatement[] {
  const { own, untouched, created } = ofTag(clusterName);
  const groups = arnIn(region, "ec2", "security-group/*");
  const ingress = "ec2:AuthorizeSecurityGroupIngress RevokeSecurityGroupIngress";
  return [
    allow("ec2:CreateSecurityGroup", "*"),
    allow("ec2:CreateTags", groups, created("ec2", "CreateSecurityGroup")),
    allow("ec2:CreateTags DeleteTags", groups, untouched),
    // Of nodes and of the cluster: what the controller opens to its load balancers.
    allow(ingress, "*", { Null: { [`aws:ResourceTag/kubernetes.io/cluster/${clusterName}`]: "false" } }),
    allow([ingress, "ec2:DeleteSecurityGroup"], "*", own),
  ];
}

function ofLoadBalancers({ region, clusterName }: TaggedClusterProps): readonly PolicyStatement[] {
  const { own, untouched, created } = ofTag(clusterName);
  const every = (types: string, rest: string): readonly string[] =>
    types.split(" ").map((type) => arnIn(region, ELB, `${type}${rest}`));
  const targetGroups = every("targetgroup", "/*/*");
  const balancers = [...every("loadbalancer/app loadbalancer/net", "/*/*"), ...targetGroups];
  const listeners = every("listener/app listener/net listener-rule/app listener-rule/net", "/*/*/*");
  const changes =
    "elasticloadbalancing:DeleteLoadBalancer DeleteTargetGroup ModifyCapacityReservation ModifyIpPools ModifyListenerAttributes ModifyLoadBalancerAttributes ModifyTargetGroup ModifyTargetGroupAttributes SetIpAddressType SetSecurityGroups SetSubnets";
  const ofListeners =
    "elasticloadbalancing:AddListenerCertificates CreateListener CreateRule DeleteListener DeleteRule ModifyListener ModifyRule RemoveListenerCertificates SetRulePriorities SetWebAcl";
  return [
    allow("elasticloadbalancing:CreateLoadBalancer CreateTargetGroup", "*", created(ELB)),
    allow(
      ["elasticloadbalancing:AddTags"],
      balancers,
      created(ELB, "CreateLoadBalancer", "CreateTargetGroup"),
    ),
    allow("elasticloadbalancing:AddTags RemoveTags", balancers, untouched),
    allow("elasticloadbalancing:AddTags RemoveTags", listeners),
    allow(changes, "*", own),
    allow("elasticloadbalancing:DeregisterTargets RegisterTargets", targetGroups),
    allow(ofListeners, "*"),
  ];
}

const PROTECTION: readonly string[] = [
  "shield:CreateProtection DeleteProtection DescribeProtection GetSubscriptionState",
  ...["waf-regional", "wafv2"].map(
    (service) => `${service}:AssociateWebACL DisassociateWebACL GetWebACL GetWebACLForResource`,
  ),
];

/** The tags by which it discovers groups as its chart configures it, of which it compares no value. */
export const CLUSTER_AUTOSCALER: Row<TaggedClusterProps> = {
  serviceAccount: "kube-system/cluster-autoscaler",
  source: "kubernetes/autoscaler, cluster-autoscaler 1.36.1, cloudprovider/aws/README.md",
  leavesOut:
    "Auto Scaling groups without the tags `k8s.io/cluster-autoscaler/enabled` and `k8s.io/cluster-autoscaler/<cluster>`",
  props: TAGGED_CLUSTER_PROPS,
  rights: ({ region, clusterName }) => {
    const cluster = tagPart(clusterName);
    const tag = "aws:ResourceTag/k8s.io/cluster-autoscaler";
    return [
      allow(
        [
          "autoscaling:DescribeAutoScalingGroups DescribeAutoScalingInstances DescribeLaunchConfigurations DescribeScalingActivities",
          "ec2:DescribeImages DescribeInstanceTypes DescribeLaunchTemplateVersions GetInstanceTypesFromInstanceRequirements",
        ],
        "*",
      ),
      allow("eks:DescribeNodegroup", arnIn(region, "eks", `nodegroup/${cluster}/*/*`)),
      allow(
        "autoscaling:SetDesiredCapacity TerminateInstanceInAutoScalingGroup",
        arnIn(region, "autoscaling", "autoScalingGroup:*:autoScalingGroupName/*"),
        { Null: { [`${tag}/enabled`]: "false", [`${tag}/${cluster}`]: "false" } },
      ),
    ];
  },
};

export const EXTERNAL_DNS: Row<HostedZonesProps> = {
  serviceAccount: "external-dns/external-dns",
  source: "kubernetes-sigs/external-dns 0.22.0, docs/tutorials/aws.md",
  leavesOut: "records of other zones, Cloud Map",
  props: HOSTED_ZONES_PROPS,
  rights: (props) => [
    allow("route53:ChangeResourceRecordSets ListResourceRecordSets ListTagsForResources", zonesOf(props)),
    allow("route53:ListHostedZones", "*"),
  ],
};

const RECORD_TYPES = "route53:ChangeResourceRecordSetsRecordTypes";

export const CERT_MANAGER: Row<HostedZonesProps> = {
  serviceAccount: "cert-manager/cert-manager",
  source: "cert-manager/website for 1.21.1, content/docs/configuration/acme/dns01/route53.md",
  leavesOut: "records of other zones or of another type than TXT, roles of other accounts",
  props: HOSTED_ZONES_PROPS,
  rights: (props) => {
    const zones = zonesOf(props);
    return [
      // Without the key a comparison of all values would hold.
      allow("route53:ChangeResourceRecordSets", zones, {
        "ForAllValues:StringEquals": { [RECORD_TYPES]: ["TXT"] },
        Null: { [RECORD_TYPES]: "false" },
      }),
      allow("route53:ListResourceRecordSets", zones),
      allow("route53:GetChange", `arn:${partitionName(props)}:route53:::change/*`),
      allow("route53:ListHostedZonesByName", "*"),
    ];
  },
};

export const EXTERNAL_SECRETS: Row<ExternalSecretsProps> = {
  serviceAccount: "external-secrets/external-secrets",
  source:
    "external-secrets/external-secrets 2.9.0, docs/provider/aws-secrets-manager.md and docs/provider/aws-parameter-store.md",
  leavesOut: "searching by name, path or tag (`dataFrom.find`), tags of parameters, `PushSecret`, generators",
  props: EXTERNAL_SECRETS_PROPS,
  rights: ({ secrets = [], parameters = [], kmsKeys = [] }) => {
    if (secrets.length + parameters.length === 0)
      fail("aws-missing", {
        problem: "externalSecrets() names neither a secret nor a parameter",
        allowed: "ARNs in `secrets`, in `parameters`, or in both",
        remedy: "name the secrets and parameters that the SecretStores read",
      });
    const rows = [
      ["DescribeSecret GetSecretValue", "secretsmanager", "secret:", secrets, "secrets"],
      ["GetParameter", "ssm", "parameter/", parameters, "parameters"],
      ["Decrypt", "kms", "key/", kmsKeys, "kmsKeys"],
    ] as const;
    return rows.flatMap(([names, service, type, arns, property]) =>
      arns.length === 0
        ? []
        : [allow([`${service}:${names}`], arnsOf(service, type, arns, `an entry of ${property}`))],
    );
  },
};

/** The pull of an image, and the tags of a repository, in which a range of versions is looked up. */
export const FLUX_SOURCE_CONTROLLER: Row<FluxSourceControllerProps> = {
  serviceAccount: "flux-system/source-controller",
  source: "fluxcd/website for 2.8.8, content/en/flux/integrations/aws.md",
  leavesOut:
    "other repositories, policies that owners in other accounts must write, buckets, objects with a `serviceAccountName`, the other controllers",
  props: FLUX_SOURCE_CONTROLLER_PROPS,
  rights: ({ from }) => {
    const grants = from.map(({ grant }) => grant);
    const own = grants.flatMap((grant) => (grant.kind === "private" ? repositoryArns(grant) : []));
    return [
      // Without their Sid, so that lines of one service account can be joined.
      ...pullPermissions(grants).Statement.map(({ Sid: _, ...rest }) => rest),
      ...(own.length > 0 ? [allow("ecr:ListImages", [...new Set(own)].sort())] : []),
    ];
  },
};

function partitionName({ region }: HostedZonesProps): string {
  return region === undefined ? "aws" : partitionOf(region).name;
}

/** Source: Route 53 API reference, HostedZone, `Id`: at most 32 characters. */
const ZONE = /^Z[A-Z0-9]{1,31}$/;

function zonesOf(props: HostedZonesProps): readonly string[] {
  const { hostedZones } = props;
  const wrong = hostedZones.find((zone) => !isLate(zone) && !ZONE.test(zone));
  if (hostedZones.length === 0 || wrong !== undefined)
    fail("aws-invalid", {
      problem: "hostedZones is empty, or an entry is not the id of a hosted zone",
      value: wrong ?? hostedZones,
      allowed: "ids such as Z0123456789ABCDEFGHIJ, without /hostedzone/",
      remedy: "use `zoneId` of the zone's resource, or `aws route53 list-hosted-zones`",
    });
  return hostedZones.map((zone) => `arn:${partitionName(props)}:route53:::hostedzone/${zone}`);
}
