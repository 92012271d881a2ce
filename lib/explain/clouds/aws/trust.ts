/*
 * Would STS let the service account assume the role? Each link is judged alone, so that the broken one is named.
 */

import type { AwsDecision } from "../../../rules/aws/evaluate/decide";
import { evaluateAwsTrust } from "../../../rules/aws/evaluate/evaluate-trust";
import { isOverlong, trustCharactersMax } from "../../../rules/aws/evaluate/role-policy";
import { serviceAccountClaims } from "../../../rules/aws/evaluate/service-account-claims";
import { type Answer, broken, pass, seen, unknown } from "../../answer";
import { ASK_AGAIN } from "../ask-again";
import type { Source } from "../../facts/source";
import { isLateText } from "../../facts/terraform";
import { NO_ACCOUNT, type OidcProviderFact } from "./iam";
import { audienceDoubt, registeredIssuers } from "./registered-issuer";
import type { RoleFact } from "./role-fact";
import { type TrustPolicy, type TrustedOidcProvider, readTrustPolicy } from "./trust-policy";

/** Whose token is shown to STS. */
export interface AwsTrustQuestion {
  /** The role; `undefined` where it was not read. */
  readonly role: RoleFact | undefined;
  /** The role's account as the annotation names it; empty where that is known only after apply. */
  readonly account: string;
  /**
   * The role's partition as the annotation names it, `aws`.
   *
   * @defaultValue - known only after apply
   */
  readonly partition?: string;
  /** `iss` of the token; `undefined` where it is not known. */
  readonly issuer: string | undefined;
  /** `sub` of the token. */
  readonly subject: string;
  /** `aud` of the token. */
  readonly audience: string;
  /** All OIDC providers that were read. */
  readonly oidcProviders: readonly OidcProviderFact[];
}

/** What STS says of an issuer whose documents it cannot use. */
export const NO_KEYS = "InvalidIdentityToken: Couldn't retrieve verification key from your identity provider";
const DENIED = "AccessDenied: Not authorized to perform sts:AssumeRoleWithWebIdentity";

const NO_ROLE = unknown(
  "the IAM role is not among what was read",
  "name the Terraform that declares it as well; STS answers the same for a role that does not exist",
);

/** The three answers, each presuming the ones before. */
export function awsTrust(question: AwsTrustQuestion): readonly [Answer, Answer, Answer] {
  const { role, issuer } = question;
  if (role === undefined) return [NO_ROLE, NO_ROLE, NO_ROLE];
  if (role.contestedBy) {
    const answer = twice(role, role.contestedBy);
    return [answer, answer, answer];
  }
  if (issuer === undefined || isLateText(issuer)) {
    const answer = unknown(
      "the issuer of the cluster's tokens is not known",
      "record it in workload-identity.json, or give it to the verifier",
    );
    return [answer, answer, answer];
  }
  const policy = readTrustPolicy(role.trustPolicy);
  const principal = federatedPrincipal(policy, issuer, question.account);
  if (principal === undefined) return [issuerForeign(role, policy, issuer), NOT_JUDGED, NOT_JUDGED];
  if (isOverlong(policy.text, trustCharactersMax)) {
    const answer = overlong(role);
    return [answer, answer, answer];
  }
  const asked = { ...question, role, issuer, policy, principal };
  const decision = judged(asked, policy.document);
  return [issuerTrusted(asked), audienceAccepted(asked, decision), subjectAdmitted(asked, decision)];
}

function overlong({ source }: RoleFact): Answer {
  return unknown(
    `AWS refuses the trust policy, which is longer than ${trustCharactersMax} characters without white space`,
    "share the service accounts out among several roles; which policy the role has, if it is there at all, is not known",
    seen("trust policy of the IAM role", source),
  );
}

function twice({ pathName, source }: RoleFact, other: Source): Answer {
  return unknown(
    `the IAM role ${pathName} is declared twice, in different ways`,
    "leave only one of the two in what is read, or limit their Terraform providers to their accounts (allowed_account_ids)",
    seen("IAM role", source),
    seen("IAM role of the same name and account", other),
  );
}

/** A question about a role whose trust policy names the issuer. */
interface Asked extends AwsTrustQuestion {
  readonly role: RoleFact;
  readonly issuer: string;
  readonly policy: TrustPolicy;
  readonly principal: TrustedOidcProvider;
}

const NOT_JUDGED = unknown(
  "the trust policy does not name the cluster's OIDC provider",
  "see issuer-trusted",
);

function federatedPrincipal(
  { trusted }: TrustPolicy,
  issuer: string,
  account: string,
): TrustedOidcProvider | undefined {
  const same = trusted.filter(({ hostPath }) => `https://${hostPath}` === issuer);
  return same.find((principal) => principal.account === account) ?? same[0];
}

function issuerTrusted(asked: Asked): Answer {
  const { account, partition, role, issuer, principal } = asked;
  const where = seen("trust policy of the IAM role", role.source);
  if (account !== "" && principal.account !== NO_ACCOUNT && principal.account !== account)
    return broken(
      `the trust policy names an OIDC provider of account ${principal.account}, the role is in ${account}`,
      "STS looks for the OIDC provider in the role's own account; declare it there",
      `InvalidIdentityToken: No OpenIDConnect provider found in your account for ${issuer}`,
      where,
    );
  if (partition !== undefined && principal.account !== NO_ACCOUNT && principal.partition !== partition)
    return broken(
      `the trust policy names an OIDC provider of partition ${principal.partition}, the role is in ${partition}`,
      "write the partition of the account into role ARN and trust policy",
      DENIED,
      where,
    );
  const [declared] = registeredIssuers(asked);
  if (declared)
    return pass(
      `account and trust policy know the issuer ${issuer}`,
      seen("OIDC provider", declared.source),
      where,
    );
  return unknown(
    `the OIDC provider of ${issuer} is not among what was read`,
    "name the Terraform that declares it as well; without one STS refuses every token of the issuer",
    where,
  );
}

function issuerForeign(role: RoleFact, policy: TrustPolicy, issuer: string): Answer {
  const where = seen("trust policy of the IAM role", role.source);
  const trusted = policy.trusted.map(({ hostPath }) => `https://${hostPath}`);
  if (policy.text === "" || (trusted.length === 0 && isLateText(policy.text)))
    return unknown("the trust policy holds values that are known only after apply", ASK_AGAIN, where);
  if (policy.isOpen)
    return unknown(
      "the trust policy names no OIDC provider of the issuer, but lets in everybody by *, of which AWS does not say whether it covers web identities",
      "write the ARN of the OIDC provider as Federated principal",
      where,
    );
  const near = trusted.find((url) => plain(url) === plain(issuer));
  const difference = near === undefined ? "" : "; they differ in letter case or a trailing slash";
  return broken(
    `the trust policy does not name the OIDC provider of ${issuer}; it names ${trusted.join(", ") || "none"}${difference}`,
    "write the cluster's issuer to the letter into OIDC provider and trust policy",
    DENIED,
    where,
  );
}

function plain(url: string): string {
  return url.replace(/\/+$/, "").toLowerCase();
}

function audienceAccepted(asked: Asked, whole: AwsDecision): Answer {
  const { role, policy, audience } = asked;
  const found = registeredIssuers(asked);
  const [declared] = found;
  const ids = declared?.clientIds;
  const doubt = audienceDoubt(found, audience);
  if (!doubt && ids && !ids.includes(audience) && !ids.some(isLateText))
    return broken(
      `the OIDC provider accepts ${ids.join(", ") || "no audience"}, the token is for ${audience}`,
      "add the audience to the OIDC provider's client_id_list",
      "InvalidIdentityToken: Incorrect token audience",
      seen("client_id_list", declared.source),
    );
  // What is allowed under all conditions is allowed under fewer.
  const decision = whole.outcome === "allowed" ? whole : judged(asked, policy.withoutSubject());
  if (decision.outcome === "denied")
    return broken(
      `the trust policy does not admit the audience ${audience}: ${decision.reason}`,
      "write the audience of the tokens into the trust policy's :aud condition",
      DENIED,
      seen("trust policy of the IAM role", role.source),
    );
  if (doubt) return doubt;
  if (ids === undefined || ids.some(isLateText))
    return unknown(
      "which audiences the OIDC provider accepts is not known",
      `check that its client_id_list holds ${audience}, or name the Terraform that declares it as well`,
    );
  if (decision.outcome === "unknown")
    return unknown(decision.reason, "see the trust policy", seen("trust policy", role.source));
  return pass(`OIDC provider and trust policy accept ${audience}`, seen("client_id_list", declared?.source));
}

function subjectAdmitted({ role, subject }: Asked, decision: AwsDecision): Answer {
  const where = seen("trust policy of the IAM role", role.source);
  if (decision.outcome === "allowed")
    return pass(`the trust policy admits ${subject}: ${decision.reason}`, where);
  if (decision.outcome === "unknown") return unknown(decision.reason, "see the trust policy", where);
  return broken(
    `the trust policy does not admit ${subject}: ${decision.reason}`,
    "write the service account's exact subject into the trust policy's :sub condition; a wildcard needs StringLike",
    DENIED,
    where,
  );
}

function judged({ issuer, subject, audience, principal }: Asked, policy: unknown): AwsDecision {
  const claims = serviceAccountClaims(issuer, subject, audience);
  return evaluateAwsTrust(policy, { providerArn: principal.arn, claims });
}
