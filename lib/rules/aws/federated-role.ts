/*
 * The decisions that every role of service accounts has in common, as pure functions: its account, its ARN, its
 * description, and what to warn of.
 */

import { isLate } from "../../model/late";
import { accountId, parseOidcProviderArn, roleArn } from "./arn";
import type { PolicyDocument } from "./policy-document";
import { roleDescription } from "./role-name";
import { type AwsFederatedTrust, trustDefaultQuota, trustMaxQuota, trustPolicySize } from "./trust-policy";

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
 * The account of a role: the stated one, or else that of a literal OIDC provider's ARN, since a role can only trust
 * an OIDC provider of its own account. `undefined` where neither is known.
 *
 * Throws `aws-account-invalid`, `aws-arn-invalid` or `late-value`.
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

/**
 * What a role is for, and the reason for whatever is wider than usual; throws `aws-description-invalid`.
 */
export function describedRole(purpose: string, reasons: readonly RoleReason[]): string {
  const sentences = reasons.map(({ what, reason }) => {
    roleDescription(reason, `reason for: ${what}`);
    return `${what}: ${reason}`;
  });
  return roleDescription([purpose, ...sentences].join(". "), "description");
}

/** A warning where the default quota does not suffice; throws `aws-trust-too-long` where no quota does. */
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
