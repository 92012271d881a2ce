import { ApiObject } from "cdk8s";
import type { Construct } from "constructs";
import { fail } from "../../errors";
import { isDnsSubdomain } from "../../model/kubernetes-name";
import type { INodeCarrier } from "../../model/node-carrier";
import {
  type ObjectKind,
  anyObject,
  checkGiven,
  list as listOf,
  object,
  optional,
  text as TEXT,
} from "../../model/shape";
import { NODEADM_PLACES } from "../../rules/node/host";
import { type UserDataPart, USER_DATA_PART, nodeadmUserData, otherAmiFamily } from "../../rules/node/nodeadm";

/** User data of EKS nodes that run Amazon Linux 2023. */
export interface NodeadmProps {
  /**
   * Name of the document; becomes `nodes/<name>.txt`.
   *
   * @defaultValue "nodeadm"
   */
  readonly name?: string;
  /**
   * Further parts of the user data, placed before those of the credential providers: scripts, or a NodeConfig with the
   * cluster's endpoint, which self-managed nodes and custom AMIs need.
   *
   * @defaultValue - none; EKS adds the cluster's part for managed node groups
   */
  readonly parts?: readonly UserDataPart[];
}

const NODEADM_PROPS: ObjectKind<NodeadmProps> = object({
  name: optional(TEXT),
  parts: optional(listOf(USER_DATA_PART)),
});

/**
 * EKS nodes of Amazon Linux 2023 that start from a launch template: one text of user data with the files for cloud-init
 * and the kubelet's flags for nodeadm. In Terraform: `userData:
 * Fn.base64encode(manifests.rendered("nodes/nodeadm.txt"))`.
 */
export function nodeadm(props: NodeadmProps = {}): INodeCarrier<Construct> {
  checkGiven("nodeadm()", NODEADM_PROPS, props);
  const { name = "nodeadm", parts = [] } = props;
  return {
    places: NODEADM_PLACES,
    carry: (sink, setup) =>
      sink.nodeDocument(name, { form: "nodeadm", extension: "txt", content: nodeadmUserData(setup, parts) }),
  };
}

/** An EC2NodeClass of Karpenter. */
export interface Ec2NodeClassProps {
  /** Name of the EC2NodeClass, a DNS subdomain; also the name of its manifest. */
  readonly name: string;
  /** The spec without `userData`; its AMIs must be of Amazon Linux 2023. */
  readonly spec: Readonly<Record<string, unknown>>;
  /**
   * Further parts of the user data, placed before those of the credential providers.
   *
   * @defaultValue - none; Karpenter adds the cluster's part
   */
  readonly parts?: readonly UserDataPart[];
}

const EC2_NODE_CLASS_PROPS: ObjectKind<Ec2NodeClassProps> = object({
  name: TEXT,
  spec: anyObject as ObjectKind<Readonly<Record<string, unknown>>>,
  parts: optional(listOf(USER_DATA_PART)),
});

/** EKS nodes that Karpenter creates: an EC2NodeClass with user data. A change replaces the nodes (drift). */
export function ec2NodeClass(props: Ec2NodeClassProps): INodeCarrier<Construct> {
  checkGiven("ec2NodeClass()", EC2_NODE_CLASS_PROPS, props);
  const { name, spec, parts = [] } = props;
  checkNodeClass(name, spec);
  return {
    places: NODEADM_PLACES,
    carry: (sink, setup) => {
      const chart = sink.chart("ec2-node-classes", { order: 50, comment: COMMENT });
      new ApiObject(chart, name, {
        apiVersion: "karpenter.k8s.aws/v1",
        kind: "EC2NodeClass",
        metadata: { name },
        spec: { ...spec, userData: nodeadmUserData(setup, parts) },
      });
    },
  };
}

const COMMENT: readonly string[] = [
  "Karpenter treats a change of userData as drift and replaces the nodes. Apply permissions and annotated service accounts first.",
];

function checkNodeClass(name: string, spec: Readonly<Record<string, unknown>>): void {
  if (!isDnsSubdomain(name))
    fail("kubernetes-invalid", {
      problem: "the name of the EC2NodeClass is not a DNS subdomain",
      value: name,
      allowed: "1 to 253 of a-z, 0-9, - and .",
      remedy: "use a name like default",
    });
  if (spec["userData"] !== undefined)
    fail("node-conflict", {
      problem: `the spec of the EC2NodeClass ${name} already has user data, which this carrier writes`,
      value: "userData",
      allowed: "a spec without userData",
      remedy: "pass the contents of your userData as `parts`",
    });
  const other = otherAmiFamily(spec);
  if (other !== undefined)
    fail("node-unsupported", {
      problem: `the spec of the EC2NodeClass ${name} does not say that its AMIs are of Amazon Linux 2023${other === "Bottlerocket" || other === "BOTTLEROCKET" ? BOTTLEROCKET : ""}`,
      value: other || undefined,
      allowed: 'amiFamily: "AL2023", or an alias al2023@…',
      remedy: "run pods that pull with their own identity on nodes of Amazon Linux 2023",
    });
}

/** bottlerocket-os/bottlerocket, settings.kubernetes.credential-providers; issue 4165. */
const BOTTLEROCKET =
  ", and Bottlerocket's settings for credential providers support image patterns, a cache duration and variables, but not tokens";
