/*
 * Whether pods get credentials from EKS Pod Identity: EKS sets their variables, and an agent on their node serves them.
 *
 * Sources: EKS user guide, "Set up the Amazon EKS Pod Identity Agent" and "Automate cluster infrastructure with EKS
 * Auto Mode"; aws/amazon-eks-pod-identity-webhook, pkg/handler/handler.go; aws/eks-pod-identity-agent,
 * charts/eks-pod-identity-agent/values.yaml: Linux nodes only, not Fargate.
 */

import { type Known, type Ternary, and, is, isAbsent, orElse, same, shown, whether } from "../../model/known";
import { agentOf } from "../../rules/pod-identity-webhooks";
import { matchesPattern } from "../../rules/wildcard";
import { type Answer, pass, seen, unknown } from "../answer";
import type { AccountQuestion } from "../cloud";
import type { ClusterNames } from "../coverage/closed-world";
import { type Block, type Resource, referredResource } from "../read/block";
import type { Source } from "../read/source";
import type { Terraform } from "../read/terraform";
import { containersOf, mayBeForWindows } from "../shared/pods";
import { accountOf, regionOf } from "./place";

const CLUSTER = "aws_eks_cluster";
const FARGATE = "aws_eks_fargate_profile";
const AGENT = "eks-pod-identity-agent";
const DAEMON_SET = `kube-system/${AGENT}`;
const ANNOTATE = "give the service account its role by annotation instead, without `podIdentity`";

/** Whether a cluster's resource is the one that a name means. */
export function isNamed(cluster: Resource, name: Known<string>): Ternary {
  return referredResource(name, ["id", "name"]) === cluster ? "yes" : same(cluster.attribute("name"), name);
}

/** Whether two resources are in one account and region. */
export function inOnePlace(one: Resource, other: Resource): Ternary {
  return and(same(regionOf(one), regionOf(other)), same(accountOf(one), accountOf(other)));
}

/** Whether the pods of an association's service account get credentials. */
export function associatedPods(
  terraform: Terraform,
  association: Resource,
  { pods, webhooks }: Pick<AccountQuestion, "pods" | "webhooks">,
): Answer {
  const cluster = association.stated("cluster_name");
  // What does not say where it belongs, as stated facts do not, is found by the name alone.
  const ofCluster = (
    type: string,
    isOf: (each: Resource) => Ternary,
  ): readonly (readonly [Resource, Ternary])[] =>
    terraform.ofType(type).flatMap((each) => {
      const isIts = isOf(each);
      return isIts === "no" || inOnePlace(each, association) === "no" ? [] : [[each, isIts] as const];
    });
  const byName = (each: Resource): Ternary => same(each.stated("cluster_name"), cluster);
  const namespace = orElse(association.stated("namespace"), () => "");
  const [problem] = [
    ...ofCluster(FARGATE, byName).flatMap(([each]) => withoutAgent(each, namespace) ?? []),
    ...pods.flatMap((pod) => ownCredentials(pod) ?? []),
  ];
  if (problem) return problem;
  const certain = (found: ReturnType<typeof ofCluster>): readonly Resource[] =>
    found.flatMap(([each, isIts]) => (isIts === "yes" ? [each] : []));
  // Only Auto Mode nodes have the agent built in.
  const hasOthers = ofCluster("aws_eks_node_group", byName).length > 0;
  const agent =
    certain(ofCluster("aws_eks_addon", byName)).find(
      (each) => is(each.stated("addon_name"), AGENT) === "yes",
    ) ??
    certain(ofCluster(CLUSTER, (each) => isNamed(each, cluster))).find((each) => !hasOthers && isAuto(each));
  const running = [orElse(cluster, () => ""), ""].map((name) => webhooks.get(agentOf(DAEMON_SET, name)));
  return withAgent(cluster, agent?.source ?? running.find((each) => each !== undefined));
}

function withAgent(cluster: Known<string>, agent: Source | undefined): Answer {
  if (agent)
    return pass(
      "EKS sets the variables of its pods, and the agent gives them credentials",
      seen("EKS Pod Identity Agent", agent),
    );
  return unknown(
    `whether the EKS Pod Identity Agent runs on the nodes of ${shown(cluster)} is not known`,
    `declare the add-on ${AGENT}, give explain the Terraform that declares it or the cluster's DaemonSet ${DAEMON_SET}, or state it with --facts as aws.podIdentityAgents`,
  );
}

function isAuto(cluster: Resource): boolean {
  const [compute] = orElse(cluster.blocks("compute_config"), () => []);
  return compute !== undefined && is(compute.text("enabled"), "true") === "yes";
}

/** Whether pods of a namespace may run where the kubelet is not the user's, so that no plugin gets their tokens. */
export function pulledOnFargate(
  terraform: Terraform,
  { name, cloudName = name }: ClusterNames,
  namespace: string,
): Answer | undefined {
  const isIts = (profile: Resource): boolean =>
    cloudName === undefined || is(profile.stated("cluster_name"), cloudName) !== "no";
  const profile = terraform.ofType(FARGATE).find((each) => isIts(each) && mayRun(each, namespace));
  return (
    profile &&
    unknown(
      `pods of namespace ${namespace} may run on Fargate, where nodes pull as the profile's role and take no credential provider`,
      "keep the profile's selectors off the namespace, or let the pod execution role pull",
      seen("Fargate profile", profile.source),
    )
  );
}

/** Whether a profile may select pods of a namespace; their labels are not looked at. */
function mayRun(profile: Resource, namespace: string): boolean {
  const covers = (selector: Block): boolean =>
    whether(selector.text("namespace"), (pattern) => matchesPattern(pattern ?? "", namespace) !== false) !==
    "no";
  return orElse(profile.blocks("selector"), () => undefined)?.some(covers) ?? true;
}

function withoutAgent(profile: Resource, namespace: string): Answer | undefined {
  return mayRun(profile, namespace)
    ? unknown(
        `pods of namespace ${namespace} may run on Fargate, where EKS Pod Identity has no agent`,
        ANNOTATE,
        seen("Fargate profile", profile.source),
      )
    : undefined;
}

/** Variables that may bring other credentials or keep EKS from setting its own. */
const BEFORE: readonly string[] = [
  "AWS_ACCESS_KEY_ID",
  "AWS_PROFILE",
  "AWS_SHARED_CREDENTIALS_FILE",
  "AWS_CONFIG_FILE",
  "AWS_WEB_IDENTITY_TOKEN_FILE",
  "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE",
  "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
  "AWS_CONTAINER_CREDENTIALS_FULL_URI",
];

function ownCredentials({ title, spec, source }: AccountQuestion["pods"][number]): Answer | undefined {
  const where = seen(title, source);
  if (mayBeForWindows(spec))
    return unknown(
      `${title} may run on Windows, where EKS Pod Identity has no agent`,
      "select Linux nodes by `nodeSelector`",
      where,
    );
  for (const { name, variable } of containersOf(spec)) {
    const set = BEFORE.find((each) => !isAbsent(variable(each)));
    if (set !== undefined)
      return unknown(
        `the container ${name} of ${title} has ${set}, so it may act with other credentials, or with none`,
        `remove ${set} from the pod`,
        where,
      );
  }
  return undefined;
}
