/*
 * Who acts in AWS other than by pulling: components by the role in their Secret, workloads by the annotation that the
 * pod identity webhook reads (aws/amazon-eks-pod-identity-webhook; OpenShift runs it with the prefix eks.amazonaws.com).
 */

import { type Known, is, known, match, shown } from "../../model/known";
import type { TreeObject } from "../../model/tree";
import { awsProviderKind } from "../../rules/aws/provider-spec";
import { defaultAwsAudience } from "../../rules/aws/pull-annotation";
import { type Answer, type Evidence, amended, broken, pass, seen, unknown } from "../answer";
import type {
  AccessIdentity,
  AccessReading,
  AccountQuestion,
  AccountReading,
  AskedRights,
  CloudAccess,
  TokenQuestion,
  TrustAnswer,
} from "../cloud";
import type { SecretFact } from "../read/component-facts";
import { actionsGranted, anythingGranted, rightsInWords } from "./component-rights";
import { homeAnswer, isAwsSecret, readAwsSecret } from "./component-secret";
import { type NamedRole, type Roles, isRoleArn } from "./identity";
import { type Trust, type TrustQuestion, notFound } from "./trust";
import { ROLE_VARIABLE, webhookPods } from "./webhook";

export const ROLE_ANNOTATION = "eks.amazonaws.com/role-arn";
const AUDIENCE = "eks.amazonaws.com/audience";

export class AwsAccess implements CloudAccess {
  readonly providerKind: string = awsProviderKind;
  readonly #roles: Roles;
  readonly #trust: Trust;

  constructor(roles: Roles, trust: Trust) {
    this.#roles = roles;
    this.#trust = trust;
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
    const named = arn && is(arn, "") !== "yes" ? this.#roles.named(arn) : undefined;
    const home = written.status === "pass" && named ? homeAnswer(secret, named, beside) : undefined;
    return { answer: home ?? written, identity: named && new RoleIdentity(named, this.#trust) };
  }

  account(question: AccountQuestion): AccountReading | undefined {
    const { account, declared, program } = question;
    const ofProgram = program.get(ROLE_VARIABLE);
    const written = ofProgram ?? account.annotations.get(ROLE_ANNOTATION);
    if (written === undefined && !declared) return undefined;
    const where =
      ofProgram === undefined
        ? seen("annotations of the service account", account.source)
        : seen(`${ROLE_VARIABLE} of the program`, undefined);
    const arn = written ?? known("");
    const audience = account.annotations.get(AUDIENCE) ?? known(defaultAwsAudience);
    const isNamed = is(arn, "") !== "yes";
    return {
      answer: contested([arn, audience], where) ?? roleAnswer(arn, where),
      identity: isNamed ? new RoleIdentity(this.#roles.named(arn), this.#trust) : undefined,
      ...webhookPods(question, arn, audience),
    };
  }
}

class RoleIdentity implements AccessIdentity {
  readonly #named: NamedRole;
  readonly #trust: Trust;

  constructor(named: NamedRole, trust: Trust) {
    this.#named = named;
    this.#trust = trust;
  }

  get label(): string {
    return this.#named.label;
  }

  get found(): Answer {
    const { role, label } = this.#named;
    return role ? pass(`${label} is declared`, seen("IAM role", role.resource.source)) : notFound(label);
  }

  trust({ issuer, audience, namespace, name }: TokenQuestion): TrustAnswer {
    const { role, account, partition } = this.#named;
    const subject = `system:serviceaccount:${namespace}:${name}`;
    const question: TrustQuestion = { role, account, partition, issuer, subject, audience };
    const answers = this.#trust.of(question);
    const isWide = answers.subject.status === "pass" && this.#trust.isWide(question);
    return isWide ? { ...answers, audience: wider(answers.audience, this.#named) } : answers;
  }

  permissions(asked: AskedRights | undefined): Answer {
    const { role, label, account } = this.#named;
    if (!role) return notFound(label);
    return asked === undefined ? anythingGranted(role) : actionsGranted(role, asked.rights, account);
  }
}

/** What is said where documents contradict each other about an annotation; `undefined` where none do. */
function contested(values: readonly Known<string>[], where: Evidence): Answer | undefined {
  const reasons = values.map((value) =>
    match(
      value,
      () => undefined,
      (why) => (why.kind === "contested" ? why.what : undefined),
    ),
  );
  const reason = reasons.find((each) => each !== undefined);
  return reason === undefined
    ? undefined
    : unknown(
        reason,
        "keep the annotation in one document, and that the only one of the service account or applied with kubectl apply --server-side",
        where,
      );
}

function roleAnswer(arn: Known<string>, where: Evidence): Answer {
  if (isRoleArn(arn)) return pass(`the webhook gets the role ${shown(arn)}`, where);
  return broken(
    is(arn, "") === "yes"
      ? `the service account has no ${ROLE_ANNOTATION}, or an empty one`
      : `${ROLE_ANNOTATION} is ${shown(arn)}, which is no ARN of an IAM role`,
    `annotate it with ${ROLE_ANNOTATION}`,
    "failed to retrieve credentials",
    where,
  );
}

/** Only the list of the OIDC provider limits such a trust. Source: `ccoctl aws create-iam-roles` writes it so. */
function wider(answer: Answer, { role }: NamedRole): Answer {
  const words =
    "wider than needed: the trust policy does not compare the audience, so that a token for any audience of the OIDC provider is taken";
  return amended(answer, { evidence: [...answer.evidence, seen(words, role?.resource.source)] });
}
