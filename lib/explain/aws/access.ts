/*
 * Access to AWS other than pulls: components use the role in their Secret, workloads the annotation that the pod
 * identity webhook reads (aws/amazon-eks-pod-identity-webhook; OpenShift runs it with the prefix eks.amazonaws.com).
 *
 * The webhook leaves a container alone that itself sets one of the two variables. Source: pkg/handler/handler.go,
 * `addEnvToContainer`.
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
  whyNot,
} from "../../model/known";
import { serviceAccountUser } from "../../model/namespaced-name";
import type { TreeObject } from "../../model/tree";
import { awsProviderKind } from "../../rules/aws/component";
import { defaultAwsAudience } from "../../rules/aws/pull";
import { SKIP_CONTAINERS, SKIP_LABEL } from "../../rules/pod-identity-webhooks";
import { type Answer, type Evidence, broken, pass, seen, unknown } from "../answer";
import type {
  AccessIdentity,
  AccessReading,
  AccountQuestion,
  AccountReading,
  AskedRights,
  CloudAccess,
  HeldRight,
  TokenQuestion,
  TrustAnswer,
} from "../cloud";
import type { ClusterNames } from "../coverage/closed-world";
import type { SecretFact } from "../read/component-facts";
import type { PodFact } from "../read/pods";
import { type ContainerFact, containersOf } from "../shared/pods";
import { sameAnswers } from "../shared/same-answers";
import { stateWebhook, statedWebhook } from "../shared/webhooks";
import { plainAnswer } from "../shared/words";
import { homeAnswer, isAwsSecret, readAwsSecret } from "./component";
import { heldRights } from "./held";
import { type NamedRole, type Roles, isRoleArn } from "./identity";
import type { PodIdentities, RoleTrusts } from "./pod-identity";
import type { ResourcePolicies } from "./resource-policies";
import { anythingGranted, rightsGranted, rightsInWords } from "./rights";
import type { Trust, TrustQuestion } from "./trust";

export const ROLE_ANNOTATION = "eks.amazonaws.com/role-arn";
const AUDIENCE = "eks.amazonaws.com/audience";

export class RoleAccess implements CloudAccess {
  readonly providerKind: string = awsProviderKind;
  readonly #roles: Roles;
  readonly #trust: Trust;
  readonly #podIdentities: PodIdentities;
  readonly #policies: ResourcePolicies;

  constructor(roles: Roles, trust: Trust, podIdentities: PodIdentities, policies: ResourcePolicies) {
    this.#roles = roles;
    this.#trust = trust;
    this.#podIdentities = podIdentities;
    this.#policies = policies;
  }

  inWords(rights: TreeObject): readonly string[] {
    return rightsInWords(rights);
  }

  recognizes(secret: SecretFact): boolean {
    return isAwsSecret(secret);
  }

  secret(
    secret: SecretFact,
    tokenPath: string | undefined,
    beside: ReadonlyMap<string, SecretFact>,
  ): AccessReading {
    const { answer: written, arn } = readAwsSecret(secret, tokenPath);
    const named = arn !== undefined && is(arn, "") !== "yes" ? this.#roles.named(arn) : undefined;
    const home = written.status === "pass" && named ? homeAnswer(secret, named, beside) : undefined;
    return {
      answer: home ?? written,
      identity: named && this.#identity(named),
    };
  }

  account(question: AccountQuestion): AccountReading | undefined {
    const { account, declared, program } = question;
    const ofProgram = program.get(ROLE_VARIABLE);
    const written = ofProgram ?? account.annotations.get(ROLE_ANNOTATION);
    const associated = question.native && this.#podIdentities.reading(question, written !== undefined);
    if (associated) {
      const { role, ...reading } = associated;
      return { ...reading, identity: role && this.#identity(role.named, role.trusts) };
    }
    if (written === undefined && !declared) return undefined;
    const [place, where] =
      ofProgram === undefined
        ? [ROLE_ANNOTATION, seen("annotations of the service account", account.source)]
        : [ROLE_VARIABLE, seen(`${ROLE_VARIABLE} of the program`, undefined)];
    const arn = written ?? known("");
    const audience = account.annotations.get(AUDIENCE) ?? known(defaultAwsAudience);
    const isNamed = is(arn, "") !== "yes";
    return {
      answer: contested([arn, audience], where) ?? roleAnswer(place, arn, where),
      identity: isNamed ? this.#identity(this.#roles.named(arn)) : undefined,
      ...webhookPods(question, arn, audience),
    };
  }

  #identity(named: NamedRole, trust: RoleTrusts = this.#trust): RoleIdentity {
    return new RoleIdentity(named, trust, this.#policies, this.#roles);
  }
}

class RoleIdentity implements AccessIdentity {
  readonly #named: NamedRole;
  readonly #trust: RoleTrusts;
  readonly #policies: ResourcePolicies;
  readonly #roles: Roles;

  constructor(named: NamedRole, trust: RoleTrusts, policies: ResourcePolicies, roles: Roles) {
    this.#named = named;
    this.#trust = trust;
    this.#policies = policies;
    this.#roles = roles;
  }

  get label(): string {
    return this.#named.label;
  }

  get found(): Answer {
    const { role, label } = this.#named;
    return role ? pass(`${label} is declared`, seen("IAM role", role.resource.source)) : this.#named.missing;
  }

  trust(token: TokenQuestion): TrustAnswer {
    const question = this.#question(token);
    if (question === undefined) return sameAnswers(this.#named.missing);
    const answers = this.#trust.of(question);
    const isWide = answers.subject.status === "pass" && this.#trust.isWide(question);
    return isWide ? { ...answers, audience: wider(answers.audience, this.#named) } : answers;
  }

  admitsAnyAudience(token: TokenQuestion): boolean {
    const question = this.#question(token);
    return question !== undefined && this.#trust.isWide(question);
  }

  trusted(): readonly Known<string>[] | undefined {
    return this.#named.role && this.#trust.issuersOf?.(this.#named.role);
  }

  understood(cluster: ClusterNames): Answer {
    return this.#roles.understood(this.#named, cluster);
  }

  permissions(asked: AskedRights | undefined): Answer {
    const { role, account, missing } = this.#named;
    if (!role) return missing;
    return asked === undefined
      ? anythingGranted(role)
      : rightsGranted(role, asked.rights, account, this.#policies);
  }

  held(): readonly HeldRight[] {
    const { role } = this.#named;
    return role ? heldRights(role.policies, role.boundary, role.resource.source) : [];
  }

  #question(token: TokenQuestion): TrustQuestion | undefined {
    const { role, account, partition } = this.#named;
    const { issuer, audience } = token;
    const subject = known(serviceAccountUser(token));
    return role && { role, account, partition, issuer, subject, audience };
  }
}

/** The answer if documents contradict each other about an annotation; `undefined` if they agree. */
function contested(values: readonly Known<string>[], where: Evidence): Answer | undefined {
  const why = values.map(whyNot).find((each) => each?.kind === "contested");
  const remedy =
    "keep the annotation in one document, and let that be the service account's only document, or apply it with kubectl apply --server-side";
  return why?.kind === "contested" ? unknown(why.what, remedy, where) : undefined;
}

function roleAnswer(place: string, arn: Known<string>, where: Evidence): Answer {
  if (isRoleArn(arn)) return pass(`${place} names the role ${shown(arn)}`, where);
  return broken(
    is(arn, "") === "yes"
      ? `the service account has no ${ROLE_ANNOTATION}, or an empty one`
      : `${place} is ${shown(arn)}, which is not an ARN of an IAM role`,
    `annotate it with ${ROLE_ANNOTATION}`,
    "failed to retrieve credentials",
    where,
  );
}

/** Only the OIDC provider's list limits the audience, as for roles that `ccoctl aws create-iam-roles` creates. */
function wider(answer: Answer, { role }: NamedRole): Answer {
  const words =
    "wider than needed: the trust policy does not compare the audience, so it admits a token for any audience of the OIDC provider";
  return { ...plainAnswer(answer), evidence: [...answer.evidence, seen(words, role?.resource.source)] };
}

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
  /** What makes it leave the container alone. */
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
function webhookPods(
  question: AccountQuestion,
  arn: Known<string>,
  audience: Known<string>,
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
  if (problem && "status" in problem) return { pods: problem, audiences: [audience] };
  if (webhook !== "yes" && judged.length === 0) {
    const why = webhook === "no" ? "the hub does not run AWS's pod identity webhook" : NOT_RECORDED;
    const remedy = `${webhook === "no" ? "" : `${stateWebhook("aws")}; or `}give explain the manifests that set ${ROLE} and ${TOKEN} and mount the token`;
    return { pods: unknown(`no pod was read, and ${why}`, remedy, places), audiences: [audience] };
  }
  const configured = judged.flatMap((each) => (each && "own" in each ? [each.own] : []));
  const reason =
    webhook === "yes"
      ? "the webhook gives every pod of the service account a token and names its path"
      : `${isRead ? "its pods" : "pods with what is written for them"} mount the token and know its path without the webhook`;
  return { pods: pass(reason, places, evidence), audiences: unequal([audience, ...configured]) };
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
