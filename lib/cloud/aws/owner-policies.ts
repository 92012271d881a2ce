import { Annotations } from "cdktf";
import type { Construct } from "constructs";
import { fail } from "../../errors";
import { repositoryName } from "../../rules/aws/ecr-repository";
import { matchesPattern } from "../../rules/aws/evaluate/wildcard";
import type { PrivateEcrGrant } from "../../rules/aws/pull-permissions";
import { ownerWarnings } from "../../rules/aws/pull-role";
import { type EcrSource, type OwnerPolicy, ecrSource } from "./ecr-source";
import type { IPullRole, PullRoleProps } from "./pull-role-props";
import { RepositoryPullPolicy } from "./repository-pull-policy";

/** Declares the owner's half of pulls across accounts, or warns where nobody is known to take care of it. */
export function writeOwnerPolicies(scope: Construct, role: IPullRole, props: PullRoleProps): void {
  const open: PrivateEcrGrant[] = [];
  for (const { grant, ownerPolicy } of props.sources.map(ecrSource)) {
    if (grant.kind === "public" || ownerPolicy === "elsewhere") continue;
    if (ownerPolicy) writeOwnerPolicy(scope, role, grant, ownerPolicy);
    else open.push(grant);
  }
  for (const warning of ownerWarnings(open, props.account, role.arn))
    Annotations.of(scope).addWarning(warning);
}

/**
 * Repositories that an owner's policy is written for, exact names.
 *
 * Throws `aws-repository-policy-wildcard`, or `aws-owner-repository-uncovered` for one that is not pulled from.
 */
export function ownedRepositories(
  repositories: readonly string[],
  ownerPolicy: EcrSource["ownerPolicy"],
): readonly string[] {
  if (!ownerPolicy || ownerPolicy === "elsewhere") return [];
  const owned = (ownerPolicy.repositories ?? repositories).map(repositoryName);
  const stray = owned.find((name) => !repositories.some((pattern) => matchesPattern(pattern, name)));
  return stray === undefined ? owned : fail("aws-owner-repository-uncovered", stray, repositories);
}

function writeOwnerPolicy(
  scope: Construct,
  role: IPullRole,
  { account, region, repositories }: PrivateEcrGrant,
  ownerPolicy: OwnerPolicy,
): void {
  const { provider, additionalStatements } = ownerPolicy;
  for (const repository of ownedRepositories(repositories, ownerPolicy))
    RepositoryPullPolicy.forRepository(scope, {
      repository,
      account,
      region,
      roles: [role],
      ...(additionalStatements ? { additionalStatements } : {}),
      ...(provider ? { provider } : {}),
    });
}
