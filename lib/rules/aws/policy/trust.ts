/*
 * Whether STS would let the holder of a service account token assume a role, judged only from the role's trust policy.
 */

import { isLate } from "../../../model/late";
import { type Known, is, joined, known, orElse, partsOf, same, withoutSuffix } from "../../../model/known";
import { SERVICE_ACCOUNT_PREFIX } from "../../../model/namespaced-name";
import { isRecord } from "../../../model/record";
import { childOf, listAt, textAt, treeOf } from "../../../model/tree";
import { readArnOf } from "../arn";
import {
  type ContextKeys,
  type ContextValue,
  type RequestContext,
  contextValue,
  requestContext,
  shownKey,
} from "./context";
import { POD_IDENTITY_SERVICE } from "../pod-identity";
import { type AwsDecision, type Decision, PolicySet } from "./decide";
import { lowered } from "./value";
import { quoted } from "./match";
import type { Condition, Policy, Statement } from "./document";
import { readPolicy } from "./policy";
import { coversOutsider, coversProvider, coversRole } from "./principal";

/** The token that is presented. */
export interface AwsTrustRequest {
  /** ARN of the OIDC provider for the token's issuer. */
  readonly providerArn: string;
  /** The decoded token with all its claims: a claim that is missing here counts as missing in the token. */
  readonly claims: Readonly<Record<string, unknown>>;
}

const ACTION = "sts:AssumeRoleWithWebIdentity";
const NOTHING = "the trust policy has no statement that allows anything";

/**
 * Evaluates an assume-role policy, given as JSON text or parsed, for a web identity token.
 *
 * Never throws. `unknown` if the policy contains a Terraform reference, or an operator or condition key that cannot be
 * judged from the token; a policy that IAM refuses admits no one. Does not consider the client ID list of the OIDC
 * provider, nor the signature or lifetime of the token.
 */
export function evaluateAwsTrust(policy: unknown, request: AwsTrustRequest): AwsDecision {
  const { providerArn, claims } = isRecord(request) ? request : { providerArn: undefined, claims: undefined };
  const hostPath = isLate(providerArn) ? undefined : readArnOf(providerArn, "iam", "oidc-provider/")?.name;
  if (typeof providerArn !== "string" || hostPath === undefined || hostPath.includes("${"))
    return { outcome: "unknown", reason: "the ARN of the OIDC provider is not known" };
  if (!isRecord(claims)) return { outcome: "unknown", reason: "the claims of the token are not known" };
  const foreign = foreignIssuer(claims["iss"], hostPath);
  if (foreign) return foreign;
  const token = { provider: known(providerArn), host: known(hostPath), claims };
  const { outcome, reason } = decideTrust(readPolicy(policy, "trust"), token);
  return { outcome, reason };
}

function foreignIssuer(issuer: unknown, hostPath: string): AwsDecision | undefined {
  if (issuer === undefined || issuer === `https://${hostPath}`) return undefined;
  if (typeof issuer !== "string" || isLate(issuer) || issuer.includes("${"))
    return { outcome: "unknown", reason: "the issuer of the token is not known" };
  return {
    outcome: "denied",
    reason: `the token is from the issuer ${quoted(issuer)}, but the OIDC provider is for ${quoted(`https://${hostPath}`)}; AWS compares them exactly`,
  };
}

interface ShownToken {
  readonly provider: Known<string>;
  /** The issuer without `https://`. */
  readonly host: Known<string>;
  /** The claims, whose values may be unknown. */
  readonly claims: Readonly<Record<string, unknown>>;
  /**
   * True for conditions that are assumed to hold.
   *
   * @defaultValue - each is judged
   */
  readonly presumes?: (condition: Condition, statement: Statement) => boolean;
}

export function decideTrust(policy: Policy, token: ShownToken): Decision {
  const judging = {
    context: new TokenContext(token),
    principal: (statement: Statement) => coversProvider(statement, token.provider),
    nothing: NOTHING,
  };
  return new PolicySet<never>([{ policy, doubt: undefined }], judging).question(ACTION).decide(undefined);
}

/** A session that EKS Pod Identity asks for: itself, or with the credentials of a role. */
interface PodIdentitySession {
  /** `sts:AssumeRole` or `sts:TagSession`; both must be allowed. */
  readonly action: string;
  /** Condition keys of the request. */
  readonly keys: ContextKeys;
  /** True where the conditions of what allows are left out. */
  readonly presumes: boolean;
  /** The role whose credentials it uses; absent if the service asks. */
  readonly role?: Readonly<Record<"arn" | "partition" | "account", Known<string>>>;
}

/** Whether STS would let EKS Pod Identity assume a role. */
export function decidePodIdentity(policy: Policy, session: PodIdentitySession): Decision {
  const { action, keys, presumes, role } = session;
  const asking = role && { ...role, root: joined("arn:", role.partition, ":iam::", role.account, ":root") };
  const allows = (_: Condition, { effect }: Statement): boolean => is(effect, "Allow") === "yes";
  const judging = {
    context: { ...requestContext(keys), ...(presumes && { presumes: allows }) },
    principal: (statement: Statement) =>
      asking ? coversRole(statement, asking) : coversOutsider(statement, POD_IDENTITY_SERVICE),
    nothing: NOTHING,
  };
  return new PolicySet<never>([{ policy, doubt: undefined }], judging).question(action).decide(undefined);
}

/**
 * The claims of a Kubernetes service account token. For claims without a documented condition key, only their existence
 * matters. Source: kubernetes:pkg/serviceaccount/claims.go.
 */
export function serviceAccountClaims(
  sub: Known<string>,
  aud: Known<string>,
): Readonly<Record<string, unknown>> {
  const other = {};
  return { sub, aud, exp: other, iat: other, nbf: other, jti: other, "kubernetes.io": other };
}

/**
 * Claims that are condition keys of every OIDC provider; for other claims that the token lacks there is no key.
 * Source: "Available keys for AWS OIDC federation" in the IAM user guide.
 */
const DOCUMENTED: readonly string[] = ["sub", "aud", "amr", "email"];
/** Keys for which AWS does not document the value for a token without the claim; `oaud` is `aud` of Google's tokens. */
const UNDOCUMENTED: readonly string[] = ["iss", "oaud"];

/**
 * The condition keys of a token: `<issuer without https://>:<claim>`. If the token has `azp`, the key `aud` contains
 * that. Source: "IAM and AWS STS condition context keys" in the IAM user guide.
 */
class TokenContext implements RequestContext {
  readonly bearer = "token";
  readonly presumes?: (condition: Condition, statement: Statement) => boolean;
  readonly #host: Known<string>;
  readonly #claims: ReadonlyMap<string, unknown>;

  constructor({ host, claims, presumes }: ShownToken) {
    this.#host = lowered(host);
    const stated = Object.entries(claims).filter(([, value]) => value !== undefined && value !== null);
    this.#claims = new Map(stated.map(([name, value]) => [name.toLowerCase(), value]));
    if (presumes) this.presumes = presumes;
  }

  lookup(written: Known<string>): ContextValue {
    const key = lowered(written);
    const claim = claimOf(key);
    if (claim === undefined) return notKnownKey(written);
    const isOwn = same(withoutSuffix(key, `:${claim}`), this.#host);
    if (isOwn === "yes") return this.#claim(claim, written);
    if (!isIdentityProviderKey(key) || (isOwn === "unknown" && this.#mayHave(claim)))
      return notKnownKey(written);
    return absent(
      () =>
        `the condition key does not belong to this OIDC provider, whose keys begin with ${shownKey(joined(this.#host, ":"))}`,
    );
  }

  /** The subjects of service accounts have a form that no other claim and no key of AWS has. */
  onlyLike(value: Known<string>): readonly Known<string>[] {
    const subject = this.#claim("sub", known("sub"));
    const isSubject = orElse(value, () => "").startsWith(SERVICE_ACCOUNT_PREFIX);
    return isSubject && subject.known ? subject.values : [];
  }

  identifies(key: Known<string>): boolean {
    return claimOf(lowered(key)) === "sub";
  }

  #mayHave(claim: string): boolean {
    return this.#claims.has(claim) || UNDOCUMENTED.includes(claim);
  }

  #claim(name: string, key: Known<string>): ContextValue {
    const from = name === "aud" && this.#claims.has("azp") ? "azp" : name;
    if (!DOCUMENTED.includes(name) && this.#mayHave(name)) return notKnownKey(key);
    const value = this.#claims.get(from);
    if (value === undefined) return absent(() => `the token has no ${from}`);
    const found = contextValue(treeOf(value), () => `the token's ${from} is empty`);
    return found.known && !isLate(value)
      ? found
      : { known: false, why: () => `the claim ${from} of the token is not known` };
  }
}

function absent(words: () => string): ContextValue {
  return { known: true, values: [], absent: words };
}

function notKnownKey(key: Known<string>): ContextValue {
  return {
    known: false,
    why: () => `the value of the condition key ${shownKey(key)} cannot be known from the token`,
  };
}

/** The claim that a condition key is about: `sub` of `<issuer without https://>:sub`. */
export function claimOf(key: Known<string>): string | undefined {
  const last = partsOf(key)?.at(-1);
  if (typeof last !== "string" || !last.includes(":")) return undefined;
  return last.slice(last.lastIndexOf(":") + 1);
}

/** Keys of identity providers begin with a host name, AWS's own (`aws:`, `sts:`) never hold a dot there. */
function isIdentityProviderKey(key: Known<string>): boolean {
  const name = orElse(key, () => "");
  const head = name.slice(0, name.indexOf(":"));
  return !name.includes("${") && (head.includes(".") || head === "https" || head === "http");
}

/** Statements that admit someone, without those with NotPrincipal, which IAM refuses. */
export function admittingStatements(policy: Policy): readonly Statement[] {
  const statements = policy.kind === "read" ? policy.statements : [];
  return statements.flatMap((each) =>
    "unread" in each || is(each.effect, "Allow") !== "yes" || !each.principal || each.principal.negated
      ? []
      : [each],
  );
}

/** The OIDC providers, by ARN, whose tokens a trust policy admits. */
export function federatedPrincipals(policy: Policy): readonly Known<string>[] {
  return admittingStatements(policy).flatMap(({ principal }) => namesOf(principal, "Federated"));
}

function namesOf(principal: Statement["principal"], type: string): readonly Known<string>[] {
  const names = principal ? childOf(principal.value, type) : known(undefined);
  return orElse(listAt(names), () => [names]).map(textAt);
}

/** True if a trust policy names `*` as its principal. */
export function admitsEveryone(policy: Policy): boolean {
  return admittingStatements(policy).some(({ principal }) => {
    const named = ["AWS", "Federated"].flatMap((type) => namesOf(principal, type));
    return [textAt(principal?.value ?? known("")), ...named].some((name) => is(name, "*") === "yes");
  });
}

/** What the statements of a trust policy that admit anyone compare a claim with. */
export function comparedWith(policy: Policy, claim: string): readonly Known<string>[] {
  const conditions = admittingStatements(policy).flatMap((each) => orElse(each.conditions, () => []));
  return conditions.flatMap(({ key, values }) => (claimOf(key)?.toLowerCase() === claim ? values : []));
}
