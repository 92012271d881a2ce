/*
 * Access to AWS other than pulls: components use the role in their Secret, workloads the annotation that the pod
 * identity webhook reads (aws/amazon-eks-pod-identity-webhook; OpenShift runs it with the prefix eks.amazonaws.com).
 */

import { type Known, is, known, shown, whyNot } from "../../model/known";
import { awsProviderKind } from "../../rules/aws/component";
import { defaultAwsAudience } from "../../rules/aws/pull";
import { type Answer, type Evidence, broken, pass, seen, unknown, worstOf } from "../answer";
import type { AccessIdentity, AccountQuestion, AccountReading, CloudAccess, TokenQuestion } from "../cloud";
import { sameAnswers } from "../shared/same-answers";
import { plainAnswer } from "../shared/words";
import { homeAnswer, isAwsSecret, readAwsSecret } from "./component";
import { heldRights } from "./held";
import { type NamedRole, type Roles, isRoleArn } from "./identity";
import type { PodIdentities } from "./pod-identity";
import type { RoleTrusts } from "./pod-identity-trust";
import type { ResourcePolicies } from "./resource-policies";
import { anythingGranted, meantRights, rightsGranted } from "./rights";
import { type Trust, askedOf } from "./trust";
import { ROLE_VARIABLE, roleOfPods, webhookPods } from "./webhook";

export const ROLE_ANNOTATION = "eks.amazonaws.com/role-arn";
const AUDIENCE = "eks.amazonaws.com/audience";

export function roleAccess(
  roles: Roles,
  trust: Trust,
  podIdentities: PodIdentities,
  policies: ResourcePolicies,
): CloudAccess {
  const identityOf = (named: NamedRole, trusts: RoleTrusts = trust): AccessIdentity =>
    roleIdentity(named, trusts, policies, roles);
  return {
    providerKind: awsProviderKind,
    recognizes: isAwsSecret,
    secret: (secret, tokenPath, beside) => {
      const { answer: written, arn } = readAwsSecret(secret, tokenPath);
      const named = arn !== undefined && is(arn, "") !== "yes" ? roles.named(arn) : undefined;
      const home = written.status === "pass" && named ? homeAnswer(secret, named, beside) : undefined;
      return { answer: home ?? written, identity: named && identityOf(named) };
    },
    account: (question) => {
      const isAnnotated = question.account.annotations.has(ROLE_ANNOTATION);
      const associated = question.native && podIdentities.reading(question, isAnnotated);
      if (!associated) return annotatedReading(question, (arn) => identityOf(roles.named(arn)));
      const { role, ...reading } = associated;
      return { ...reading, identity: role && identityOf(role.named, role.trusts) };
    },
  };
}

/** Reads a workload whose role an annotation, its pods or the asking program name. */
function annotatedReading(
  question: AccountQuestion,
  identityOf: (arn: Known<string>) => AccessIdentity,
): AccountReading | undefined {
  const { account, declared, program } = question;
  const ofProgram = program.get(ROLE_VARIABLE);
  const annotated = account.annotations.get(ROLE_ANNOTATION);
  const ofPods = annotated === undefined ? roleOfPods(question.pods) : undefined;
  const written = ofProgram ?? annotated ?? ofPods;
  const isOfPods = ofProgram === undefined && ofPods !== undefined;
  if (written === undefined && !declared) return undefined;
  const [place, where] =
    ofProgram === undefined && !isOfPods
      ? [ROLE_ANNOTATION, seen("annotations of the service account", account.source)]
      : [ROLE_VARIABLE, seen(`${ROLE_VARIABLE} of the ${isOfPods ? "pods" : "program"}`, undefined)];
  const arn = written ?? known("");
  const audience = account.annotations.get(AUDIENCE) ?? known(defaultAwsAudience);
  return {
    answer: contested([arn, audience], where) ?? roleAnswer(place, arn, where),
    identity: is(arn, "") === "yes" ? undefined : identityOf(arn),
    ...webhookPods(question, arn, isOfPods ? [] : [audience]),
  };
}

function roleIdentity(
  named: NamedRole,
  trusts: RoleTrusts,
  policies: ResourcePolicies,
  roles: Roles,
): AccessIdentity {
  const { role, label, account, missing } = named;
  const admitsAnyAudience = (token: TokenQuestion): boolean => {
    const question = askedOf(named, token);
    return question !== undefined && trusts.isWide?.(question) === true;
  };
  return {
    label,
    found: role ? pass(`${label} is declared`, seen("IAM role", role.resource.source)) : missing,
    trust: (token) => {
      const question = askedOf(named, token);
      if (question === undefined) return sameAnswers(missing);
      const answers = trusts.of(question);
      return answers.subject.status === "pass" && admitsAnyAudience(token)
        ? { ...answers, audience: wider(answers.audience, named) }
        : answers;
    },
    admitsAnyAudience,
    trusted: () => role && trusts.issuersOf?.(role),
    understood: (cluster) => {
      const [own, { via }] = [roles.understood(named, cluster), trusts];
      return via ? worstOf(own, roles.understood(via, cluster)) : own;
    },
    permissions: (asked) => {
      if (!role) return missing;
      return asked ? rightsGranted(role, asked.rights, account, policies) : anythingGranted(role);
    },
    held: () => (role ? heldRights(role.policies, role.boundary, role.resource.source, role.session) : []),
    meant: ({ rights }) => (role ? meantRights(role, rights) : []),
  };
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
