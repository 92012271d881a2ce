/*
 * What pods get from the pod identity webhook of AWS, and what they set themselves: it leaves a container alone that sets
 * one of the two variables. Source: aws/amazon-eks-pod-identity-webhook, pkg/handler/handler.go, `addEnvToContainer`.
 */

import {
  type Known,
  type Ternary,
  and,
  isAbsent,
  isWritten,
  known,
  unread,
  map,
  match,
  orElse,
  same,
  shown,
  whyNot,
} from "../../model/known";
import { SKIP_CONTAINERS, SKIP_LABEL } from "../../rules/pod-identity-webhooks";
import { type Answer, broken, pass, seen, unknown } from "../answer";
import type { AccountQuestion, AccountReading } from "../cloud";
import type { PodFact } from "../read/pods";
import { type ContainerFact, containersOf } from "../shared/pods";
import { stateWebhook, statedWebhook } from "../shared/webhooks";

export const ROLE_VARIABLE = "AWS_ROLE_ARN";
const ROLE = ROLE_VARIABLE;
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

interface Asked {
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
  const judged = pods.flatMap((pod) =>
    containersOf(pod.spec).map((container) => {
      const skipped = match<string | undefined, { by: string | undefined; webhook: Ternary }>(
        skippedBy(pod, container),
        (by) => ({ by, webhook: by === undefined ? webhook : "no" }),
        () => ({ by: undefined, webhook: and(webhook, "unknown") }),
      );
      const setting = { arn, program, webhook: skipped.webhook, skipped: skipped.by };
      return new Container(pod, container, setting).judged();
    }),
  );
  const places = pods.map(({ title, source }) => seen(title, source));
  const problem = judged.find((each) => each !== undefined && "status" in each);
  if (problem && "status" in problem) return { pods: problem, audiences };
  if (webhook !== "yes" && judged.length === 0) {
    const why = webhook === "no" ? "the hub does not run AWS's pod identity webhook" : NOT_RECORDED;
    const remedy = `${webhook === "no" ? "" : `${stateWebhook("aws")}; or `}give explain the manifests that set ${ROLE} and ${TOKEN} and mount the token`;
    return { pods: unknown(`no pod was read, and ${why}`, remedy, places), audiences };
  }
  const configured = judged.flatMap((each) => (each && "own" in each ? [each.own] : []));
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
    .map(({ variable }) => variable(ROLE) ?? known(undefined))
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

type Variable = Known<string | undefined> | undefined;

/** The webhook looks only at the container; variables of the program override the result. */
class Container {
  readonly #pod: PodFact;
  readonly #container: ContainerFact;
  readonly #asked: Asked;

  constructor(pod: PodFact, container: ContainerFact, asked: Asked) {
    this.#pod = pod;
    this.#container = container;
    this.#asked = asked;
  }

  /** Why it does not act as the role, or the audience of its own token; `undefined` for the webhook's token. */
  judged(): Answer | { readonly own: Known<string> } | undefined {
    const { arn, program, webhook, skipped } = this.#asked;
    const { variable, hasMore } = this.#container;
    const [role, token, lasting, profile] = [ROLE, TOKEN, LASTING, PROFILE].map((name) => variable(name));
    if (program.has(LASTING) || (!isUnset(lasting) && isWritten(lasting ?? known(""))))
      return this.#wrong(`sets ${LASTING}`, ", which SDKs prefer to a token");
    if (!isUnset(profile) || program.has(PROFILE))
      return this.#open(`sets ${PROFILE}, and explain does not judge the credentials of a profile`);
    const isMade = isUnset(role) && isUnset(token) && webhook === "yes";
    const actsAs = program.get(ROLE) ?? (isMade ? arn : role);
    const reads = program.get(TOKEN) ?? (isMade ? known(MOUNTED) : token);
    const isBare = isUnset(actsAs) && isUnset(reads);
    // Objects that were not read may set the rest.
    if ([role, token, lasting].some(isOpen) || (hasMore && (isUnset(actsAs) || isUnset(reads))))
      return this.#notKnown();
    if (isBare && webhook === "no")
      return this.#wrong(
        `has neither ${ROLE} nor ${TOKEN}`,
        skipped === undefined
          ? ", and the hub has no webhook that sets them"
          : `, and ${skipped} keeps the webhook from setting them`,
      );
    if (isBare) return this.#open(`sets neither ${ROLE} nor ${TOKEN}, and ${NOT_RECORDED}`);
    const [there, missing] = isUnset(actsAs) ? [TOKEN, ROLE] : [ROLE, TOKEN];
    if (isUnset(actsAs) || isUnset(reads))
      return this.#wrong(`sets ${there}`, ` without ${missing}, and the webhook leaves it alone`);
    const isRole = same<string | undefined>(actsAs ?? known(undefined), arn);
    if (isRole === "no") return this.#wrong(`sets ${ROLE} to ${shown(actsAs ?? known(""))}`, "");
    return isRole === "unknown" ? this.#notKnown() : this.#token(orElse(reads ?? known(""), () => undefined));
  }

  #token(path: string | undefined): ReturnType<Container["judged"]> {
    const { webhook } = this.#asked;
    const { files, isOpen: hasOthers } = this.#container;
    const token = files.find((each) => each.path === path)?.token;
    if (token) return isAbsent(token.audience) ? undefined : { own: token.audience as Known<string> };
    if (path === MOUNTED && webhook === "yes") return undefined;
    if (path === MOUNTED && webhook === "unknown")
      return this.#open(`reads the token that the webhook mounts, and ${NOT_RECORDED}`);
    if (path === undefined || hasOthers) return this.#notKnown();
    return this.#wrong(
      `sets ${TOKEN} to ${path}`,
      ", where no token is mounted, and the webhook leaves it alone",
    );
  }

  #notKnown(): Answer {
    return this.#open("takes a role that is known only inside the cluster");
  }

  #open(what: string): Answer {
    const way =
      this.#asked.webhook === "yes" ? `let the webhook set ${ROLE} and ${TOKEN}` : stateWebhook("aws");
    const remedy = `${way}, or set both in the pod and mount the token that they name`;
    return unknown(
      `the container ${this.#container.name} of ${this.#pod.title} ${what}`,
      remedy,
      this.#where,
    );
  }

  #wrong(does: string, why: string): Answer {
    return broken(
      `${this.#pod.title} ${does} in the container ${this.#container.name}${why}`,
      this.#asked.webhook === "no"
        ? `set ${ROLE} and ${TOKEN} in the pod, and mount the token there`
        : `remove ${ROLE}, ${TOKEN} and ${LASTING} from the pod: the webhook sets them`,
      NOT_AUTHORIZED,
      this.#where,
    );
  }

  get #where(): ReturnType<typeof seen> {
    return seen(`${this.#pod.title}, container ${this.#container.name}`, this.#pod.source);
  }
}

function isUnset(value: Variable): boolean {
  return isAbsent(value ?? known(undefined));
}

/** True if the value is not known for a reason other than a missing apply. */
function isOpen(value: Variable): boolean {
  return (whyNot(value ?? known(undefined))?.kind ?? "apply") !== "apply";
}
