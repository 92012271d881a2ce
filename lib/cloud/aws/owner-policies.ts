import { Annotations, type TerraformProvider } from "cdktf";
import type { Construct } from "constructs";
import { fail } from "../../errors";
import {
  repositoryName,
  repositoryPatterns,
  type PrivateEcrGrant,
  repositoryPullPolicy,
} from "../../rules/aws/registry";
import { matchesPattern } from "../../rules/wildcard";
import { ownerWarnings } from "../../rules/aws/pull";
import type { EcrSource, OwnerPolicy } from "./ecr-source";
import { onceKey, sameProvider } from "./once-per-stack";
import type { IPullRole } from "./pull-role-props";
import {
  RepositoryPullPolicy,
  type RepositoryPullPolicyProps,
  declaredRepositoryPolicy,
  repositoryPolicyKey,
} from "./repository-pull-policy";

/** A role that is about to be declared. */
export interface ExpectedRole {
  /** Its ARN, or a literal text of the same length. */
  readonly arn: string;
  /** What it pulls from. */
  readonly sources: readonly EcrSource[];
}

/** Where roles are declared. */
export interface RolesPlace {
  /** Their account, 12 digits; `undefined` where it is not known at synth. */
  readonly account: string | undefined;
  /** Their Terraform provider; `undefined` for the stack's default one. */
  readonly provider: TerraformProvider | undefined;
}

/**
 * Checks the owner's half of pulls across accounts before anything is declared: that it would be written into the
 * owner's account, and that the policies can hold all roles.
 *
 * Throws `aws-owner-provider-missing`, `aws-repository-policy-too-long`, and what {@link ownedRepositories} throws.
 */
export function checkOwnerPolicies(
  scope: Construct,
  roles: readonly ExpectedRole[],
  place: RolesPlace,
): void {
  requireProviderPerOwner(roles.flatMap(({ sources }) => sources));
  const expected = new Map<string, { props: Omit<RepositoryPullPolicyProps, "roles">; arns: Set<string> }>();
  for (const { arn, sources } of roles)
    for (const { grant, ownerPolicy } of sources) {
      if (grant.kind === "public" || !ownerPolicy || ownerPolicy === "elsewhere") continue;
      requireOwnersProvider(grant, ownerPolicy, place);
      for (const props of policiesOf(grant, ownerPolicy)) {
        const key = repositoryPolicyKey(props);
        const entry = expected.get(key) ?? { props, arns: new Set() };
        entry.arns.add(arn);
        expected.set(key, entry);
      }
    }
  for (const [key, { props, arns }] of expected) {
    const declared = declaredRepositoryPolicy(scope, key)?.roles ?? [];
    const admitted = [...declared, ...[...arns].map((arn) => ({ arn }))];
    repositoryPullPolicy(props.repository, admitted, props.additionalStatements ?? []);
  }
}

/** Declares the owner's half of pulls across accounts, or warns where nobody is known to take care of it. */
export function writeOwnerPolicies(
  scope: Construct,
  role: IPullRole,
  sources: readonly EcrSource[],
  account: string | undefined,
): void {
  const open: PrivateEcrGrant[] = [];
  for (const { grant, ownerPolicy } of sources) {
    if (grant.kind === "public" || ownerPolicy === "elsewhere") continue;
    if (!ownerPolicy) open.push(grant);
    else
      for (const props of policiesOf(grant, ownerPolicy))
        RepositoryPullPolicy.forRepository(scope, { ...props, roles: [role] });
  }
  for (const warning of ownerWarnings(open, account, role.arn)) Annotations.of(scope).addWarning(warning);
}

/**
 * Repositories that an owner's policy is written for, exact names.
 *
 * Throws `aws-repositories-empty`, `aws-repository-policy-wildcard`, or `aws-owner-repository-uncovered` for one that
 * is not pulled from.
 */
export function ownedRepositories(
  repositories: readonly string[],
  ownerPolicy: EcrSource["ownerPolicy"],
): readonly string[] {
  if (!ownerPolicy || ownerPolicy === "elsewhere") return [];
  const owned = repositoryPatterns(ownerPolicy.repositories ?? repositories).map(repositoryName);
  const stray = owned.find((name) => !repositories.some((pattern) => matchesPattern(pattern, name)));
  return stray === undefined
    ? owned
    : fail("aws-unused", {
        problem: "the owner's policy is for a repository that the IAM role may not pull from",
        value: stray,
        allowed: repositories.join(", "),
        remedy: "add the repository to `repositories`, or remove it from ownerPolicy.repositories",
      });
}

/** With the Terraform provider of the role, the policy would land in the role's account, on whatever has that name there. */
function requireOwnersProvider(
  grant: PrivateEcrGrant,
  ownerPolicy: OwnerPolicy,
  { account, provider }: RolesPlace,
): void {
  if (account === undefined || account === grant.account) return;
  if (sameProvider(ownerPolicy.provider, provider))
    fail("aws-missing", {
      problem: `ownerPolicy would be written by the Terraform provider of the IAM role, into account ${account}, but the registry is another account's`,
      value: grant.account,
      allowed: "a Terraform provider of the registry's account",
      remedy:
        'give one: ownerPolicy: { provider: new AwsProvider(…, { alias: … }) }; or say ownerPolicy: "elsewhere" where the owner writes it',
    });
}

/** Whatever account a Terraform provider speaks for, it is one. */
function requireProviderPerOwner(sources: readonly EcrSource[]): void {
  const owners = new Map<string, string>();
  for (const { grant, ownerPolicy } of sources) {
    if (grant.kind === "public" || !ownerPolicy || ownerPolicy === "elsewhere") continue;
    const key = onceKey(ownerPolicy.provider, "owner");
    const first = owners.get(key) ?? grant.account;
    if (first !== grant.account)
      fail("aws-conflict", {
        problem:
          "repository policies of several accounts would be written by one Terraform provider, into one account",
        value: [first, grant.account].sort(),
        allowed: "a Terraform provider per owning account",
        remedy:
          'give each source its own: ownerPolicy: { provider: new AwsProvider(…, { alias: … }) }; or say ownerPolicy: "elsewhere"',
      });
    owners.set(key, first);
  }
}

function policiesOf(
  { account, region, repositories }: PrivateEcrGrant,
  ownerPolicy: OwnerPolicy,
): Omit<RepositoryPullPolicyProps, "roles">[] {
  const { provider, additionalStatements } = ownerPolicy;
  return ownedRepositories(repositories, ownerPolicy).map((repository) => ({
    repository,
    account,
    region,
    ...(additionalStatements ? { additionalStatements } : {}),
    ...(provider ? { provider } : {}),
  }));
}
