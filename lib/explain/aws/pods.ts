/*
 * What pods get from AWS: from the pod identity webhook, which leaves a container alone that sets one of the two variables,
 * and from EKS Pod Identity, which sets variables of its own, and whose agent on the nodes serves the credentials.
 *
 * Sources: aws/amazon-eks-pod-identity-webhook, pkg/handler/handler.go (`addEnvToContainer`); EKS user guide, "Set up the
 * Amazon EKS Pod Identity Agent" and "Automate cluster infrastructure with EKS Auto Mode"; aws/eks-pod-identity-agent,
 * charts/eks-pod-identity-agent/values.yaml: Linux nodes only, not Fargate.
 */

import {
  type Known,
  type Ternary,
  and,
  is,
  isAbsent,
  isWritten,
  known,
  map,
  match,
  orElse,
  same,
  shown,
  unread,
  whether,
  whyNot,
} from "../../model/known";
import { SKIP_CONTAINERS, SKIP_LABEL, agentOf } from "../../rules/pod-identity-webhooks";
import { matchesPattern } from "../../rules/wildcard";
import { type Answer, type Evidence, broken, pass, seen, unknown } from "../answer";
import type { AccountQuestion, AccountReading } from "../cloud";
import type { ClusterNames } from "../coverage/closed-world";
import { type Block, type Resource, referredResource } from "../read/block";
import type { PodFact } from "../read/pods";
import type { Source } from "../read/source";
import type { Terraform } from "../read/terraform";
import { type ContainerFact, containersOf, mayBeForWindows } from "../shared/pods";
import { stateWebhook, statedWebhook } from "../shared/webhooks";
import { accountOf, regionOf } from "./place";

export const ROLE_VARIABLE = "AWS_ROLE_ARN";
const TOKEN = "AWS_WEB_IDENTITY_TOKEN_FILE";
/** Names a profile in the AWS configuration files; SDKs use its credentials. */
const PROFILE = "AWS_PROFILE";
/** Where the webhook mounts the token. */
const MOUNTED = "/var/run/secrets/eks.amazonaws.com/serviceaccount/token";
/** Credentials that SDKs prefer to a token. */
const LASTING = "AWS_ACCESS_KEY_ID";
const NOT_AUTHORIZED = "is not authorized to perform: sts:AssumeRoleWithWebIdentity";
/** Issuers of EKS clusters, whose control plane runs the webhook. */
const EKS =
  /^https:\/\/(?:oidc[.-]eks\.|<(?:module\.[\w-]+\.)*(?:data\.)?aws_eks_cluster\.)|^<(?:module\.[\w-]+\.)*(?:data\.)?aws_eks_cluster\./;
const NOT_RECORDED = "it is not recorded whether the cluster runs the pod identity webhook of AWS";

/** A container that must act as a role. */
interface Asked {
  readonly pod: PodFact;
  readonly container: ContainerFact;
  readonly arn: Known<string>;
  /** Variables of the program, which override those of its container. */
  readonly program: ReadonlyMap<string, Known<string>>;
  /** Whether the webhook runs, and changes this container. */
  readonly webhook: Ternary;
  readonly skipped: string | undefined;
}

/** What makes AWS' webhook leave a container alone; its answer is not known where the list of containers is not. */
function skippedBy({ labels, annotations }: PodFact, { name }: ContainerFact): Known<string | undefined> {
  if (labels.has(SKIP_LABEL)) return known(`the label ${SKIP_LABEL}`);
  const skipped = annotations.get(SKIP_CONTAINERS);
  if (skipped === undefined) return known(undefined);
  return map(skipped, (names) =>
    names.split(",").some((each) => each.trim() === name) ? `the annotation ${SKIP_CONTAINERS}` : undefined,
  );
}

/** Whether every container acts as the role, and the audiences of their tokens. */
export function webhookPods(
  question: AccountQuestion,
  arn: Known<string>,
  audiences: readonly Known<string>[],
): Pick<AccountReading, "pods" | "audiences"> {
  const { program, fragment } = question;
  const { runs: webhook, evidence } = webhookOn(question);
  const isRead = question.pods.length > 0;
  // If no pod was read, the declared needs of pods show the token; with the webhook they need nothing.
  const pods = isRead || !fragment || webhook === "yes" ? question.pods : [fragment];
  const answers = pods.flatMap((pod) =>
    containersOf(pod.spec).map((container) => {
      const skipped = match<string | undefined, Pick<Asked, "skipped" | "webhook">>(
        skippedBy(pod, container),
        (by) => ({ skipped: by, webhook: by === undefined ? webhook : "no" }),
        () => ({ skipped: undefined, webhook: and(webhook, "unknown") }),
      );
      return judged({ pod, container, arn, program, ...skipped });
    }),
  );
  const places = pods.map(({ title, source }) => seen(title, source));
  const problem = answers.find((each) => each !== undefined && "status" in each);
  if (problem && "status" in problem) return { pods: problem, audiences };
  if (webhook !== "yes" && answers.length === 0) {
    const why = webhook === "no" ? "the hub does not run AWS's pod identity webhook" : NOT_RECORDED;
    const remedy = `${webhook === "no" ? "" : `${stateWebhook("aws")}; or `}give explain the manifests that set ${ROLE_VARIABLE} and ${TOKEN} and mount the token`;
    return { pods: unknown(`no pod was read, and ${why}`, remedy, places), audiences };
  }
  const configured = answers.flatMap((each) => (each && "own" in each ? [each.own] : []));
  const reason =
    webhook === "yes"
      ? "the webhook gives every pod of the service account a token and names its path"
      : `${isRead ? "its pods" : "pods with what is written for them"} mount the token and know its path without the webhook`;
  return { pods: pass(reason, places, evidence), audiences: unequal([...audiences, ...configured]) };
}

/**
 * The role that pods name themselves, beside a token, as kOps writes them: the service account then needs no annotation.
 * `undefined` if they name none.
 */
export function roleOfPods(pods: readonly PodFact[]): Known<string> | undefined {
  const containers = pods.flatMap(({ spec }) => containersOf(spec));
  const own = containers.filter(({ files }) => files.some(({ token }) => token && !isAbsent(token.audience)));
  const roles = own
    .map(({ variable }) => variable(ROLE_VARIABLE))
    .flatMap((role) => (isAbsent(role) ? [] : [role as Known<string>]));
  const [first, ...others] = unequal(roles);
  return others.length > 0 ? unread("the pods name different roles") : first;
}

function unequal(texts: readonly Known<string>[]): readonly Known<string>[] {
  return texts.filter((text, place) => !texts.slice(0, place).some((each) => same(each, text) === "yes"));
}

/** EKS runs the webhook in its control plane, and OpenShift on AWS, whose components act in AWS, always runs it. */
function webhookOn(question: AccountQuestion): ReturnType<typeof statedWebhook> {
  const { issuer, openShift, components = [] } = question.cluster;
  const isOpenShift = openShift?.platform === "aws" || components.some(({ cloud }) => cloud === "aws");
  const isEvident = isOpenShift || (issuer !== undefined && EKS.test(shown(issuer)));
  return isEvident ? { runs: "yes", evidence: [] } : statedWebhook("aws", question);
}

/** A variable that is not set. */
const NONE: Known<string | undefined> = known(undefined);

/**
 * Why a container does not act as the role, or the audience of its own token; `undefined` for the webhook's token. The
 * webhook looks only at the container; variables of the program override the result.
 */
function judged(asked: Asked): Answer | { readonly own: Known<string> } | undefined {
  const { arn, program, webhook, skipped } = asked;
  const { variable, hasMore } = asked.container;
  const [role = NONE, token = NONE, lasting = NONE, profile = NONE] = [
    ROLE_VARIABLE,
    TOKEN,
    LASTING,
    PROFILE,
  ].map((name) => variable(name));
  if (program.has(LASTING) || (!isAbsent(lasting) && isWritten(lasting)))
    return wrong(asked, `sets ${LASTING}`, ", which SDKs prefer to a token");
  if (!isAbsent(profile) || program.has(PROFILE))
    return open(asked, `sets ${PROFILE}, and explain does not judge the credentials of a profile`);
  const isMade = isAbsent(role) && isAbsent(token) && webhook === "yes";
  const actsAs = program.get(ROLE_VARIABLE) ?? (isMade ? arn : role);
  const reads = program.get(TOKEN) ?? (isMade ? known(MOUNTED) : token);
  const isBare = isAbsent(actsAs) && isAbsent(reads);
  // Objects that were not read may set the rest.
  if ([role, token, lasting].some(isOpen) || (hasMore && (isAbsent(actsAs) || isAbsent(reads))))
    return open(asked, NOT_KNOWN);
  if (isBare && webhook === "no")
    return wrong(
      asked,
      `has neither ${ROLE_VARIABLE} nor ${TOKEN}`,
      skipped === undefined
        ? ", and the hub has no webhook that sets them"
        : `, and ${skipped} keeps the webhook from setting them`,
    );
  if (isBare) return open(asked, `sets neither ${ROLE_VARIABLE} nor ${TOKEN}, and ${NOT_RECORDED}`);
  const [there, missing] = isAbsent(actsAs) ? [TOKEN, ROLE_VARIABLE] : [ROLE_VARIABLE, TOKEN];
  if (isAbsent(actsAs) || isAbsent(reads))
    return wrong(asked, `sets ${there}`, ` without ${missing}, and the webhook leaves it alone`);
  const isRole = same<string | undefined>(actsAs, arn);
  if (isRole === "no") return wrong(asked, `sets ${ROLE_VARIABLE} to ${shown(actsAs)}`, "");
  if (isRole === "unknown") return open(asked, NOT_KNOWN);
  return tokenAt(
    orElse(reads, () => undefined),
    asked,
  );
}

const NOT_KNOWN = "takes a role that is known only inside the cluster";

function tokenAt(path: string | undefined, asked: Asked): ReturnType<typeof judged> {
  const { webhook, container } = asked;
  const token = container.files.find((each) => each.path === path)?.token;
  if (token) return isAbsent(token.audience) ? undefined : { own: token.audience as Known<string> };
  if (path === MOUNTED && webhook === "yes") return undefined;
  if (path === MOUNTED && webhook === "unknown")
    return open(asked, `reads the token that the webhook mounts, and ${NOT_RECORDED}`);
  if (path === undefined || container.isOpen) return open(asked, NOT_KNOWN);
  return wrong(
    asked,
    `sets ${TOKEN} to ${path}`,
    ", where no token is mounted, and the webhook leaves it alone",
  );
}

function open({ pod, container, webhook }: Asked, what: string): Answer {
  const way = webhook === "yes" ? `let the webhook set ${ROLE_VARIABLE} and ${TOKEN}` : stateWebhook("aws");
  const remedy = `${way}, or set both in the pod and mount the token that they name`;
  return unknown(`the container ${container.name} of ${pod.title} ${what}`, remedy, placeOf(pod, container));
}

function wrong({ pod, container, webhook }: Asked, does: string, why: string): Answer {
  return broken(
    `${pod.title} ${does} in the container ${container.name}${why}`,
    webhook === "no"
      ? `set ${ROLE_VARIABLE} and ${TOKEN} in the pod, and mount the token there`
      : `remove ${ROLE_VARIABLE}, ${TOKEN} and ${LASTING} from the pod: the webhook sets them`,
    NOT_AUTHORIZED,
    placeOf(pod, container),
  );
}

function placeOf({ title, source }: PodFact, { name }: ContainerFact): Evidence {
  return seen(`${title}, container ${name}`, source);
}

/** True if the value is not known for a reason other than a missing apply. */
function isOpen(value: Known<unknown>): boolean {
  return (whyNot(value)?.kind ?? "apply") !== "apply";
}

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
  const near = (type: string): readonly Resource[] =>
    terraform.ofType(type).filter((each) => inOnePlace(each, association) !== "no");
  const isIts = (each: Resource): Ternary => same(each.stated("cluster_name"), cluster);
  const namespace = orElse(association.stated("namespace"), () => "");
  const profiles = near(FARGATE).filter((each) => isIts(each) !== "no");
  const [problem] = [
    ...profiles.flatMap((each) => withoutAgent(each, namespace) ?? []),
    ...pods.flatMap((pod) => ownCredentials(pod) ?? []),
  ];
  if (problem) return problem;
  // Only Auto Mode nodes have the agent built in.
  const hasOthers = near("aws_eks_node_group").some((each) => isIts(each) !== "no");
  const agent =
    near("aws_eks_addon").find((each) => and(isIts(each), is(each.stated("addon_name"), AGENT)) === "yes") ??
    near(CLUSTER).find((each) => isNamed(each, cluster) === "yes" && !hasOthers && isAuto(each));
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
