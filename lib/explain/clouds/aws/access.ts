/*
 * Who acts in AWS other than by pulling: components by the role in their Secret, workloads by the annotation that the
 * pod identity webhook reads (aws/amazon-eks-pod-identity-webhook; OpenShift runs it with the prefix eks.amazonaws.com).
 */

import { defaultAwsAudience } from "../../../rules/aws/pull-annotation";
import { awsProviderKind } from "../../../rules/aws/provider-spec";
import { type Answer, type Evidence, broken, pass, seen, unknown } from "../../answer";
import { type Json, list, own, record, text, texts } from "../../facts/access";
import type { SecretFact } from "../../facts/component-facts";
import { isLateText } from "../../facts/terraform";
import type {
  AccessIdentity,
  AccessReading,
  AccessToken,
  AccessTrust,
  AccountQuestion,
  AccountReading,
  AskedRights,
  CloudAccess,
} from "../cloud-access";
import { isAwsSecret, readAwsSecret } from "./component-secret";
import { actionsGranted, anythingGranted } from "./granted-actions";
import type { OidcProviderFact } from "./iam";
import { lateTrust } from "./late-trust";
import { type NamedRole, isRoleArn } from "./named-role";
import { homeAnswer } from "./secret-home";
import { statedIssuer } from "./stated-issuer";
import { type AwsTrustQuestion, NO_KEYS } from "./trust";
import { contestedAnnotation } from "../contested-annotations";
import type { PublishedIssuers } from "../published-issuers";
import { ROLE_VARIABLE, webhookOn, webhookPods } from "./webhook-pods";

const ROLE = "eks.amazonaws.com/role-arn";
const AUDIENCE = "eks.amazonaws.com/audience";
/** An audience that no OIDC provider and no trust policy names. */
const FOREIGN = "urn:not-an-audience-of-anybody";
const WEBHOOK_AUDIENCES: readonly string[] = [defaultAwsAudience];

/** Components and workloads in AWS. */
export class AwsAccess implements CloudAccess {
  /** Key of the cloud. */
  readonly cloud = "aws";
  /** Kind of the provider part of its CredentialsRequests. */
  readonly providerKind: string = awsProviderKind;
  readonly #roleOf: (arn: string) => NamedRole;
  readonly #oidcProviders: readonly OidcProviderFact[];
  readonly #issuers: PublishedIssuers;

  /** `roleOf` finds a role by the ARN as written. */
  constructor(
    roleOf: (arn: string) => NamedRole,
    oidcProviders: readonly OidcProviderFact[],
    issuers: PublishedIssuers,
  ) {
    this.#roleOf = roleOf;
    this.#oidcProviders = oidcProviders;
    this.#issuers = issuers;
  }

  /** `<action> on <resource>`, as statements; the policies themselves say under which conditions. */
  asksFor(words: readonly string[]): Json {
    return {
      statementEntries: words.flatMap((each) => {
        const [, action, resource] = /^([\w-]+:\S+) on (\S+)(?: under conditions)?$/.exec(each) ?? [];
        return action === undefined ? [] : [{ effect: "Allow", action: [action], resource }];
      }),
    };
  }

  /** `<action> on <resource>`. */
  inWords(rights: Json): readonly string[] {
    return list(rights["statementEntries"]).flatMap((entry) => {
      const [effect, resource] = [text(own(entry, "effect")), text(own(entry, "resource"))];
      const conditions = Object.keys(record(own(entry, "policyCondition"))).length > 0;
      const ends = `${resource}${conditions ? " under conditions" : ""}`;
      const begins = effect === "Deny" ? "no " : "";
      return texts(own(entry, "action")).map((action) => `${begins}${action} on ${ends}`);
    });
  }

  /** True for a Secret that leads an SDK to a token. */
  recognizes(secret: SecretFact): boolean {
    return isAwsSecret(secret);
  }

  /** Reads the Secret of a component. */
  secret(
    secret: SecretFact,
    tokenPath: string | undefined,
    beside: ReadonlyMap<string, SecretFact>,
  ): AccessReading {
    const { answer: written, roleArn } = readAwsSecret(secret, tokenPath);
    const named = this.#named(roleArn);
    const home = written.status === "pass" && homeAnswer(secret, roleArn, named?.role, beside);
    return { answer: home || written, identity: named && this.#identity(named) };
  }

  /** Reads a workload. */
  account({ account, pods, declared, program, hub }: AccountQuestion): AccountReading | undefined {
    const told = program?.get(ROLE_VARIABLE);
    const arn = told ?? account.annotations.get(ROLE);
    if (arn === undefined && !declared) return undefined;
    const where =
      told === undefined
        ? seen("annotations of the service account", account.source)
        : seen(`${ROLE_VARIABLE} of the program`, undefined);
    const stated = account.annotations.get(AUDIENCE);
    const [audience = ""] = stated === undefined ? WEBHOOK_AUDIENCES : [stated];
    const named = this.#named(arn ?? "");
    return {
      answer: contestedAnnotation(account, [ROLE, AUDIENCE]) ?? roleAnswer(arn ?? "", where),
      identity: named && this.#identity(named),
      ...webhookPods(pods, { arn: arn ?? "", audience, program, webhook: webhookOn(hub) }),
    };
  }

  #named(arn: string): NamedRole | undefined {
    return arn === "" ? undefined : this.#roleOf(arn);
  }

  #identity({ role, label, account, partition }: NamedRole): AccessIdentity {
    const question = { role, account, ...(partition === undefined ? {} : { partition }) };
    return {
      label,
      found: role ? pass(`${label} is declared`, seen("IAM role", role.source)) : notFound(label),
      trust: (token) => this.#trust(question, token),
      permissions: (asked: AskedRights | undefined) => {
        if (!role) return notFound(label);
        return asked === undefined ? anythingGranted(role) : actionsGranted(role, asked.rights, account);
      },
    };
  }

  #trust(
    question: Pick<AwsTrustQuestion, "role" | "account" | "partition">,
    { issuer, audience, namespace, name }: AccessToken,
  ): AccessTrust {
    const asked = {
      ...question,
      issuer,
      subject: `system:serviceaccount:${namespace}:${name}`,
      audience: audience ?? "",
      oidcProviders: this.#oidcProviders,
    };
    const token = { ...asked, issuer: statedIssuer(asked) };
    const [trusted, accepted, admitted] = lateTrust(token);
    const [, , foreign] = lateTrust({ ...token, audience: FOREIGN });
    const wide = foreign.status === "pass" && admitted.status === "pass";
    return {
      issuer: this.#issuers.judged(trusted, token.issuer, NO_KEYS),
      audience: wide ? wider(accepted, question.role) : accepted,
      subject: admitted,
    };
  }
}

function roleAnswer(arn: string, where: Evidence): Answer {
  if (isRoleArn(arn))
    return pass(`the webhook is told the role ${isLateText(arn) ? "that Terraform tells" : arn}`, where);
  return broken(
    arn === ""
      ? `the service account has no ${ROLE}, or an empty one`
      : `${ROLE} is ${arn}, which is no ARN of an IAM role`,
    `annotate it with ${ROLE}`,
    "failed to retrieve credentials",
    where,
  );
}

/** Only the list of the OIDC provider limits such a trust. Source: `ccoctl aws create-iam-roles` writes it so. */
function wider(answer: Answer, role: { readonly source: Parameters<typeof seen>[1] } | undefined): Answer {
  const words =
    "wider than needed: the trust policy does not compare the audience, so that a token for any audience of the OIDC provider is taken";
  const { status, reason, evidence, remedy, log } = answer;
  const shown = [...evidence, seen(words, role?.source)];
  return { status, reason, evidence: shown, remedy, ...(log === undefined ? {} : { log }) };
}

function notFound(label: string): Answer {
  return unknown(
    `${label} is not among what was read`,
    "name the Terraform that declares it as well; STS answers the same for a role that does not exist",
  );
}
