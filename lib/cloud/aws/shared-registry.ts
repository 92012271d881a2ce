import { EcrRegistryPolicy } from "@cdktf/provider-aws/lib/ecr-registry-policy/index.js";
import { EcrRepositoryCreationTemplate } from "@cdktf/provider-aws/lib/ecr-repository-creation-template/index.js";
import type { TerraformProvider } from "cdktf";
import { Construct } from "constructs";
import { at, fail } from "../../errors";
import { isLate } from "../../model/late";
import {
  type ObjectKind,
  anyObject,
  checkProps,
  list,
  object,
  optional,
  record,
  text,
} from "../../model/shape";
import { accountId, parseRoleArn } from "../../rules/aws/arn";
import { partitionOf } from "../../rules/aws/partitions";
import {
  type PrivateEcrGrant,
  cacheStatement,
  repositoryArns,
  repositoryPullPolicy,
} from "../../rules/aws/permission";
import { type PolicyStatement, policyDocument, policyText } from "../../rules/aws/policy-document";
import { repositoryName } from "../../rules/aws/registry";
import { matchesPattern } from "../../rules/wildcard";
import { waitFor } from "../shared/across-stacks";
import { PROVIDER } from "../shared/kinds";
import { RepositoryPullPolicy } from "./owner-policies";
import { checkProviderPlace } from "./place";
import type { IPullRole } from "./role-props";
import { type EcrProps, ecr } from "./registry";
import type { EcrSource, IRegistryOwner } from "./registry-source";

/** Settings of a {@link SharedRegistry}. */
export interface SharedRegistryProps {
  /** Account of the registry, 12 digits. */
  readonly account: string;
  /** Region of the registry. */
  readonly region: string;
  /**
   * Exact names of existing repositories that patterns such as `base/*` may stand for, because ECR has one policy per
   * repository.
   *
   * @defaultValue - none; pulls must name each repository exactly
   */
  readonly repositories?: readonly string[];
  /**
   * Statements to keep in the policies of repositories, by repository: Terraform replaces the whole policy.
   *
   * @defaultValue - none
   */
  readonly additionalStatements?: Readonly<Record<string, readonly PolicyStatement[]>>;
  /**
   * Statements to keep in the registry's policy, which a pull through cache needs; an account has one per region.
   *
   * @defaultValue - none
   */
  readonly registryStatements?: readonly PolicyStatement[];
  /**
   * Terraform provider of the owning account.
   *
   * @defaultValue - the stack's default aws provider
   */
  readonly provider?: TerraformProvider;
}

const SHARED_REGISTRY_PROPS: ObjectKind<SharedRegistryProps> = object({
  account: text,
  region: text,
  repositories: optional(list(text)),
  additionalStatements: optional(record(list(anyObject))),
  registryStatements: optional(list(anyObject)),
  provider: optional(PROVIDER),
});

/**
 * An ECR registry that several clusters pull from, in a stack of its owner's account: it declares the owner's half of
 * each pull, for roles in any stack.
 *
 * In the owner's stack it declares a `RepositoryPullPolicy` per repository and, for a pull through cache that may
 * create repositories, a creation template that gives them such a policy, and the policy of the registry. The owner's
 * stack is applied after those of the clusters, because AWS looks the roles up when a policy is saved.
 */
export class SharedRegistry extends Construct implements IRegistryOwner {
  /** Account of the registry. */
  readonly account: string;
  /** Region of the registry. */
  readonly region: string;
  readonly #props: SharedRegistryProps;
  readonly #repositories: readonly string[];
  readonly #policies = new Map<string, RepositoryPullPolicy>();
  readonly #templates = new Map<string, readonly [EcrRepositoryCreationTemplate, IPullRole[]]>();
  /** Access of roles to a pull through cache, by the pattern of its repositories. */
  readonly #cached = new Map<string, { readonly grant: PrivateEcrGrant; readonly roles: IPullRole[] }>();
  #registryPolicy: EcrRegistryPolicy | undefined;

  constructor(scope: Construct, id: string, props: SharedRegistryProps) {
    checkProps(new.target.name, scope, id, SHARED_REGISTRY_PROPS, props);
    super(scope, id);
    this.account = at(this, () => accountId(props.account));
    this.region = props.region;
    const { account, region, provider } = props;
    at(this, () => {
      checkProviderPlace(this, { partition: partitionOf(region).name, account, provider });
    });
    this.#repositories = at(this, () => (props.repositories ?? []).map(repositoryName));
    this.#props = props;
  }

  /** The repository policies, by repository. */
  get policies(): ReadonlyMap<string, RepositoryPullPolicy> {
    return this.#policies;
  }

  /** The registry's policy; `undefined` until a pull uses a cache that may create repositories. */
  get registryPolicy(): EcrRegistryPolicy | undefined {
    return this.#registryPolicy;
  }

  /** Returns repositories of this registry, for `from` of pulls in any stack of the app. */
  source(props: Omit<EcrProps, "account" | "region" | "ownerPolicy">): EcrSource {
    return ecr({ ...props, account: this.account, region: this.region, ownerPolicy: this });
  }

  /**
   * The repositories that a grant means: a pattern stands for the entries of `repositories` that it matches, unless a
   * pull through cache may create others. Throws if the owner's half of a pull cannot be declared here.
   */
  check(grant: PrivateEcrGrant): readonly string[] {
    const { account, region } = grant;
    if (account !== this.account || region !== this.region)
      fail("aws-mismatch", {
        problem: "the repositories belong to another registry than the SharedRegistry in `ownerPolicy`",
        value: `${account} ${region}`,
        allowed: `${this.account} ${this.region}`,
        remedy: "create the source with `source()` of the SharedRegistry",
      });
    if (grant.createRepositories) return grant.repositories;
    return [...new Set(grant.repositories.flatMap((each) => this.#named(each)))];
  }

  /**
   * Allows a role to pull what the grant names; called for each role whose sources have this owner. A role in the
   * registry's own account does not need it.
   */
  admit(role: IPullRole, grant: PrivateEcrGrant): void {
    const repositories = this.check(grant);
    if (!isLate(role.arn) && parseRoleArn(role.arn).account === this.account) return;
    if (grant.createRepositories) this.#admitToCache(role, grant);
    else for (const name of repositories) this.#admitTo(name, role);
  }

  #named(repository: string): readonly string[] {
    if (!repository.includes("*")) return [repository];
    const matching = this.#repositories.filter((name) => matchesPattern(repository, name));
    return matching.length > 0
      ? matching
      : fail("aws-missing", {
          problem: "ECR has one policy per repository, and no known repository matches the pattern",
          value: repository,
          allowed: this.#repositories.join(", ") || "exact names",
          remedy: "list them as `repositories` of the SharedRegistry, or pull from exact names",
        });
  }

  #admitTo(repository: string, role: IPullRole): void {
    const known = this.#policies.get(repository);
    if (known) return known.addRole(role);
    const { additionalStatements = {}, ...owner } = this.#props;
    const policy = new RepositoryPullPolicy(this, `policy-${repository.replaceAll("/", "_")}`, {
      repository,
      roles: [role],
      account: this.account,
      region: this.region,
      ...(additionalStatements[repository] && { additionalStatements: additionalStatements[repository] }),
      ...(owner.provider && { provider: owner.provider }),
    });
    this.#policies.set(repository, policy);
  }

  #admitToCache(role: IPullRole, grant: PrivateEcrGrant): void {
    for (const repository of grant.repositories) {
      const one = { ...grant, repositories: [repository] };
      const access = this.#cached.get(repository) ?? { grant: one, roles: [] };
      if (access.roles.includes(role)) continue;
      access.roles.push(role);
      this.#cached.set(repository, access);
      this.#admitToCreated(prefixOf(repository), role);
    }
    const policy = this.#registryText();
    this.#registryPolicy ??= new EcrRegistryPolicy(this, "RegistryPolicy", {
      policy,
      region: this.region,
      provider: this.#props.provider,
    });
    this.#registryPolicy.policy = policy;
    waitFor(this.#registryPolicy, role.dependencies);
  }

  #registryText(): string {
    const caches = [...this.#cached.values()].map(({ grant, roles }) =>
      cacheStatement(
        roles.map(({ arn }) => arn),
        repositoryArns(grant),
      ),
    );
    return policyText(policyDocument([...caches, ...(this.#props.registryStatements ?? [])]));
  }

  /** Repositories that a pull creates have only the policy that their creation template gives them. */
  #admitToCreated(prefix: string, role: IPullRole): void {
    const [known, roles = []] = this.#templates.get(prefix) ?? [];
    if (roles.includes(role)) return;
    roles.push(role);
    const repositoryPolicy = policyText(repositoryPullPolicy(`${prefix}/*`, roles, []));
    const template =
      known ??
      new EcrRepositoryCreationTemplate(this, `template-${prefix.replaceAll("/", "_")}`, {
        prefix,
        appliedFor: ["PULL_THROUGH_CACHE"],
        region: this.region,
        provider: this.#props.provider,
      });
    template.repositoryPolicy = repositoryPolicy;
    waitFor(template, role.dependencies);
    this.#templates.set(prefix, [template, roles]);
  }
}

/** The prefix of a template consists of whole name segments; `ROOT` matches all other names. */
function prefixOf(repository: string): string {
  const literal = repository.split("*")[0] ?? "";
  return /^(.+)\//.exec(literal)?.[1] ?? "ROOT";
}
