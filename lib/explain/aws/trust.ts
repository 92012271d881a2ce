/*
 * Would STS let the service account assume the role? Each link is judged alone, so that the broken one is named.
 */

import {
  type Known,
  isKnown,
  joined,
  known,
  orElse,
  partsOf,
  same,
  shown,
  withoutPrefix,
} from "../../model/known";
import { once, remembered } from "../../model/once";
import { type NamespacedName, serviceAccountUser } from "../../model/namespaced-name";
import type { Policy } from "../../rules/aws/policy/document";
import { trustCharactersMax } from "../../rules/aws/policy/refusals";
import { admitsEveryone, comparedWith, federatedPrincipals } from "../../rules/aws/policy/trust";
import { type Answer, broken, later, seen, unknown } from "../answer";
import type { TokenQuestion, TrustAnswer, TrustTerms } from "../cloud";
import { difference } from "../shared/near-miss";
import type { Issuers } from "../shared/object-store";
import { Recent } from "../shared/references";
import { letsIn, sameAnswers } from "../shared/same-answers";
import { ASK_AGAIN, NAME_CLUSTER } from "../shared/words";
import type { NamedRole, Role } from "./identity";
import { beyondTerms } from "./held";
import {
  type Asked,
  DENIED,
  NOT_JUDGED,
  SCHEME,
  type TrustQuestion,
  type TrustedProvider,
  audienceAccepted,
  decided,
  issuerTrusted,
  subjectAdmitted,
  subjectAnyhow,
  trustPolicyOf,
} from "./trust-links";
import { type RegisteredIssuer, hostOfArn, registeredIn } from "./oidc-providers";
import { arnFields, memoryKey } from "./place";

/** The answer of STS for an issuer whose documents it cannot use. */
const NO_KEYS = "InvalidIdentityToken: Couldn't retrieve verification key from your identity provider";

/** The question about a role and the token of a service account; `undefined` if the role was not read. */
export function askedOf(
  { role, account, partition }: NamedRole,
  token: TokenQuestion,
): TrustQuestion | undefined {
  const { issuer, audience } = token;
  return role && { role, account, partition, issuer, subject: known(serviceAccountUser(token)), audience };
}

export class Trust {
  readonly #providers: readonly RegisteredIssuer[];
  readonly #issuers: Issuers;
  readonly #isWhole: boolean;
  /** By ARN, since thousands of roles trust a handful of OIDC providers. */
  readonly #named = new Map<string, TrustedProvider | undefined>();
  readonly #alike = new Recent<string, { readonly value: unknown }>();
  #last: { readonly parts: readonly unknown[]; readonly name: string; readonly key: string | undefined } = {
    parts: [],
    name: "",
    key: undefined,
  };

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
    const issuer = this.#stated(question);
    if (partsOf(issuer) === undefined) return sameAnswers(NO_ISSUER);
    const answers = this.#judged({ ...question, issuer });
    return { ...answers, issuer: this.#issuers.judged(answers.issuer, issuer, NO_KEYS) };
  }

  /** True if the role admits a token for any audience of the OIDC provider. */
  isWide(question: TrustQuestion): boolean {
    const { role } = question;
    return this.#shared(question, "any audience", () => {
      const token = this.#asked(question, role, role.trust);
      return token !== undefined && decided({ ...token, audience: FOREIGN }).outcome === "allowed";
    });
  }

  /** True if the role certainly admits the same token of another service account. */
  admits(question: TrustQuestion, other: NamespacedName): boolean {
    const subject = serviceAccountUser(other);
    return this.#shared(question, subject, () => letsIn(this.of({ ...question, subject: known(subject) })));
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
  readonly terms: (role: Role) => TrustTerms = once((role) => this.#terms(role));

  #terms({ trust: policy, trustText }: Role): TrustTerms {
    const issuers = this.#trusted(policy).map(({ host }) => joined(SCHEME, host));
    const registered = this.#providers.filter(({ url }) => issuers.some((each) => same(each, url) === "yes"));
    const audiences = registered.flatMap(({ clientIds }) => orElse(clientIds, () => []));
    const statements = policy.kind === "read" ? policy.statements : [];
    const isWhole =
      policy.kind === "read" && statements.every((each) => !("unread" in each) && isKnown(each.conditions));
    return {
      issuers,
      audiences: [...comparedWith(policy, "aud"), ...audiences],
      subjects: comparedWith(policy, "sub"),
      beyond: [...statements.flatMap(beyondTerms), ...(isWhole ? [] : [trustText])],
    };
  }

  /** The texts, which name the role, are made on demand. */
  #judged(question: TrustQuestion): TrustAnswer {
    const { role } = question;
    let answers: TrustAnswer | undefined;
    const judged = (): TrustAnswer => (answers ??= this.#answers(question, role, role.trust));
    const [issuer, audience, subject] = this.#shared(question, "", () => {
      const all = judged();
      return STEPS.map((step) => all[step].status);
    });
    if (answers || !issuer || !audience || !subject) return judged();
    return {
      issuer: later(issuer, () => judged().issuer),
      audience: later(audience, () => judged().audience),
      subject: later(subject, () => judged().subject),
    };
  }

  /**
   * An answer shared by roles whose trust policies differ only in the one subject that they admit, if nothing but
   * equality with it can decide: they name it in full, without wildcards and variables anywhere.
   */
  #shared<T>(question: TrustQuestion, asked: string, answer: () => T): T {
    const { role, subject, account, partition, issuer, audience } = question;
    const parts = [role, subject, account, partition, issuer, audience];
    // Several questions about one role come in a row.
    if (!parts.every((each, place) => each === this.#last.parts[place]))
      this.#last = { parts, name: orElse(subject, () => ""), key: alikeKey(question) };
    const { name, key } = this.#last;
    if (key === undefined || includes(asked, name)) return answer();
    return this.#alike.get(`${key} ${asked}`, () => ({ value: answer() })).value as T;
  }

  #answers(question: TrustQuestion, role: Role, policy: Policy): TrustAnswer {
    const token = policy.kind === "refused" ? undefined : this.#asked(question, role, policy);
    if (token === undefined)
      return {
        issuer: this.#foreign(question, role, policy),
        audience: NOT_JUDGED,
        subject: subjectAnyhow(question, policy),
      };
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
  #stated(question: TrustQuestion): Known<string> {
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
    const { status } = this.#judged({ ...question, issuer: first }).issuer;
    return status === "pass" ? first : issuer;
  }
}

/** What the answers depend on apart from the subject; `undefined` if they may depend on more of its name. */
function alikeKey(question: TrustQuestion): string | undefined {
  const { role, subject, account, partition, issuer, audience } = question;
  const [text, name, ...others] = [role.trustText, subject, issuer, audience].map((each) =>
    orElse(each, () => ""),
  );
  if (!text || !name || role.contestedBy || text.length > trustCharactersMax || /[*?$\\]/.test(text))
    return undefined;
  const pieces = text.split(`"${name}"`);
  if (pieces.length === 1 || [...pieces, ...others].some((each) => includes(each, name))) return undefined;
  return memoryKey(...pieces, account, partition, issuer, audience, role.partition);
}

function includes(text: string, name: string): boolean {
  return text.toLowerCase().includes(name.toLowerCase());
}

const STEPS = ["issuer", "audience", "subject"] as const;

const NO_ISSUER = unknown("the issuer of the cluster's tokens is not known", NAME_CLUSTER);
/** An audience that no OIDC provider and no trust policy names. */
const FOREIGN: Known<string> = known("urn:not-an-audience-of-any-provider");
