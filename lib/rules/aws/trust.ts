/*
 * Trust policies of IAM roles for service accounts of a cluster. Source: "Creating a role for OpenID Connect
 * federation" in the IAM user guide: the prefix of condition keys is the issuer without `https://`, compared exactly. A
 * trust that does not compare the audience admits tokens meant for others, so omitting it requires a stated reason.
 */

import { checkedText } from "../names";
import { fail, type Problem } from "../../errors";
import type { FederatedTrust } from "../../model/federated-trust";
import { isLate } from "../../model/late";
import { SERVICE_ACCOUNT_PREFIX } from "../../model/namespaced-name";
import { matchesPattern } from "../wildcard";
import {
  type PolicyCondition,
  type PolicyDocument,
  type PolicyStatement,
  oneOrMany,
  policyDocument,
  policySize,
} from "./policy-document";
import { trustCharactersMax } from "./policy/refusals";

function subjectTwice(subject: string, audience: string): Problem {
  return {
    problem: `the service account appears twice in the trust of one IAM role, for the same OIDC provider and the audience ${audience}`,
    value: subject,
    allowed: "each service account once, and none that a wildcard of the same IAM role already admits",
    remedy: "remove one of the two",
  };
}

export interface AwsFederatedTrust extends FederatedTrust {
  /** ARN of the OIDC provider; may be late. */
  readonly oidcProviderArn: string;
  /** The issuer without `https://`; may be late. */
  readonly conditionPrefix: string;
  /** Subjects with `*` or `?`, as {@link subjectPattern} returns them; compared with StringLike. */
  readonly subjectPatterns: readonly string[];
  /**
   * True if the audience is not compared, so that tokens for any audience of the OIDC provider are admitted.
   *
   * @defaultValue false
   */
  readonly anyAudience?: boolean;
}

interface TrustPolicySize {
  /** Characters without white space, as IAM counts them. */
  readonly characters: number;
  /** False if a late value had to be estimated. */
  readonly exact: boolean;
}

/** Default of quota L-C07B4B0D, characters without white space. */
export const trustDefaultQuota = 2048;

const ACTION = "sts:AssumeRoleWithWebIdentity";

/** With a wildcard; the namespace literal, or with at least three literal characters before its first wildcard. */
const PATTERN = /^(?=.*[*?])[a-z0-9](?:[a-z0-9-]*|[a-z0-9-]{2}[a-z0-9*?-]*)\/[a-z0-9.*?-]+$/;

/** Texts of usual length in place of values known only after apply: an issuer of EKS, an account id. */
const LATE_HOST_PATH = `oidc.eks.eu-central-1.amazonaws.com/id/${"0".repeat(32)}`;

const LATE_ARN_PREFIX = "arn:aws:iam::000000000000:oidc-provider/";

/**
 * `system:serviceaccount:<namespace>:<name>` with wildcards, from `namespace/name` with `*` or `?`.
 *
 * The namespace must be literal or begin with three literal characters: whoever can create a namespace chooses its
 * name, and `*a*` would admit nearly every one.
 */
export function subjectPattern(pattern: string): string {
  const text = checkedText("aws-invalid", pattern, {
    what: "wildcard for service accounts",
    problem: "the wildcard for service accounts is not valid",
    pattern: PATTERN,
    allowed:
      "namespace/name with * or ? in at least one of the two, where the namespace is literal or begins with 3 literal characters: shop/*, ci-*/runner",
    remedy:
      "name the namespaces, one wildcard each; list service accounts without wildcard under serviceAccounts",
  });
  return SERVICE_ACCOUNT_PREFIX + text.replace("/", ":");
}

/**
 * The trust policy: one statement per OIDC provider and audience for exact subjects, one for wildcards; `others` admit
 * principals without a token.
 */
export function trustPolicy(
  trusts: readonly AwsFederatedTrust[],
  others: readonly PolicyStatement[] = [],
): PolicyDocument {
  const grouped = byProviderAndAudience(trusts);
  for (const trust of grouped) refuseDuplicates(trust);
  const statements = grouped.flatMap((trust) => [
    ...statement(
      trust,
      "StringEquals",
      trust.subjects.map((subject) => subject.toString()),
    ),
    ...statement(trust, "StringLike", trust.subjectPatterns),
  ]);
  statements.push(...others);
  return statements.length === 0
    ? fail("aws-missing", {
        problem: "the IAM role trusts no service account",
        allowed: "at least one service account, or a wildcard with a reason",
        remedy: "name the service accounts as namespace/name",
      })
    : policyDocument(statements);
}

/**
 * The length of the trust policy.
 *
 * A late ARN or issuer is counted with a usual length, and then `exact` is false.
 */
export function trustPolicySize(
  trusts: readonly AwsFederatedTrust[],
  rendered: PolicyDocument = trustPolicy(trusts),
): TrustPolicySize {
  const late = trusts.some((trust) => isLate(trust.oidcProviderArn) || isLate(trust.conditionPrefix));
  const document = late
    ? trustPolicy(
        trusts.map(withStandIns),
        rendered.Statement.filter(({ Action }) => Action !== ACTION),
      )
    : rendered;
  const characters = policySize(document);
  if (characters > trustCharactersMax)
    return fail("aws-limit", {
      problem: `the trust policy of the IAM role is too long: ${document.Statement.length} statements`,
      value: characters,
      allowed: `${trustCharactersMax} characters without white space, the greatest value of quota L-C07B4B0D (default 2048)`,
      remedy: "split the service accounts, or the clusters, into several IAM roles",
    });
  return { characters, exact: !late };
}

function withStandIns(trust: AwsFederatedTrust, index: number): AwsFederatedTrust {
  const { oidcProviderArn, conditionPrefix } = trust;
  // The index distinguishes two late OIDC providers, which will differ.
  const hostPath = isLate(conditionPrefix) ? `${LATE_HOST_PATH.slice(0, -3)}${100 + index}` : conditionPrefix;
  return {
    ...trust,
    conditionPrefix: hostPath,
    oidcProviderArn: isLate(oidcProviderArn) ? `${LATE_ARN_PREFIX}${hostPath}` : oidcProviderArn,
  };
}

function byProviderAndAudience(trusts: readonly AwsFederatedTrust[]): AwsFederatedTrust[] {
  const groups = new Map<string, AwsFederatedTrust>();
  for (const trust of trusts) {
    const key = JSON.stringify([trust.oidcProviderArn, trust.audience, trust.anyAudience ?? false]);
    const known = groups.get(key);
    groups.set(key, {
      ...trust,
      subjects: [...(known?.subjects ?? []), ...trust.subjects],
      subjectPatterns: [...(known?.subjectPatterns ?? []), ...trust.subjectPatterns],
    });
  }
  return [...groups.values()];
}

function refuseDuplicates({ subjects, subjectPatterns, audience }: AwsFederatedTrust): void {
  const seen = new Set<string>();
  for (const name of [...subjectPatterns, ...subjects.map((subject) => subject.toString())]) {
    if (seen.has(name)) fail("aws-conflict", subjectTwice(name, audience));
    seen.add(name);
  }
  const covered = subjects.find((subject) =>
    subjectPatterns.some((pattern) => matchesPattern(pattern, subject.toString())),
  );
  if (covered) fail("aws-conflict", subjectTwice(covered.toString(), audience));
}

function statement(
  trust: AwsFederatedTrust,
  subjectOperator: "StringEquals" | "StringLike",
  subjects: readonly string[],
): PolicyStatement[] {
  if (subjects.length === 0) return [];
  const { oidcProviderArn, conditionPrefix, audience, anyAudience = false } = trust;
  const sub = { [`${conditionPrefix}:sub`]: oneOrMany([...subjects].sort()) };
  const aud = anyAudience ? {} : { [`${conditionPrefix}:aud`]: audience };
  const condition: PolicyCondition =
    subjectOperator === "StringEquals"
      ? { StringEquals: { ...aud, ...sub } }
      : { ...(anyAudience ? {} : { StringEquals: aud }), StringLike: sub };
  return [
    {
      Effect: "Allow",
      Principal: { Federated: oidcProviderArn },
      Action: ACTION,
      Condition: condition,
    },
  ];
}
