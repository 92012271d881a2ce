/*
 * Access to AWS other than pulls: components use the role in their Secret, workloads the annotation that the pod
 * identity webhook reads (aws/amazon-eks-pod-identity-webhook; OpenShift runs it with the prefix eks.amazonaws.com).
 */

import { type Known, is, known, shown, whyNot } from "../../model/known";
import { serviceAccountUser } from "../../model/namespaced-name";
import { awsProviderKind } from "../../rules/aws/component";
import { defaultAwsAudience } from "../../rules/aws/pull";
import { type Answer, type Evidence, broken, pass, seen, unknown, worstOf } from "../answer";
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
import { sameAnswers } from "../shared/same-answers";
import { plainAnswer } from "../shared/words";
import { homeAnswer, isAwsSecret, readAwsSecret } from "./component";
import { heldRights } from "./held";
import { type NamedRole, type Roles, isRoleArn } from "./identity";
import type { PodIdentities } from "./pod-identity";
import type { RoleTrusts } from "./pod-identity-trust";
import type { ResourcePolicies } from "./resource-policies";
import { anythingGranted, meantRights, rightsGranted } from "./rights";
import type { Trust } from "./trust";
import type { TrustQuestion } from "./trust-links";
import { ROLE_VARIABLE, roleOfPods, webhookPods } from "./webhook";

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
    const annotated = account.annotations.get(ROLE_ANNOTATION);
    const ofPods = annotated === undefined ? roleOfPods(question.pods) : undefined;
    const written = ofProgram ?? annotated ?? ofPods;
    const isOfPods = ofProgram === undefined && ofPods !== undefined;
    const associated = question.native && this.#podIdentities.reading(question, annotated !== undefined);
    if (associated) {
      const { role, ...reading } = associated;
      return { ...reading, identity: role && this.#identity(role.named, role.trusts) };
    }
    if (written === undefined && !declared) return undefined;
    const [place, where] =
      ofProgram === undefined && !isOfPods
        ? [ROLE_ANNOTATION, seen("annotations of the service account", account.source)]
        : [ROLE_VARIABLE, seen(`${ROLE_VARIABLE} of the ${isOfPods ? "pods" : "program"}`, undefined)];
    const arn = written ?? known("");
    const audience = account.annotations.get(AUDIENCE) ?? known(defaultAwsAudience);
    const isNamed = is(arn, "") !== "yes";
    return {
      answer: contested([arn, audience], where) ?? roleAnswer(place, arn, where),
      identity: isNamed ? this.#identity(this.#roles.named(arn)) : undefined,
      ...webhookPods(question, arn, isOfPods ? [] : [audience]),
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
    const isWide = answers.subject.status === "pass" && this.#trust.isWide?.(question);
    return isWide ? { ...answers, audience: wider(answers.audience, this.#named) } : answers;
  }

  admitsAnyAudience(token: TokenQuestion): boolean {
    const question = this.#question(token);
    return question !== undefined && this.#trust.isWide?.(question) === true;
  }

  trusted(): readonly Known<string>[] | undefined {
    return this.#named.role && this.#trust.issuersOf?.(this.#named.role);
  }

  understood(cluster: ClusterNames): Answer {
    const [own, { via }] = [this.#roles.understood(this.#named, cluster), this.#trust];
    return via ? worstOf(own, this.#roles.understood(via, cluster)) : own;
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
    return role ? heldRights(role.policies, role.boundary, role.resource.source, role.session) : [];
  }

  meant({ rights }: AskedRights): readonly HeldRight[] {
    const { role } = this.#named;
    return role ? meantRights(role, rights) : [];
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
