/*
 * Would STS let the service account assume the role? Each link is judged alone, so that the broken one is named.
 */

import { evaluateAwsTrust } from "../../../rules/aws/evaluate/evaluate-trust";
import { type Answer, broken, pass, seen, unknown } from "../../answer";
import { type Json, blocks, list, record, text, texts } from "../../facts/access";
import { isLateText } from "../../facts/terraform";
import { NO_ACCOUNT, type OidcProviderFact, type RoleFact } from "./iam";

/** Whose token is shown to STS. */
export interface AwsTrustQuestion {
  /** The role; `undefined` where it was not read. */
  readonly role: RoleFact | undefined;
  /** The role's account as the annotation names it; empty where that is known only after apply. */
  readonly account: string;
  /** `iss` of the token; `undefined` where it is not known. */
  readonly issuer: string | undefined;
  /** `sub` of the token. */
  readonly subject: string;
  /** `aud` of the token. */
  readonly audience: string;
  /** All OIDC providers that were read. */
  readonly oidcProviders: readonly OidcProviderFact[];
}

const DENIED = "AccessDenied: Not authorized to perform sts:AssumeRoleWithWebIdentity";
const PRINCIPAL = /^arn:([a-z-]+):iam::(\d{12}):oidc-provider\/(.+)$/s;

const NO_ROLE = unknown(
  "the IAM role is not among what was read",
  "name the Terraform that declares it as well; STS answers the same for a role that does not exist",
);

/** The three answers, each presuming the ones before. */
export function awsTrust(question: AwsTrustQuestion): readonly [Answer, Answer, Answer] {
  const { role, issuer } = question;
  if (role === undefined) return [NO_ROLE, NO_ROLE, NO_ROLE];
  if (issuer === undefined || isLateText(issuer)) {
    const answer = unknown(
      "the issuer of the cluster's tokens is not known",
      "record it in workload-identity.json, or give it to the verifier",
    );
    return [answer, answer, answer];
  }
  const principal = federatedPrincipal(role, issuer, question.account);
  const issuerAnswer = issuerTrusted(question, role, issuer, principal);
  if (principal === undefined) return [issuerAnswer, NOT_JUDGED, NOT_JUDGED];
  return [
    issuerAnswer,
    audienceAccepted(question, role, issuer, principal),
    subjectAdmitted(question, role, principal),
  ];
}

const NOT_JUDGED = unknown(
  "the trust policy does not name the cluster's OIDC provider",
  "see issuer-trusted",
);

interface Principal {
  readonly arn: string;
  readonly hostPath: string;
  readonly account: string;
}

/** The OIDC providers that the trust policy lets in. */
function principalsOf(role: RoleFact): readonly Principal[] {
  return statementsOf(role.trustPolicy)
    .filter(({ Effect }) => Effect === "Allow")
    .flatMap(({ Principal: value }) => {
      const federated = record(value)["Federated"];
      return (typeof federated === "string" ? [federated] : texts(federated)).flatMap((arn) => {
        const [, , account, hostPath] = PRINCIPAL.exec(arn) ?? [];
        return account === undefined || hostPath === undefined ? [] : [{ arn, account, hostPath }];
      });
    });
}

function federatedPrincipal(role: RoleFact, issuer: string, account: string): Principal | undefined {
  const same = principalsOf(role).filter(({ hostPath }) => `https://${hostPath}` === issuer);
  return same.find((principal) => principal.account === account) ?? same[0];
}

function issuerTrusted(
  { account, oidcProviders }: AwsTrustQuestion,
  role: RoleFact,
  issuer: string,
  principal: Principal | undefined,
): Answer {
  const where = seen("trust policy of the IAM role", role.source);
  if (principal === undefined) return issuerForeign(role, issuer);
  if (account !== "" && principal.account !== NO_ACCOUNT && principal.account !== account)
    return broken(
      `the trust policy names an OIDC provider of account ${principal.account}, the role is in ${account}`,
      "STS looks for the OIDC provider in the role's own account; declare it there",
      `InvalidIdentityToken: No OpenIDConnect provider found in your account for ${issuer}`,
      where,
    );
  const declared = registered(oidcProviders, issuer, principal, account);
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

function issuerForeign(role: RoleFact, issuer: string): Answer {
  const where = seen("trust policy of the IAM role", role.source);
  const trusted = principalsOf(role).map(({ hostPath }) => `https://${hostPath}`);
  if (role.trustPolicy === "" || (trusted.length === 0 && isLateText(role.trustPolicy)))
    return unknown(
      "the trust policy holds values that are known only after apply",
      "apply, and ask again",
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

function registered(
  oidcProviders: readonly OidcProviderFact[],
  issuer: string,
  principal: Principal,
  account: string,
): OidcProviderFact | undefined {
  const home = account === "" ? principal.account : account;
  return oidcProviders.find(
    (each) => each.url === issuer && (each.account === "" || home === NO_ACCOUNT || each.account === home),
  );
}

function audienceAccepted(
  question: AwsTrustQuestion,
  role: RoleFact,
  issuer: string,
  principal: Principal,
): Answer {
  const { audience, account } = question;
  const declared = registered(question.oidcProviders, issuer, principal, account);
  const ids = declared?.clientIds;
  if (ids && !ids.includes(audience) && !ids.some(isLateText))
    return broken(
      `the OIDC provider accepts ${ids.join(", ") || "no audience"}, the token is for ${audience}`,
      "add the audience to the OIDC provider's client_id_list",
      "InvalidIdentityToken: Incorrect token audience",
      seen("client_id_list", declared.source),
    );
  const policy = withoutKey(role.trustPolicy, ":sub");
  const decision = judged(policy, question, principal);
  if (decision.outcome === "denied")
    return broken(
      `the trust policy does not admit the audience ${audience}: ${decision.reason}`,
      "write the kubelet's serviceAccountTokenAudience into the trust policy's :aud condition",
      DENIED,
      seen("trust policy of the IAM role", role.source),
    );
  if (ids === undefined || ids.some(isLateText))
    return unknown(
      "which audiences the OIDC provider accepts is not known",
      `check that its client_id_list holds ${audience}`,
    );
  if (decision.outcome === "unknown")
    return unknown(decision.reason, "see the trust policy", seen("trust policy", role.source));
  return pass(`OIDC provider and trust policy accept ${audience}`, seen("client_id_list", declared?.source));
}

function subjectAdmitted(question: AwsTrustQuestion, role: RoleFact, principal: Principal): Answer {
  const decision = judged(role.trustPolicy, question, principal);
  const where = seen("trust policy of the IAM role", role.source);
  if (decision.outcome === "allowed")
    return pass(`the trust policy admits ${question.subject}: ${decision.reason}`, where);
  if (decision.outcome === "unknown") return unknown(decision.reason, "see the trust policy", where);
  return broken(
    `the trust policy does not admit ${question.subject}: ${decision.reason}`,
    "write the service account's exact subject into the trust policy's :sub condition; a wildcard needs StringLike",
    DENIED,
    where,
  );
}

function judged(
  policy: unknown,
  { issuer, subject, audience }: AwsTrustQuestion,
  { arn }: Principal,
): ReturnType<typeof evaluateAwsTrust> {
  return evaluateAwsTrust(policy, { providerArn: arn, claims: { iss: issuer, sub: subject, aud: audience } });
}

/** The policy without conditions on a key in statements that allow: what the other conditions alone would say. */
function withoutKey(policy: string, ending: string): unknown {
  const statements = statementsOf(policy).map((statement) => {
    if (statement["Effect"] !== "Allow") return statement;
    const condition = Object.entries(record(statement["Condition"])).map(([operator, keys]) => [
      operator,
      Object.fromEntries(Object.entries(record(keys)).filter(([key]) => !key.toLowerCase().endsWith(ending))),
    ]);
    return {
      ...statement,
      Condition: Object.fromEntries(condition.filter(([, keys]) => Object.keys(record(keys)).length > 0)),
    };
  });
  return statements.length === 0 ? policy : { Version: "2012-10-17", Statement: statements };
}

function statementsOf(policy: string): readonly Json[] {
  const document = parsed(policy);
  return Array.isArray(document["Statement"])
    ? list(document["Statement"]).map(record)
    : blocks(document["Statement"]);
}

/** A policy that is no JSON has no statement that could be named; the evaluator says why. */
function parsed(policy: string): Json {
  try {
    return record(JSON.parse(text(policy)));
  } catch {
    return {};
  }
}
