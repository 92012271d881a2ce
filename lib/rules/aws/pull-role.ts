/*
 * The decisions behind a pull role, as pure functions: its partition, its description, and what to warn of.
 */

import { fail } from "../../errors";
import { isLate } from "../../model/late";
import { accountId, parseOidcProviderArn, roleArn } from "./arn";
import type { Partition } from "./partitions";
import type { PolicyDocument } from "./policy-document";
import {
  type EcrGrant,
  type PrivateEcrGrant,
  repositoryArns,
  repositoryPullStatement,
} from "./pull-permissions";
import { roleDescription } from "./role-name";
import { type AwsFederatedTrust, trustDefaultQuota, trustMaxQuota, trustPolicySize } from "./trust-policy";

/** A wildcard with the reason for it. */
export interface ReasonedWildcard {
  /** `namespace/name` with `*` or `?`. */
  readonly pattern: string;
  /** Why exact names will not do. */
  readonly reason: string;
}

const NAMED_MAX = 3;
const UNKNOWN_ACCOUNT = "000000000000";

/** The one partition of all grants; throws `aws-sources-empty` or `aws-partition-mismatch`. */
export function partitionOfGrants(grants: readonly EcrGrant[]): Partition {
  const [first] = grants;
  if (!first) return fail("aws-sources-empty");
  const stray = grants.find(({ partition }) => partition.name !== first.partition.name);
  return stray
    ? fail("aws-partition-mismatch", "a registry", stray.partition.name, first.partition.name)
    : first.partition;
}

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

/**
 * The description of a role: what it is for, and why each wildcard is there.
 *
 * Throws `aws-description-invalid`.
 */
export function pullRoleDescription(
  stated: string | undefined,
  trusts: readonly AwsFederatedTrust[],
  wildcards: readonly ReasonedWildcard[],
): string {
  const subjects = [...new Set(trusts.flatMap((trust) => trust.subjects.map(({ key }) => key)))].sort();
  const who = subjects.length > NAMED_MAX ? `${subjects.length} service accounts` : subjects.join(", ");
  const purpose = stated ?? `Pulls container images for ${who || "service accounts by wildcard"}`;
  const reasons = wildcards.map(({ pattern, reason }) => {
    roleDescription(reason, `reason for the wildcard ${pattern}`);
    return `Wildcard ${pattern}: ${reason}`;
  });
  return roleDescription([purpose, ...reasons].join(". "), "description");
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

/**
 * What the owners of repositories in other accounts have to add to their repository policies.
 *
 * With the role's account unknown, a second account among the grants is another account for certain.
 */
export function ownerWarnings(
  grants: readonly PrivateEcrGrant[],
  roleAccount: string | undefined,
  roleArn: string,
): string[] {
  const accounts = new Set(grants.map(({ account }) => account));
  if (roleAccount === undefined && accounts.size < 2) return [];
  const principal = isLate(roleArn) ? "<ARN of the IAM role, known after apply>" : roleArn;
  const statement = JSON.stringify(repositoryPullStatement([principal]));
  return grants
    .filter(({ account }) => account !== roleAccount)
    .map(
      (grant) =>
        `${repositoryArns(grant).join(", ")} ${roleAccount === undefined ? "may be" : "is"} in another account than the IAM role: ` +
        `the owner must add this statement to each repository's policy: ${statement}; ` +
        'declare it with ownerPolicy: { provider }, or say ownerPolicy: "elsewhere" once the owner has it',
    );
}
