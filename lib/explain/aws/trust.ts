/*
 * Would STS let the service account assume the role? Each link is judged alone, so that the broken one is named.
 */

import {
  type Known,
  Reference,
  is,
  isKnown,
  joined,
  known,
  orElse,
  partsOf,
  same,
  shown,
  textOf,
  unread,
  withoutPrefix,
} from "../../model/known";
import { remembered } from "../../model/once";
import type { AwsDecision } from "../../rules/aws/policy/decide";
import type { Condition, Policy, Statement } from "../../rules/aws/policy/document";
import { readPolicy } from "../../rules/aws/policy/policy";
import { trustCharactersMax } from "../../rules/aws/policy/refusals";
import {
  admitsEveryone,
  admittingStatements,
  claimOf,
  decideTrust,
  federatedPrincipals,
  serviceAccountClaims,
} from "../../rules/aws/policy/trust";
import { type Answer, type Evidence, broken, later, pass, seen, unknown } from "../answer";
import type { TrustAnswer, TrustTerms } from "../cloud";
import { difference } from "../shared/near-miss";
import type { Issuers } from "../shared/object-store";
import { Recent } from "../shared/references";
import { sameAnswers } from "../shared/same-answers";
import { ASK_AGAIN, NAME_CLUSTER } from "../shared/words";
import { type Role, misplaced } from "./identity";
import { beyondTerms } from "./held";
import { type RegisteredIssuer, accepts, hostOfArn, registeredIn, unregistered } from "./oidc-providers";
import { arnFields, memoryKey } from "./place";

export interface TrustQuestion {
  readonly role: Role;
  /** Account and partition in the role's ARN as written. */
  readonly account: Known<string>;
  readonly partition: Known<string>;
  readonly issuer: Known<string>;
  readonly subject: Known<string>;
  readonly audience: Known<string>;
}

/** The answer of STS for an issuer whose documents it cannot use. */
const NO_KEYS = "InvalidIdentityToken: Couldn't retrieve verification key from your identity provider";
const DENIED = "AccessDenied: Not authorized to perform sts:AssumeRoleWithWebIdentity";
const SCHEME = "https://";

const NOT_JUDGED = unknown(
  "the trust policy does not name the cluster's OIDC provider",
  "see issuer-trusted",
);

interface TrustedProvider {
  readonly arn: Known<string>;
  readonly host: Known<string>;
  readonly account: Known<string>;
  readonly partition: Known<string>;
}

/** A question about a role whose trust policy names the issuer. */
interface Asked extends TrustQuestion {
  readonly host: Known<string>;
  readonly principal: TrustedProvider;
  readonly policy: Policy;
  /** The declarations of the issuer's OIDC provider that were read. */
  readonly registered: readonly RegisteredIssuer[];
}

export class Trust {
  readonly #providers: readonly RegisteredIssuer[];
  readonly #issuers: Issuers;
  readonly #isWhole: boolean;
  /** By ARN, since thousands of roles trust a handful of OIDC providers. */
  readonly #named = new Map<string, TrustedProvider | undefined>();
  readonly #ofAny = new Recent<string, { readonly found: TrustAnswer | undefined }>();

  /** `isWhole` is false if modules that were not read may declare further OIDC providers. */
  constructor(providers: readonly RegisteredIssuer[], issuers: Issuers, isWhole: boolean) {
    this.#providers = providers;
    this.#isWhole = isWhole;
    this.#issuers = issuers;
  }

  /** The three answers, each assuming that the ones before hold. */
  of(question: TrustQuestion): TrustAnswer {
    const { role } = question;
    if (role.contestedBy)
      return sameAnswers(
        unknown(
          `the IAM role ${role.pathName} is declared twice, in different ways`,
          "give explain only one of the two, or limit their Terraform providers to their accounts (allowed_account_ids)",
          seen("IAM role", role.resource.source),
          seen("IAM role of the same name and account", role.contestedBy),
        ),
      );
    const issuer = this.#stated(question, role);
    if (partsOf(issuer) === undefined) return sameAnswers(NO_ISSUER);
    const answers = this.#judged({ ...question, issuer }, role);
    return { ...answers, issuer: this.#issuers.judged(answers.issuer, issuer, NO_KEYS) };
  }

  /** True if the role admits a token for any audience of the OIDC provider. */
  isWide(question: TrustQuestion): boolean {
    const { role } = question;
    const token = this.#asked(question, role, role.trust);
    return token !== undefined && decided({ ...token, audience: FOREIGN }).outcome === "allowed";
  }

  /** The OIDC providers, by ARN as written, whose tokens a role's trust policy admits. */
  named({ trust }: Role): ReadonlySet<string> {
    return new Set(this.#trusted(trust).map(({ arn }) => shown(arn)));
  }

  /** The issuers of these providers; `undefined` if something else may decide. */
  issuersOf(role: Role): readonly Known<string>[] | undefined {
    const { issuers, beyond } = this.terms(role);
    return beyond.length === 0 ? issuers : undefined;
  }

  /** What a role's trust policy, and the OIDC providers that it names, compare tokens with. */
  terms({ trust: policy, trustText }: Role): TrustTerms {
    const issuers = this.#trusted(policy).map(({ host }) => joined(SCHEME, host));
    const conditions = admittingStatements(policy).flatMap((each) => orElse(each.conditions, () => []));
    const valuesOf = (claim: string): readonly Known<string>[] =>
      conditions.flatMap(({ key, values }) => (claimOf(key)?.toLowerCase() === claim ? values : []));
    const registered = this.#providers.filter(({ url }) => issuers.some((each) => same(each, url) === "yes"));
    const audiences = registered.flatMap(({ clientIds }) => orElse(clientIds, () => []));
    const statements = policy.kind === "read" ? policy.statements : [];
    const isWhole =
      policy.kind === "read" && statements.every((each) => !("unread" in each) && isKnown(each.conditions));
    return {
      issuers,
      audiences: [...valuesOf("aud"), ...audiences],
      subjects: valuesOf("sub"),
      beyond: [...statements.flatMap(beyondTerms), ...(isWhole ? [] : [trustText])],
    };
  }

  /** The texts are made on demand if the policy would admit any subject written in place of this one. */
  #judged(question: TrustQuestion, role: Role): TrustAnswer {
    const alike = this.#alike(question, role);
    if (alike === undefined) return this.#answers(question, role, role.trust);
    let answers: TrustAnswer | undefined;
    const judged = (): TrustAnswer => (answers ??= this.#answers(question, role, role.trust));
    return {
      issuer: later(alike.issuer.status, () => judged().issuer),
      audience: later(alike.audience.status, () => judged().audience),
      subject: later(alike.subject.status, () => judged().subject),
    };
  }

  /**
   * The answer shared by roles whose trust policies differ only in the one subject they admit: the policy is judged
   * with an unknown value in its place that equals the token's subject. `undefined` if that does not suffice, or if the
   * policy as written would be judged differently.
   */
  #alike(question: TrustQuestion, role: Role): TrustAnswer | undefined {
    const { subject, account, partition, issuer, audience } = question;
    const [text, name] = [role.trustText, subject].map((each) => orElse(each, () => ""));
    if (!text || !name || text.length > trustCharactersMax || !text.includes(name)) return undefined;
    const pieces = text.split(name);
    const key = memoryKey(...pieces, account, partition, issuer, audience);
    return this.#ofAny.get(key, () => {
      const template = textOf(pieces.flatMap((piece, place) => (place === 0 ? [piece] : [ANYONE, piece])));
      const policy = readPolicy(template, "trust", trustCharactersMax);
      const any = this.#answers({ ...question, subject: textOf([ANYONE]) }, role, policy);
      const specific = this.#answers(question, role, role.trust);
      const isAlike = STEPS.every((step) => any[step].status === specific[step].status);
      return { found: isAlike && any.subject.status === "pass" ? any : undefined };
    }).found;
  }

  #answers(question: TrustQuestion, role: Role, policy: Policy): TrustAnswer {
    const token = policy.kind === "refused" ? undefined : this.#asked(question, role, policy);
    if (token === undefined) {
      const subject = excludedSubject(question, policy) ?? NOT_JUDGED;
      return { issuer: this.#foreign(question, role, policy), audience: NOT_JUDGED, subject };
    }
    const decision = decided(token);
    return {
      issuer: issuerTrusted(token, this.#providers, this.#isWhole),
      audience: audienceAccepted(token, decision),
      subject: subjectAdmitted(token, decision),
    };
  }

  #asked(question: TrustQuestion, role: Role, policy: Policy): Asked | undefined {
    const host = withoutPrefix(question.issuer, SCHEME);
    const named = this.#trusted(policy).filter((each) => same(each.host, host) === "yes");
    const principal = named.find((each) => same(each.account, question.account) === "yes") ?? named[0];
    if (principal === undefined) return undefined;
    const { issuer, account, partition } = question;
    const place = isKnown(account) ? { account, partition } : principal;
    const registered = registeredIn(this.#providers, issuer, place);
    return { ...question, role, policy, host, principal, registered };
  }

  /** The OIDC providers that a trust policy's statements admit, in their order. */
  #trusted(policy: Policy): readonly TrustedProvider[] {
    return federatedPrincipals(policy).flatMap((arn) => {
      const text = orElse(arn, () => undefined);
      const providers =
        text === undefined ? this.#provider(arn) : remembered(this.#named, text, () => this.#provider(arn));
      return providers ?? [];
    });
  }

  #provider(arn: Known<string>): TrustedProvider | undefined {
    const [, partition, , , account] = arnFields(arn) ?? [];
    const host = hostOfArn(arn);
    if (host !== undefined && partition !== undefined && account !== undefined)
      return { arn, host, account, partition };
    // A reference to an OIDC provider whose ARN cannot be computed.
    const provider = this.#providers.find((each) => same(each.arn, arn) === "yes");
    return (
      provider && {
        arn,
        host: withoutPrefix(provider.url, SCHEME),
        account: provider.account,
        partition: arn,
      }
    );
  }

  #foreign({ issuer }: TrustQuestion, role: Role, policy: Policy): Answer {
    const where = trustPolicyOf(role);
    if (policy.kind === "refused")
      return broken(
        `AWS refuses the trust policy: ${policy.why}`,
        "write a trust policy that IAM accepts; split the service accounts over several roles if it is too long",
        "MalformedPolicyDocument",
        where,
      );
    const trusted = this.#trusted(policy);
    const names = federatedPrincipals(policy);
    if (policy.kind !== "read" || (trusted.length === 0 && !names.every(isKnown)))
      return unknown("the trust policy holds values that are known only after apply", ASK_AGAIN, where);
    if (admitsEveryone(policy))
      return unknown(
        "the trust policy names no OIDC provider of the issuer, but admits everyone through *, and AWS does not document whether that covers web identities",
        "write the ARN of the OIDC provider as the Federated principal",
        where,
      );
    const listed = trusted.map(({ host }) => `${SCHEME}${shown(host)}`);
    const host = withoutPrefix(issuer, SCHEME);
    const reason = `the trust policy does not name the OIDC provider of ${shown(issuer)}; it names ${listed.join(", ") || "none"}`;
    if (!names.every(isKnown) || trusted.some((each) => same(each.host, host) === "unknown"))
      return unknown(`${reason}; the issuer of one of these is known only after apply`, ASK_AGAIN, where);
    return broken(
      reason + difference(issuer, listed),
      "write exactly the cluster's issuer into the OIDC provider and the trust policy",
      DENIED,
      where,
    );
  }

  /**
   * The issuer's URL as the state declares the OIDC provider, if the role, itself read from a state, trusts it;
   * otherwise the issuer in question.
   */
  #stated(question: TrustQuestion, role: Role): Known<string> {
    const { issuer } = question;
    if (isKnown(issuer) || partsOf(issuer) === undefined) return issuer;
    const matching = this.#providers.filter(({ url }) => same(url, issuer) === "yes");
    const addresses = new Set(matching.map(({ resource }) => resource.address));
    const urls = this.#providers
      .filter(({ resource, url }) => addresses.has(resource.address) && isKnown(url))
      .map(({ url }) => url);
    const [first] = urls;
    // Resources of several stacks may share an address: only the trusted one is certainly the same.
    const isOne = first !== undefined && urls.every((url) => same(url, first) === "yes");
    if (!isOne) return issuer;
    const { status } = this.#judged({ ...question, issuer: first }, role).issuer;
    return status === "pass" ? first : issuer;
  }
}

/** Stands for the subject of any token. */
const ANYONE = new Reference("the subject of the token");
const STEPS = ["issuer", "audience", "subject"] as const;

const NO_ISSUER = unknown("the issuer of the cluster's tokens is not known", NAME_CLUSTER);
/** An audience that no OIDC provider and no trust policy names. */
const FOREIGN: Known<string> = known("urn:not-an-audience-of-any-provider");

function trustPolicyOf({ resource }: Role): Evidence {
  return seen("trust policy of the IAM role", resource.source);
}

function idsOf(found: readonly RegisteredIssuer[]): string {
  const ids = found.flatMap(({ clientIds }) => orElse(clientIds, () => []).map(shown));
  return [...new Set(ids)].join(", ") || "no audience";
}

/** True for an Allow statement's condition on the subject, which is ignored where only the audience is judged. */
function isOnSubject({ key }: Condition, { effect }: Statement): boolean {
  return is(effect, "Allow") === "yes" && claimOf(key)?.toLowerCase() === "sub";
}

function decided(
  { subject, audience, principal, host, policy }: Asked,
  presumes?: typeof isOnSubject,
): AwsDecision {
  const claims = serviceAccountClaims(subject, audience);
  return decideTrust(policy, { provider: principal.arn, host, claims, ...(presumes && { presumes }) });
}

function issuerTrusted(asked: Asked, providers: readonly RegisteredIssuer[], isWhole: boolean): Answer {
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

function audienceAccepted(asked: Asked, whole: AwsDecision): Answer {
  const { role, audience, registered: found } = asked;
  const accepted = accepts(found, audience);
  const lists = (): readonly Evidence[] =>
    found.map(({ resource }) => seen("client_id_list", resource.source));
  if (accepted === "no")
    return broken(
      `the OIDC provider accepts ${idsOf(found)}, but the token is for ${shown(audience)}`,
      "add the audience to the OIDC provider's client_id_list",
      "InvalidIdentityToken: Incorrect token audience",
      lists(),
    );
  // What all conditions together allow is also allowed under fewer of them.
  const decision = whole.outcome === "allowed" ? whole : decided(asked, isOnSubject);
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
    () => seen("client_id_list", found[0]?.resource.source),
  );
}

/** The answer for a subject that no statement admits, whichever OIDC provider the trust policy will name. */
function excludedSubject(question: TrustQuestion, policy: Policy): Answer | undefined {
  if (policy.kind !== "read" || federatedPrincipals(policy).every(isKnown)) return undefined;
  const { role, issuer, subject, audience } = question;
  const decision = decideTrust(policy, {
    provider: unread("the trust policy names a provider that is not known yet"),
    host: withoutPrefix(issuer, SCHEME),
    claims: serviceAccountClaims(subject, audience),
  });
  return decision.outcome === "denied" ? subjectAdmitted({ role, subject }, decision) : undefined;
}

function subjectAdmitted({ role, subject }: Pick<Asked, "role" | "subject">, decision: AwsDecision): Answer {
  if (decision.outcome === "allowed")
    return pass(
      () => `the trust policy admits ${shown(subject)}: ${decision.reason}`,
      () => trustPolicyOf(role),
    );
  const where = trustPolicyOf(role);
  if (decision.outcome === "unknown") return unknown(decision.reason, "see the trust policy", where);
  return broken(
    `the trust policy does not admit ${shown(subject)}: ${decision.reason}`,
    "write the service account's exact subject into the trust policy's :sub condition; a wildcard needs StringLike",
    DENIED,
    where,
  );
}
