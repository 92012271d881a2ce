/*
 * The decisions behind a pull role, as pure functions: its partition, its description, and what to warn of.
 */

import { fail } from "../../errors";
import { isLate } from "../../model/late";
import { describedRole, namedSubjects } from "./federated-role";
import type { Partition } from "./partitions";
import {
  type EcrGrant,
  type PrivateEcrGrant,
  repositoryArns,
  repositoryPullStatement,
} from "./pull-permissions";
import type { AwsFederatedTrust } from "./trust-policy";

/** A wildcard with the reason for it. */
export interface ReasonedWildcard {
  /** `namespace/name` with `*` or `?`. */
  readonly pattern: string;
  /** Why exact names will not do. */
  readonly reason: string;
}

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
 * The description of a role: what it is for, and why each wildcard is there.
 *
 * Throws `aws-description-invalid`.
 */
export function pullRoleDescription(
  stated: string | undefined,
  trusts: readonly AwsFederatedTrust[],
  wildcards: readonly ReasonedWildcard[],
): string {
  const purpose = stated ?? `Pulls container images for ${namedSubjects(trusts)}`;
  return describedRole(
    purpose,
    wildcards.map(({ pattern, reason }) => ({ what: `Wildcard ${pattern}`, reason })),
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
