import { EcrRepositoryPolicy } from "@cdktf/provider-aws/lib/ecr-repository-policy/index.js";
import { type TerraformProvider, TerraformStack, dependable } from "cdktf";
import { Construct } from "constructs";
import { at, fail } from "../../errors";
import { accountId } from "../../rules/aws/provider";
import { repositoryName, repositoryPullPolicy } from "../../rules/aws/registry";
import { partitionOf } from "../../rules/aws/partitions";
import { type PolicyStatement, policyText } from "../../rules/aws/statement";
import { type OnceInAccount, declareInAccount, declaredInAccount } from "./once-per-account";
import { declareOnce, declaredOnce, onceKey, sharedId } from "./once-per-stack";
import { type IPullRole, PULL_ROLE } from "./pull-role-props";
import { PROVIDER } from "../shared/kinds";
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

/** Settings of a {@link RepositoryPullPolicy}. */
export interface RepositoryPullPolicyProps {
  /** Name of the repository; no pattern. */
  readonly repository: string;
  /** Roles of other accounts that may pull, at least one; more come with `addRole`. */
  readonly roles: readonly IPullRole[];
  /** Account of the registry, 12 digits. */
  readonly account: string;
  /** Region of the registry. */
  readonly region: string;
  /**
   * Statements to keep beside the pull: Terraform writes the repository's policy whole.
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
 * AWS has one policy per repository, and this replaces it whole; statements that must stay are given with
 * `additionalStatements`. All roles of a stack that pull from the repository share one construct:
 * `RepositoryPullPolicy.forRepository`.
 */
export class RepositoryPullPolicy extends Construct {
  /** The Terraform resource. */
  readonly resource: EcrRepositoryPolicy;
  readonly #roles: IPullRole[] = [];
  readonly #repository: string;
  readonly #additionalStatements: readonly PolicyStatement[];

  /**
   * Throws `aws-repository-invalid`, `aws-repository-policy-wildcard`, `aws-account-invalid`,
   * `aws-region-unknown`, `aws-repository-policy-empty`, `aws-repository-policy-too-long`, `name-taken`
   * where the stack has a policy for it already, and `aws-repository-policy-taken` where another stack has.
   */
  constructor(scope: Construct, id: string, props: RepositoryPullPolicyProps) {
    checkProps(new.target.name, scope, id, REPOSITORY_PULL_POLICY_PROPS, props);
    super(scope, id);
    const { provider, region, roles } = props;
    const { repository, key, policy } = at(this, () => settingsOf(this, props));

    this.resource = new EcrRepositoryPolicy(this, "Resource", {
      repository,
      region,
      policy,
      ...(provider ? { provider } : {}),
    });
    declareOnce(this, key);
    declareInAccount(this, inAccount(props));

    this.#repository = repository;
    this.#additionalStatements = props.additionalStatements ?? [];
    for (const role of roles) this.addRole(role);
  }

  /**
   * The stack's policy for a repository, declared at the first call; every call adds its roles.
   *
   * Throws what the constructor throws, and `name-taken` where a later call states other `additionalStatements`.
   */
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

  /** The roles that it lets pull. */
  get roles(): readonly IPullRole[] {
    return this.#roles;
  }

  /** Lets one more role pull; throws `aws-repository-policy-too-long`. */
  addRole(role: IPullRole): void {
    at(this, () => checkGiven("addRole()", PULL_ROLE, role, "role"));
    if (this.#roles.includes(role)) return;
    const roles = [...this.#roles, role];
    this.resource.policy = at(this, () => textOf(this.#repository, roles, this.#additionalStatements));
    this.#roles.push(role);
    // AWS resolves the principals of a policy when it is saved, so the roles must exist by then.
    const names = role.dependencies.map(dependable);
    this.resource.dependsOn = [...new Set([...(this.resource.dependsOn ?? []), ...names])].sort();
  }

  #agree({ additionalStatements = [], repository }: RepositoryPullPolicyProps): void {
    if (additionalStatements === this.#additionalStatements) return;
    if (JSON.stringify(additionalStatements) !== JSON.stringify(this.#additionalStatements))
      fail(
        "name-taken",
        "policy of this ECR repository, with other additionalStatements,",
        repository,
        this.node.path,
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
      problem: "policy of the ECR repository lets no IAM role pull",
      value: repository,
      allowed: "at least one role",
      remedy: "give the roles that pull from it",
    });
  accountId(props.account);
  partitionOf(props.region);
  const key = repositoryPolicyKey(props);
  const known = declaredOnce(construct, key);
  if (known) fail("name-taken", "policy of this ECR repository", repository, known.node.path);
  const other = declaredInAccount(construct, inAccount(props));
  if (other)
    fail("aws-conflict", {
      problem: `policy of an ECR repository in account ${props.account} is already written by ${other.node.path}; AWS has one per repository, and the last apply would take the other's permissions away`,
      value: repository,
      allowed: "one stack and Terraform provider per repository policy",
      remedy:
        'say ownerPolicy: "elsewhere" in one of the two, and let the other keep the statement of both (additionalStatements)',
    });
  return { repository, key, policy: textOf(repository, props.roles, props.additionalStatements ?? []) };
}

/** One policy per repository, whatever stack or Terraform provider writes it: the last apply would win. */
function inAccount({ account, region, repository }: RepositoryPullPolicyProps): OnceInAccount {
  return { kind: "ecr-policy", account, name: `${region}/${repository}` };
}

/** What the policy of a repository is known by in its stack. */
export function repositoryPolicyKey(props: Omit<RepositoryPullPolicyProps, "roles">): string {
  const { provider, account, region, repository } = props;
  return onceKey(provider, "ecr-policy", account, region, repository);
}

/** The stack's policy under a key of {@link repositoryPolicyKey}; `undefined` where it has none. */
export function declaredRepositoryPolicy(scope: Construct, key: string): RepositoryPullPolicy | undefined {
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
