/*
 * Trust policies of IAM roles for service accounts of a cluster.
 *
 * Source: "Creating a role for OpenID Connect federation" in the IAM user guide. The condition key prefix is the
 * issuer without `https://`, to the letter. The audience is compared exactly, whatever the subject is: a trust
 * without it admits tokens that were made for somebody else, so leaving it out takes a written reason.
 */

import { fail, type Problem } from "../../errors";
import type { FederatedTrust } from "../../model/federated-trust";
import { isLate, literal } from "../../model/late";
import { matchesPattern } from "../wildcard";
import { roleDescription } from "./names";
import { partitions, otherPartition } from "./partitions";
import { accountId, parseOidcProviderArn, roleArn, noArn } from "./provider";
import {
  type PolicyCondition,
  type PolicyDocument,
  type PolicyStatement,
  oneOrMany,
  policyDocument,
  policySize,
} from "./statement";

// HEADER /*  * The decisions that every role of service accounts has in common, as pure functions: its account, its ARN, its  * description, and what to warn of.  */
// HEADER /*  * Permissions boundaries of IAM roles. Source: "Permissions boundaries for IAM entities" in the IAM user guide: a  * managed policy, of the role's own account or of AWS.  */
/** What an IAM role trusts, for one OIDC provider and audience. */
export interface AwsFederatedTrust extends FederatedTrust {
  /** ARN of the OIDC provider; may be late. */
  readonly oidcProviderArn: string;
  /** The issuer without `https://`; may be late. */
  readonly conditionPrefix: string;
  /** Subjects with `*` or `?`, as {@link subjectPattern} returns them; compared with StringLike. */
  readonly subjectPatterns: readonly string[];
  /**
   * True where the audience is not compared: a token for any audience of the OIDC provider is admitted.
   *
   * @defaultValue false
   */
  readonly anyAudience?: boolean;
}

/** The length of a trust policy. */
export interface TrustPolicySize {
  /** Characters without white space, as IAM counts them. */
  readonly characters: number;
  /** False where a late value had to be estimated. */
  readonly exact: boolean;
}

/** Default of quota L-C07B4B0D, characters without white space. */
export const trustDefaultQuota = 2048;

/** Greatest value of quota L-C07B4B0D. */
export const trustMaxQuota = 4096;

const ACTION = "sts:AssumeRoleWithWebIdentity";
/** The namespace literal, or with at least three literal characters before its first wildcard. */
const PATTERN = /^[a-z0-9](?:[a-z0-9-]*|[a-z0-9-]{2}[a-z0-9*?-]*)\/[a-z0-9.*?-]+$/;

/** Stand-ins of the usual length for what is known only after apply: an issuer of EKS, an account id. */
const LATE_HOST_PATH = `oidc.eks.eu-central-1.amazonaws.com/id/${"0".repeat(32)}`;
const LATE_ARN_PREFIX = "arn:aws:iam::000000000000:oidc-provider/";

/**
 * `system:serviceaccount:<namespace>:<name>` with wildcards, from `namespace/name` with `*` or `?`.
 *
 * The namespace must be literal or begin with three literal characters: whoever can create a namespace chooses its
 * name, and `*a*` would admit nearly every one.
 */
export function subjectPattern(pattern: string): string {
  literal(pattern, "wildcard for service accounts");
  const usable = typeof pattern === "string" && PATTERN.test(pattern) && /[*?]/.test(pattern);
  return usable
    ? `system:serviceaccount:${pattern.replace("/", ":")}`
    : fail("aws-invalid", {
        problem: "wildcard for service accounts is not usable",
        value: pattern,
        allowed:
          "namespace/name with * or ? in at least one of the two, where the namespace is literal or begins with 3 literal characters: shop/*, ci-*/runner",
        remedy:
          "name the namespaces, one wildcard each; list service accounts without wildcard under serviceAccounts",
      });
}

/** The trust policy: one statement per OIDC provider and audience for exact subjects, one for wildcards. */
export function trustPolicy(trusts: readonly AwsFederatedTrust[]): PolicyDocument {
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
  return statements.length === 0
    ? fail("aws-missing", {
        problem: "IAM role trusts nobody",
        allowed: "at least one service account, or a wildcard with a reason",
        remedy: "name the service accounts as namespace/name",
      })
    : policyDocument(statements);
}

/**
 * The length of the trust policy.
 *
 * A late ARN or issuer is counted with a usual length, and `exact` is false.
 */
export function trustPolicySize(
  trusts: readonly AwsFederatedTrust[],
  rendered: PolicyDocument = trustPolicy(trusts),
): TrustPolicySize {
  const late = trusts.some((trust) => isLate(trust.oidcProviderArn) || isLate(trust.conditionPrefix));
  const document = late ? trustPolicy(trusts.map(withStandIns)) : rendered;
  const characters = policySize(document);
  if (characters > trustMaxQuota)
    return fail("aws-limit", {
      problem: `trust policy of the IAM role is too long: ${document.Statement.length} statements`,
      value: characters,
      allowed: "4096 characters without white space, the greatest value of quota L-C07B4B0D (default 2048)",
      remedy: "split the service accounts, or the clusters, over several IAM roles",
    });
  return { characters, exact: !late };
}

function withStandIns(trust: AwsFederatedTrust, index: number): AwsFederatedTrust {
  const { oidcProviderArn, conditionPrefix } = trust;
  // The index keeps two late OIDC providers apart, as they will be.
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

/** Why a role is wider than this library makes it by itself. */
export interface RoleReason {
  /** What is wider: `Wildcard shop/*`, `Any audience`. */
  readonly what: string;
  /** Why it must be. */
  readonly reason: string;
}

const NAMED_MAX = 3;
const UNKNOWN_ACCOUNT = "000000000000";

/**
 * The account of a role: the stated one, or else that of a literal OIDC provider's ARN, since a role can only trust an
 * OIDC provider of its own account. `undefined` where neither is known.
 */
export function accountOfRole(
  stated: string | undefined,
  oidcProviderArns: readonly string[],
): string | undefined {
  if (stated !== undefined) return accountId(stated);
  const known = oidcProviderArns.find((arn) => !isLate(arn));
  return known === undefined ? undefined : parseOidcProviderArn(known).account;
}

/** The ARN that a role will have; where its account is not known, of the right length with zeros in its place. */
export function expectedRoleArn(
  partition: string,
  account: string | undefined,
  path: string,
  name: string,
): string {
  return roleArn({ partition, account: account ?? UNKNOWN_ACCOUNT, path, name });
}

/** The service accounts of a role in a few words, for its description. */
export function namedSubjects(trusts: readonly AwsFederatedTrust[]): string {
  const subjects = [...new Set(trusts.flatMap((trust) => trust.subjects.map(({ key }) => key)))].sort();
  const who = subjects.length > NAMED_MAX ? `${subjects.length} service accounts` : subjects.join(", ");
  return who || "service accounts by wildcard";
}

/** What a role is for, and the reason for whatever is wider than usual. */
export function describedRole(purpose: string, reasons: readonly RoleReason[]): string {
  const sentences = reasons.map(({ what, reason }) => {
    roleDescription(reason, `reason for: ${what}`);
    return `${what}: ${reason}`;
  });
  return roleDescription([purpose, ...sentences].join(". "), "description");
}

/** A warning where the default quota does not suffice. */
export function trustSizeWarning(
  trusts: readonly AwsFederatedTrust[],
  rendered?: PolicyDocument,
): string | undefined {
  const { characters, exact } = trustPolicySize(trusts, rendered);
  if (characters <= trustDefaultQuota) return undefined;
  const estimate = exact ? "" : " (estimated: a late ARN or issuer is counted with a usual length)";
  return (
    `the trust policy has ${characters} characters${estimate}, over the default of ${trustDefaultQuota}: ` +
    `ask AWS to raise quota L-C07B4B0D (role trust policy length, at most ${trustMaxQuota}), or split the service accounts over several IAM roles`
  );
}

const POLICY_ARN = /^arn:([a-z-]+):iam::(\d{12}|aws):policy\/(?:[\x21-\x7e]{1,510}\/)?[\w+=,.@-]{1,128}$/;

/** The account in the ARNs of policies that AWS manages. */
export const MANAGED_BY_AWS = "aws";
const POLICY_FORM = "arn:<partition>:iam::<account>:policy/[<path>/]<name>";

/** What the ARN of a managed policy says. */
export interface ManagedPolicyArn {
  readonly partition: string;
  /** The account, or `aws` for a policy that AWS manages. */
  readonly account: string;
}

/** Reads the ARN of a managed policy; `undefined` for a late one. */
export function managedPolicyArn(arn: string, what: string): ManagedPolicyArn | undefined {
  if (isLate(arn)) return undefined;
  const [, partition, account] = (typeof arn === "string" && POLICY_ARN.exec(arn)) || [];
  if (!partition || !account || partitions.every(({ name }) => name !== partition))
    return fail("aws-invalid", noArn(what, arn, POLICY_FORM));
  return { partition, account };
}

/** Returns the ARN of a permissions boundary, checked where it is literal, as far as partition and account are known. */
export function permissionsBoundary(
  arn: string,
  partition: string | undefined,
  account: string | undefined,
): string {
  const its = managedPolicyArn(arn, "permissions boundary");
  if (!its) return arn;
  if (partition !== undefined && its.partition !== partition)
    fail("aws-mismatch", otherPartition("the permissions boundary", its.partition, partition));
  const own = account === undefined || its.account === account || its.account === MANAGED_BY_AWS;
  return own
    ? arn
    : fail("aws-mismatch", {
        problem: "permissions boundary is a policy of another account than the IAM role",
        value: arn,
        allowed: `a policy of account ${account}, or one that AWS manages`,
        remedy: "declare the policy in the role's account",
      });
}

function subjectTwice(subject: string, audience: string): Problem {
  return {
    problem: `service account appears twice in the trust of one IAM role, for one OIDC provider and audience ${audience}`,
    value: subject,
    allowed: "each service account once, and none that a wildcard of the same IAM role admits already",
    remedy: "remove one of the two",
  };
}
