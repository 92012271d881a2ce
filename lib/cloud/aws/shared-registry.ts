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
   * Repositories that exist, exact names: those that a pattern such as `base/*` stands for, since ECR has a policy per
   * repository.
   *
   * @defaultValue - none; pulls name each repository
   */
  readonly repositories?: readonly string[];
  /**
   * Statements to keep in the policies of repositories, by repository: Terraform writes a policy whole.
   *
   * @defaultValue - none
   */
  readonly additionalStatements?: Readonly<Record<string, readonly PolicyStatement[]>>;
  /**
   * Statements to keep in the policy of the registry, which a pull through cache needs: an account has one per region.
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

/** What a pull through cache lets a role do, by the pattern of its repositories. */
interface CacheAccess {
  readonly grant: PrivateEcrGrant;
  readonly roles: IPullRole[];
}

/**
 * A registry of ECR that several clusters pull from, in a stack of its owner's account: the owner's half of each pull, for
 * roles of whatever stack.
 *
 * Declares a `RepositoryPullPolicy` per repository, in the owner's stack; for a pull through cache that may create
 * repositories, a creation template that gives them such a policy, and the policy of the registry. The owner's stack is
 * applied after those of the clusters, since AWS looks the roles up when a policy is saved.
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
  readonly #cached = new Map<string, CacheAccess>();
  #registryPolicy: EcrRegistryPolicy | undefined;

  constructor(scope: Construct, id: string, props: SharedRegistryProps) {
    checkProps(new.target.name, scope, id, SHARED_REGISTRY_PROPS, props);
    super(scope, id);
    this.account = at(this, () => accountId(props.account));
    this.region = props.region;
    at(this, () => partitionOf(props.region));
    this.#repositories = at(this, () => (props.repositories ?? []).map(repositoryName));
    this.#props = props;
  }

  /** The policies of repositories, by repository. */
  get policies(): ReadonlyMap<string, RepositoryPullPolicy> {
    return this.#policies;
  }

  /** The policy of the registry; `undefined` as long as no pull goes through a cache that may create repositories. */
  get registryPolicy(): EcrRegistryPolicy | undefined {
    return this.#registryPolicy;
  }

  /** Repositories of it, for `from` of pulls in any stack of the app. */
  source(props: Omit<EcrProps, "account" | "region" | "ownerPolicy">): EcrSource {
    return ecr({ ...props, account: this.account, region: this.region, ownerPolicy: this });
  }

  /** Throws where the owner's half of such a pull cannot be declared here. */
  check(grant: PrivateEcrGrant): void {
    const { account, region } = grant;
    if (account !== this.account || region !== this.region)
      fail("aws-mismatch", {
        problem: "repositories are of another registry than the one whose owner is given",
        value: `${account} ${region}`,
        allowed: `${this.account} ${this.region}`,
        remedy: "make the source with `source()` of the shared registry",
      });
    if (!grant.createRepositories) for (const repository of grant.repositories) this.#named(repository);
  }

  /**
   * Lets a role pull what the grant names; called for each role whose sources have this owner. A role of the registry's own
   * account needs nothing of its owner.
   */
  admit(role: IPullRole, grant: PrivateEcrGrant): void {
    this.check(grant);
    if (!isLate(role.arn) && parseRoleArn(role.arn).account === this.account) return;
    if (grant.createRepositories) this.#admitToCache(role, grant);
    else
      for (const name of grant.repositories.flatMap((each) => this.#named(each))) this.#admitTo(name, role);
  }

  #named(repository: string): readonly string[] {
    if (!repository.includes("*")) return [repository];
    const matching = this.#repositories.filter((name) => matchesPattern(repository, name));
    return matching.length > 0
      ? matching
      : fail("aws-missing", {
          problem: "ECR has a policy per repository, and no repository is known that the pattern stands for",
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

  /** Repositories that a pull makes have no policy but the one that their template gives them. */
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

/** The prefix of a template is a whole part of names; `ROOT` is for all others. */
function prefixOf(repository: string): string {
  const literal = repository.split("*")[0] ?? "";
  return /^(.+)\//.exec(literal)?.[1] ?? "ROOT";
}
