/*
 * What all roles of service accounts share: account, ARN, description, managed policies and permissions
 * boundary. Source: "Permissions boundaries for IAM entities" in the IAM user guide.
 */

import { fail } from "../../errors";
import { isLate } from "../../model/late";
import { roleDescription } from "./names";
import { otherPartition } from "./partitions";
import { accountId, parseOidcProviderArn, roleArn, noArn, readArnOf, isPartition } from "./arn";
import { type PolicyDocument } from "./policy-document";
import { trustCharactersMax } from "./policy/refusals";
import { type AwsFederatedTrust, trustDefaultQuota, trustPolicySize } from "./trust";

export interface RoleReason {
  /** What is wider than usual: `Wildcard shop/*`, `Any audience`. */
  readonly what: string;
  readonly reason: string;
}

const NAMED_MAX = 3;

const UNKNOWN_ACCOUNT = "000000000000";

/**
 * The account of a role: the stated one, or else that in a literal ARN of an OIDC provider, since a role can only trust
 * an OIDC provider of its own account. `undefined` if neither is known.
 */
export function accountOfRole(
  stated: string | undefined,
  oidcProviderArns: readonly string[],
): string | undefined {
  if (stated !== undefined) return accountId(stated);
  const known = oidcProviderArns.find((arn) => !isLate(arn));
  return known === undefined ? undefined : parseOidcProviderArn(known).account;
}

/** The ARN that a role will have; if its account is unknown, one of the right length with zeros in its place. */
export function expectedRoleArn(
  partition: string,
  account: string | undefined,
  path: string,
  name: string,
): string {
  return roleArn({ partition, account: account ?? UNKNOWN_ACCOUNT, path, name });
}

export function namedSubjects(trusts: readonly Pick<AwsFederatedTrust, "subjects">[]): string {
  const subjects = [...new Set(trusts.flatMap((trust) => trust.subjects.map(({ key }) => key)))].sort();
  const who = subjects.length > NAMED_MAX ? `${subjects.length} service accounts` : subjects.join(", ");
  return who || "service accounts by wildcard";
}

export function describedRole(purpose: string, reasons: readonly RoleReason[]): string {
  const sentences = reasons.map(({ what, reason }) => {
    roleDescription(reason, `reason for: ${what}`);
    return `${what}: ${reason}`;
  });
  return roleDescription([purpose, ...sentences].join(". "), "description");
}

export function trustSizeWarning(
  trusts: readonly AwsFederatedTrust[],
  rendered?: PolicyDocument,
): string | undefined {
  const { characters, exact } = trustPolicySize(trusts, rendered);
  if (characters <= trustDefaultQuota) return undefined;
  const estimate = exact ? "" : " (estimated: a late ARN or issuer is counted with a usual length)";
  return (
    `the trust policy has ${characters} characters${estimate}, over the default of ${trustDefaultQuota}: ` +
    `ask AWS to raise quota L-C07B4B0D (role trust policy length, at most ${trustCharactersMax}), or split the service accounts into several IAM roles`
  );
}

const POLICY_NAME = /^(?:[\x21-\x7e]{1,510}\/)?[\w+=,.@-]{1,128}$/;

export const MANAGED_BY_AWS = "aws";

const POLICY_FORM = "arn:<partition>:iam::<account>:policy/[<path>/]<name>";

interface ManagedPolicyArn {
  readonly partition: string;
  /** The account, or `aws` for a policy that AWS manages. */
  readonly account: string;
}

/** Reads the ARN of a managed policy; `undefined` for a late one. */
export function managedPolicyArn(arn: string, what: string): ManagedPolicyArn | undefined {
  if (isLate(arn)) return undefined;
  const read = readArnOf(arn, "iam", "policy/");
  return read && isPartition(read.partition) && POLICY_NAME.test(read.name)
    ? { partition: read.partition, account: read.account }
    : fail("aws-invalid", noArn(what, arn, POLICY_FORM));
}

/** Returns the ARN of a permissions boundary; checks a literal one against partition and account if these are known. */
export function permissionsBoundary(
  arn: string,
  partition: string | undefined,
  account: string | undefined,
): string {
  const its = managedPolicyArn(arn, "the permissions boundary");
  if (!its) return arn;
  if (partition !== undefined && its.partition !== partition)
    fail("aws-mismatch", otherPartition("the permissions boundary", its.partition, partition));
  const isUsable = account === undefined || its.account === account || its.account === MANAGED_BY_AWS;
  return isUsable
    ? arn
    : fail("aws-mismatch", {
        problem: "the permissions boundary is a policy of another account than the IAM role",
        value: arn,
        allowed: `a policy of account ${account}, or one that AWS manages`,
        remedy: "declare the policy in the role's account",
      });
}
