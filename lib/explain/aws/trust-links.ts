/*
 * The links of trust in a service account's token, each judged alone: the issuer's OIDC provider, the audience, the
 * subject.
 */

import { type Known, is, isKnown, orElse, same, shown, unread, withoutPrefix } from "../../model/known";
import type { AwsDecision } from "../../rules/aws/policy/decide";
import type { Condition, Policy, Statement } from "../../rules/aws/policy/document";
import {
  claimOf,
  comparedWith,
  decideTrust,
  federatedPrincipals,
  serviceAccountClaims,
} from "../../rules/aws/policy/trust";
import { type Answer, type Evidence, broken, pass, seen, unknown } from "../answer";
import { regenerated } from "../shared/near-miss";
import { type Role, misplaced } from "./identity";
import { type RegisteredIssuer, accepts, unregistered } from "./oidc-providers";

/** Account and partition are those in the role's ARN as written. */
export interface TrustQuestion extends Pick<RegisteredIssuer, "account" | "partition"> {
  readonly role: Role;
  readonly issuer: Known<string>;
  readonly subject: Known<string>;
  readonly audience: Known<string>;
}

export const NOT_JUDGED: Answer = unknown(
  "the trust policy does not name the cluster's OIDC provider",
  "see issuer-trusted",
);

export interface TrustedProvider extends Pick<RegisteredIssuer, "arn" | "account" | "partition"> {
  readonly host: Known<string>;
}

/** A question about a role whose trust policy names the issuer. */
export interface Asked extends TrustQuestion {
  readonly host: Known<string>;
  readonly principal: TrustedProvider;
  readonly policy: Policy;
  /** The declarations of the issuer's OIDC provider that were read. */
  readonly registered: readonly RegisteredIssuer[];
}

export const DENIED = "AccessDenied: Not authorized to perform sts:AssumeRoleWithWebIdentity";
export const SCHEME = "https://";

export function trustPolicyOf({ resource }: Role): Evidence {
  return seen("trust policy of the IAM role", resource.source);
}

function idsOf(found: readonly RegisteredIssuer[]): string {
  const ids = found.flatMap(({ clientIds }) => orElse(clientIds, () => []).map(shown));
  return [...new Set(ids)].join(", ") || "no audience";
}

/** True for an Allow statement's condition on anything but the audience, where only that is judged. */
function isOnOthers({ key }: Condition, { effect }: Statement): boolean {
  return is(effect, "Allow") === "yes" && claimOf(key)?.toLowerCase() !== "aud";
}

export function decided(
  { subject, audience, principal, host, policy }: Asked,
  presumes?: typeof isOnOthers,
): AwsDecision {
  const claims = serviceAccountClaims(subject, audience);
  return decideTrust(policy, { provider: principal.arn, host, claims, ...(presumes && { presumes }) });
}

export function issuerTrusted(
  asked: Asked,
  providers: readonly RegisteredIssuer[],
  isWhole: boolean,
): Answer {
  const { account, partition, role, issuer, principal, registered } = asked;
  const where = (): Evidence => trustPolicyOf(role);
  if (same(principal.account, account) === "no")
    return broken(
      `the trust policy names an OIDC provider in account ${shown(principal.account)}, but the role is in ${shown(account)}`,
      "declare the OIDC provider in the role's own account; STS looks for it only there",
      `InvalidIdentityToken: No OpenIDConnect provider found in your account for ${shown(issuer)}`,
      where(),
    );
  if (same(principal.partition, partition) === "no")
    return broken(
      `the trust policy names an OIDC provider in partition ${shown(principal.partition)}, but the role is in ${shown(partition)}`,
      "write the account's partition into the role's ARN and the trust policy",
      DENIED,
      where(),
    );
  const elsewhere = misplaced(role, partition);
  if (elsewhere) return elsewhere;
  const [declared] = registered;
  if (declared)
    return pass(
      () => `the OIDC provider and the trust policy both name issuer ${shown(issuer)}`,
      () => seen("OIDC provider", declared.resource.source),
      where,
    );
  return unregistered(providers, { issuer, account, role }, isWhole, where());
}

export function audienceAccepted(question: Asked, whole: AwsDecision): Answer {
  const { role, audience, registered: providers } = question;
  const accepted = accepts(providers, audience);
  const lists = (): readonly Evidence[] =>
    providers.map(({ resource }) => seen("client_id_list", resource.source));
  if (accepted === "no")
    return broken(
      `the OIDC provider accepts ${idsOf(providers)}, but the token is for ${shown(audience)}`,
      "add the audience to the OIDC provider's client_id_list",
      "InvalidIdentityToken: Incorrect token audience",
      lists(),
    );
  // What all conditions together allow is also allowed under fewer of them.
  const decision = whole.outcome === "allowed" ? whole : decided(question, isOnOthers);
  if (decision.outcome === "denied")
    return broken(
      `the trust policy does not admit the audience ${shown(audience)}: ${decision.reason}`,
      "write the audience of the tokens into the trust policy's :aud condition",
      DENIED,
      trustPolicyOf(role),
    );
  if (accepted === "unknown")
    return unknown(
      "which audiences the OIDC provider accepts is not known, or it is declared twice with different ones, or with more than the 100 that AWS accepts",
      `check that its client_id_list contains ${shown(audience)}; then state it with --facts as aws.oidcProviders, or also give explain the Terraform that declares it, and limit Terraform providers to their accounts (allowed_account_ids)`,
      lists(),
    );
  if (decision.outcome === "unknown")
    return unknown(decision.reason, "see the trust policy", trustPolicyOf(role));
  return pass(
    () => `OIDC provider and trust policy accept ${shown(audience)}`,
    () => seen("client_id_list", providers[0]?.resource.source),
  );
}

/** The answer for a subject that no statement admits, whichever OIDC provider the trust policy will name. */
export function subjectAnyhow(question: TrustQuestion, policy: Policy): Answer {
  if (policy.kind !== "read" || federatedPrincipals(policy).every(isKnown)) return NOT_JUDGED;
  const { issuer, subject, audience } = question;
  const [provider, host] = [unread("its provider is not known yet"), withoutPrefix(issuer, SCHEME)];
  const decision = decideTrust(policy, { provider, host, claims: serviceAccountClaims(subject, audience) });
  return decision.outcome === "denied" ? subjectAdmitted(question, decision) : NOT_JUDGED;
}

export function subjectAdmitted({ role, subject }: TrustQuestion, decision: AwsDecision): Answer {
  if (decision.outcome === "allowed")
    return pass(
      () => `the trust policy admits ${shown(subject)}: ${decision.reason}`,
      () => trustPolicyOf(role),
    );
  const where = trustPolicyOf(role);
  if (decision.outcome === "unknown") return unknown(decision.reason, "see the trust policy", where);
  const again = regenerated(subject, comparedWith(role.trust, "sub"));
  return broken(
    `the trust policy does not admit ${shown(subject)}: ${decision.reason}${again?.near ?? ""}`,
    again?.remedy ??
      "write the service account's exact subject into the trust policy's :sub condition; a wildcard needs StringLike",
    DENIED,
    where,
  );
}
