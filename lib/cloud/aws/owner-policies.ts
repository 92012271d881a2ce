import { EcrRepositoryPolicy } from "@cdktf/provider-aws/lib/ecr-repository-policy/index.js";
import { type TerraformProvider, TerraformStack, Annotations } from "cdktf";
import { Construct } from "constructs";
import { at, fail } from "../../errors";
import type { AccountGrant } from "../../model/identity";
import {
  type ObjectKind,
  anyObject,
  checkGiven,
  checkProps,
  list,
  object,
  optional,
  text,
} from "../../model/shape";
import { accountId } from "../../rules/aws/arn";
import { partitionOf } from "../../rules/aws/partitions";
import { repositoryPullPolicy, type PrivateEcrGrant } from "../../rules/aws/permission";
import { type PolicyStatement, policyText } from "../../rules/aws/policy-document";
import { ownerWarnings } from "../../rules/aws/pull";
import { repositoryName, repositoryPatterns } from "../../rules/aws/registry";
import { matchesPattern } from "../../rules/wildcard";
import { waitFor } from "../shared/across-stacks";
import { waitForDeclared } from "../shared/declared-names";
import { PROVIDER } from "../shared/kinds";
import {
  type OnceInAccount,
  declareInAccount,
  declaredInAccount,
  declareOnce,
  declaredOnce,
  onceKey,
  sharedId,
  sameProvider,
} from "./once";
import { checkProviderPlace } from "./place";
import { type IPullRole, PULL_ROLE } from "./role-props";
import { type EcrSource, type OwnerPolicy, isRegistryOwner } from "./registry-source";
import { nameTaken } from "../../model/problems";

/** Settings of a {@link RepositoryPullPolicy}. */
export interface RepositoryPullPolicyProps {
  /** Exact name of the repository. */
  readonly repository: string;
  /** Roles of other accounts that may pull, at least one; `addRole` adds more. */
  readonly roles: readonly IPullRole[];
  /** Account of the registry, 12 digits. */
  readonly account: string;
  /** Region of the registry. */
  readonly region: string;
  /**
   * Further statements to keep: Terraform replaces the repository's whole policy.
   *
   * @defaultValue - none
   */
  readonly additionalStatements?: readonly PolicyStatement[];
  /**
   * Terraform provider of the owning account.
   *
   * @defaultValue - the stack's default aws provider
   */
  readonly provider?: TerraformProvider;
}

const REPOSITORY_PULL_POLICY_PROPS: ObjectKind<RepositoryPullPolicyProps> = object({
  repository: text,
  roles: list(PULL_ROLE),
  account: text,
  region: text,
  additionalStatements: optional(list(anyObject)),
  provider: optional(PROVIDER),
});

/**
 * The owner's half of a pull across accounts: the policy of one repository in the owner's account.
 *
 * AWS has one policy per repository, and this construct replaces all of it; put statements that must stay into
 * `additionalStatements`. All roles of a stack that pull from the repository share one construct: use
 * `RepositoryPullPolicy.forRepository`.
 */
export class RepositoryPullPolicy extends Construct {
  /** The Terraform resource. */
  readonly resource: EcrRepositoryPolicy;
  readonly #roles: IPullRole[] = [];
  readonly #repository: string;
  readonly #additionalStatements: readonly PolicyStatement[];

  constructor(scope: Construct, id: string, props: RepositoryPullPolicyProps) {
    checkProps(new.target.name, scope, id, REPOSITORY_PULL_POLICY_PROPS, props);
    super(scope, id);
    const { provider, region, roles } = props;
    const { repository, key, policy } = at(this, () => settingsOf(this, props));

    this.resource = new EcrRepositoryPolicy(this, "Resource", {
      repository,
      region,
      policy,
      provider,
    });
    waitForDeclared(this.resource, "aws_ecr_repository", { name: repository });
    declareOnce(this, key);
    declareInAccount(this, inAccount(props));

    this.#repository = repository;
    this.#additionalStatements = props.additionalStatements ?? [];
    for (const role of roles) this.addRole(role);
  }

  /** Returns the stack's policy for a repository. The first call declares it; every call adds its roles. */
  static forRepository(scope: Construct, props: RepositoryPullPolicyProps): RepositoryPullPolicy {
    checkGiven("RepositoryPullPolicy.forRepository()", REPOSITORY_PULL_POLICY_PROPS, props);
    const known = declaredRepositoryPolicy(scope, repositoryPolicyKey(props));
    if (!known) {
      const id = sharedId("ecr-policy", props.provider, props.account, props.region, props.repository);
      return new RepositoryPullPolicy(TerraformStack.of(scope), id, props);
    }
    known.#agree(props);
    for (const role of props.roles) known.addRole(role);
    return known;
  }

  /** The roles that may pull. */
  get roles(): readonly IPullRole[] {
    return this.#roles;
  }

  /** Allows another role to pull. */
  addRole(role: IPullRole): void {
    at(this, () => checkGiven("addRole()", PULL_ROLE, role, "role"));
    if (this.#roles.includes(role)) return;
    const roles = [...this.#roles, role];
    this.resource.policy = at(this, () => textOf(this.#repository, roles, this.#additionalStatements));
    this.#roles.push(role);
    // AWS resolves the principals of a policy when it is saved, so the roles must exist by then.
    waitFor(this.resource, role.dependencies);
    if (this.resource.dependsOn) this.resource.dependsOn = [...new Set(this.resource.dependsOn)];
  }

  #agree({ additionalStatements = [], repository }: RepositoryPullPolicyProps): void {
    if (additionalStatements === this.#additionalStatements) return;
    if (JSON.stringify(additionalStatements) !== JSON.stringify(this.#additionalStatements))
      fail(
        "property-conflict",
        nameTaken(
          "policy of this ECR repository, with other additionalStatements,",
          repository,
          this.node.path,
        ),
      );
  }
}

function settingsOf(
  construct: Construct,
  props: RepositoryPullPolicyProps,
): { repository: string; key: string; policy: string } {
  const repository = repositoryName(props.repository);
  if (props.roles.length === 0)
    fail("aws-missing", {
      problem: "policy of the ECR repository names no IAM role that may pull",
      value: repository,
      allowed: "at least one role",
      remedy: "add the roles that pull from it",
    });
  const { account, region, provider } = props;
  accountId(account);
  checkProviderPlace(construct, { partition: partitionOf(region).name, account, provider });
  const key = repositoryPolicyKey(props);
  const known = declaredOnce(construct, key);
  if (known)
    fail("property-conflict", nameTaken("policy of this ECR repository", repository, known.node.path));
  const other = declaredInAccount(construct, inAccount(props));
  if (other)
    fail("aws-conflict", {
      problem: `policy of an ECR repository in account ${props.account} is already written by ${other.node.path}; AWS has one per repository, and whichever is applied last would remove the other's permissions`,
      value: repository,
      allowed: "one stack and Terraform provider per repository policy",
      remedy:
        'set ownerPolicy: "elsewhere" in one of the two, and add its statements to the other (additionalStatements)',
    });
  return { repository, key, policy: textOf(repository, props.roles, props.additionalStatements ?? []) };
}

/** One policy per repository, in whatever stack and with whatever Terraform provider: the last apply would win. */
function inAccount({ account, region, repository }: RepositoryPullPolicyProps): OnceInAccount {
  return { kind: "ecr-policy", account, name: `${region}/${repository}` };
}

function repositoryPolicyKey(props: Omit<RepositoryPullPolicyProps, "roles">): string {
  const { provider, account, region, repository } = props;
  return onceKey(provider, "ecr-policy", account, region, repository);
}

function declaredRepositoryPolicy(scope: Construct, key: string): RepositoryPullPolicy | undefined {
  const known = declaredOnce(scope, key);
  return known instanceof RepositoryPullPolicy ? known : undefined;
}

function textOf(
  repository: string,
  roles: readonly IPullRole[],
  additionalStatements: readonly PolicyStatement[],
): string {
  return policyText(repositoryPullPolicy(repository, roles, additionalStatements));
}

interface ExpectedRole {
  readonly arn: string;
  readonly sources: readonly EcrSource[];
}

interface RolesPlace {
  readonly account: string | undefined;
  readonly provider: TerraformProvider | undefined;
}

/**
 * Checks the owner's half of pulls across accounts before anything is declared: it must be written to the owner's
 * account, and all roles must fit into the policies.
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
      if (grant.kind === "public" || !isDeclaredHere(ownerPolicy)) continue;
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

/** Scopes in which many roles are made, with one warning for all of them. */
const warnTogether = new WeakSet<object>();

/** Declares a role for each plan, with one warning for all; without a known account there is no such warning. */
export function declareTogether<Plan extends Pick<ExpectedRole, "sources">>(
  scope: Construct,
  account: string | undefined,
  plans: readonly Plan[],
  declare: (plan: Plan) => AccountGrant,
): readonly AccountGrant[] {
  warnTogether.add(scope);
  const grants = plans.map((plan) => ({ grant: declare(plan), sources: plan.sources }));
  warnTogether.delete(scope);
  const roles = grants.map(({ grant, sources }) => ({ arn: grant.identity, sources }));
  if (account !== undefined) warnOfOwners(scope, roles, account);
  return grants.map(({ grant }) => grant);
}

/** Warns of repositories in other accounts without a known policy for the roles, once per account. */
function warnOfOwners(scope: Construct, roles: readonly ExpectedRole[], account: string | undefined): void {
  const pulls = roles.flatMap(({ arn, sources }) =>
    sources.flatMap(({ grant, ownerPolicy }) =>
      grant.kind === "private" && ownerPolicy === undefined ? [{ grant, roleArn: arn }] : [],
    ),
  );
  for (const warning of ownerWarnings(pulls, account)) Annotations.of(scope).addWarning(warning);
}

/** Declares the owner's half of pulls across accounts, or warns if it is not known to exist. */
export function writeOwnerPolicies(
  scope: Construct,
  role: IPullRole,
  sources: readonly EcrSource[],
  account: string | undefined,
): void {
  for (const { grant, ownerPolicy } of sources) {
    if (grant.kind === "public" || !ownerPolicy || ownerPolicy === "elsewhere") continue;
    if (isRegistryOwner(ownerPolicy)) ownerPolicy.admit(role, grant);
    else
      for (const props of policiesOf(grant, ownerPolicy))
        RepositoryPullPolicy.forRepository(scope, { ...props, roles: [role] });
  }
  const together = scope.node.scope !== undefined && warnTogether.has(scope.node.scope);
  if (!together) warnOfOwners(scope, [{ arn: role.arn, sources }], account);
}

export function ownedRepositories(
  repositories: readonly string[],
  ownerPolicy: OwnerPolicy | "elsewhere" | undefined,
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

function isDeclaredHere(ownerPolicy: EcrSource["ownerPolicy"]): ownerPolicy is OwnerPolicy {
  return ownerPolicy !== undefined && ownerPolicy !== "elsewhere" && !isRegistryOwner(ownerPolicy);
}

/** The role's Terraform provider would set the policy in the role's account, on a repository of the same name. */
function requireOwnersProvider(
  grant: PrivateEcrGrant,
  ownerPolicy: OwnerPolicy,
  { account, provider }: RolesPlace,
): void {
  if (account === undefined || account === grant.account) return;
  if (sameProvider(ownerPolicy.provider, provider))
    fail("aws-missing", {
      problem: `ownerPolicy would be written to account ${account}, by the Terraform provider of the IAM role, but the registry is in another account`,
      value: grant.account,
      allowed: "a Terraform provider of the registry's account",
      remedy:
        'give one: ownerPolicy: { provider: new AwsProvider(…, { alias: … }) }; or set ownerPolicy: "elsewhere" if the owner writes it',
    });
}

/** A Terraform provider can only write to one account. */
function requireProviderPerOwner(sources: readonly EcrSource[]): void {
  const owners = new Map<string, string>();
  for (const { grant, ownerPolicy } of sources) {
    if (grant.kind === "public" || !isDeclaredHere(ownerPolicy)) continue;
    const key = onceKey(ownerPolicy.provider, "owner");
    const first = owners.get(key) ?? grant.account;
    if (first !== grant.account)
      fail("aws-conflict", {
        problem:
          "repository policies of several accounts would all be written to one account, because they use the same Terraform provider",
        value: [first, grant.account].sort(),
        allowed: "a Terraform provider per owning account",
        remedy:
          'give each source its own: ownerPolicy: { provider: new AwsProvider(…, { alias: … }) }; or set ownerPolicy: "elsewhere"',
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
    additionalStatements,
    provider,
  }));
}
